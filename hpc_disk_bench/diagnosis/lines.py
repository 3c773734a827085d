"""What a run has said, line by line: the files that hold it, as far as a cause may stand there."""

import os
import re
import stat
from pathlib import Path
from typing import NamedTuple

from hpc_disk_bench.result_text import without_zeros
from hpc_disk_bench.summary import shorten

ERRORS, OUTPUT, LOG = "err", "out", "log"
# A run of ours writes the first two; others are how runs are kept that were made by hand.
NAMES = {
    "io500.err": ERRORS,
    "io500.out": OUTPUT,
    "stderr.txt": ERRORS,
    "stdout.txt": OUTPUT,
    "stderr": ERRORS,
    "stdout": OUTPUT,
}
# How much of either end of a file is read: a benchmark may warn of a million files.
END = 512 * 1024
LONGEST = 500
MOST_ALIKE = 5
# Open MPI puts what it has to say between two such lines, and wraps it there.
FRAME = re.compile(r"-{20,}")
WRAPPED = 45  # characters, from which on a line there may be a wrapped one
NUMBERS = re.compile(r"0x[0-9a-fA-F]+|\d+")


class Line(NamedTuple):
    """One line of a file below the run's directory."""

    file: str  # path relative to the run's directory
    number: int  # from 1
    text: str
    source: str  # ERRORS, OUTPUT or LOG (a file of one phase)
    onward: str = ""  # the next line, where a launcher has wrapped this one

    @property
    def sentence(self):
        return f"{self.text} {self.onward}".rstrip()

    def as_json(self):
        return {"file": self.file, "line": self.number, "text": shorten(self.sentence, 300)}


def read_lines(run, files=None):
    """The Lines of a run's output and of the files of its phases, as far as they can be read.

    run: its directory; files: that of the benchmark's files, where it is another. Of lines that
    differ in numbers alone, only the first few are kept.
    """
    lines = []
    for directory in dict.fromkeys(filter(None, (run, files))):
        for path in _files(directory):
            source = NAMES.get(path.name) or _by_suffix(path)
            if source:
                lines += _lines(path, os.path.relpath(path, run), source)
    order = (ERRORS, OUTPUT, LOG)
    return sorted(lines, key=lambda line: order.index(line.source))


def _files(directory):
    try:
        return sorted(Path(directory).iterdir())
    except OSError:
        return []


def _by_suffix(path):
    if re.fullmatch(r"(?:ior|mdtest|mdworkbench|find)[\w-]*\.txt", path.name):
        return LOG
    return {".err": ERRORS, ".out": OUTPUT}.get(path.suffix)


def _lines(path, name, source):
    alike, boxed, wrapped = {}, False, None
    for number, text in _numbered(path):
        text = text.strip()[:LONGEST]
        if wrapped:
            yield wrapped._replace(onward="" if FRAME.fullmatch(text) else text)
            wrapped = None
        if FRAME.fullmatch(text):
            boxed = not boxed
        if not text:
            continue
        kind = NUMBERS.sub("0", text)
        alike[kind] = alike.get(kind, 0) + 1
        if alike[kind] <= MOST_ALIKE:
            line = Line(name, number, text, source)
            if boxed and len(text) >= WRAPPED:
                wrapped = line
            else:
                yield line
    if wrapped:
        yield wrapped


def _numbered(path):
    """(number, text) of the lines at either end of a file."""
    try:
        # Not waiting: a pipe that somebody left here would hold up everything for ever.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return
            content, first = file.read(END), 1
            yield from _split(content, first)
            left = os.fstat(handle).st_size - file.tell()
            first += content.count(b"\n")
            while left > END:
                piece = file.read(min(left - END, END))
                if not piece:
                    return
                first += piece.count(b"\n")
                left -= len(piece)
            yield from _split(file.read(END), first)
    except OSError:
        return


def _split(content, first):
    text = without_zeros(content).decode("utf-8", "replace")
    return enumerate(text.split("\n"), start=first)
