"""Reads all outputs of tools that a file holds, and says of each that it cannot read why."""

import csv
import os
import re
from pathlib import Path
from typing import NamedTuple

from hpc_disk_bench.errors import UNPARSED, UserError
from hpc_disk_bench.result_text import read_text
from hpc_disk_bench.summary import result_of, shorten
from hpc_disk_bench.tools.model import doubts
from hpc_disk_bench.tools.pieces import pieces

# mdtest -v writes a line a directory; what is larger than this is no output that people keep.
LARGEST_FILE, MOST_LINES = 32 * 1024 * 1024, 1_000_000
MOST_UNREAD = 10  # that are told one by one
_OF_IO500 = re.compile(r"^\[.{0,1000}", re.MULTILINE)
# What these tools say where they do nothing else: a wrong option, a wrong value.
_NOT_STARTED = r"Error invalid argument|FATAL (?:ior|mdtest|stream|pfind|md-workbench): "
_BEFORE_START = re.compile(_NOT_STARTED)
_REFUSED = re.compile(_NOT_STARTED + r"|ERROR: .*\((?:ior|mdtest|aiori|md-workbench)[^()]*\)")
_HELP = re.compile(
    r"Synopsis \S*?(?P<tool>ior|mdtest|stream|md-?workbench|pfind)(?: |$)"
    r"|(?P<upstream>pfind) <workdir> "
)
_PLACE = re.compile(r":(?P<line>\d+): (?P<why>.*)")


class Unread(NamedTuple):
    """An output, or a call, that gives no figure."""

    line: int  # where it stands, from 1
    why: str


class Reading(NamedTuple):
    """What a file holds, in its order."""

    runs: list  # ToolRuns
    unread: list


def read(path):
    """The ToolRuns of a file, in its order, or None where it is not the output of a tool.

    None for IO500's own summaries as well, and for directories. UserError (exit code 5) where it is
    of a tool, but holds no figure, or cannot be read.
    """
    reading = read_all(path)
    return reading and reading.runs


def read_all(path):
    """The Reading of a file, with what could not be read beside what could; likewise."""
    path = Path(path)
    if os.path.isdir(path):
        return None
    text = read_text(path, LARGEST_FILE, MOST_LINES)
    if text is None:
        return None
    reading = parse(text)
    if not reading.runs and reading.unread:
        line, why = reading.unread[0]
        raise UserError(f"{path}{f':{line}' if line > 1 else ''}: {why}", UNPARSED)
    return reading if reading.runs else None


def parse(text):
    """The Reading of the text of a file."""
    text = re.sub("\r\n|\r", "\n", text)
    reading = Reading([], [])
    if any(result_of(found[0]) for found in _OF_IO500.finditer(text)):
        return reading  # IO500's, whatever else may stand in it
    for piece in pieces(text):
        try:
            found = piece.layout.read(piece) if piece.layout else []
        except csv.Error as error:
            reading.unread.append(Unread(piece.line, f"not CSV that can be read: {error}"))
            continue
        except UserError as error:
            reading.unread.append(_not_json(piece, str(error)))
            continue
        measured = [run for run in found if run.operations]
        reading.runs.extend(measured)
        reading.unread.extend(_later_calls(piece) if measured else _without_figures(piece, found))
    return reading


def _not_json(piece, error):
    """Unread; the error counts lines from the piece's first one on."""
    place = _PLACE.match(error)
    if place:
        return Unread(piece.line + int(place["line"]) - 1, place["why"])
    return Unread(piece.line, error.lstrip(": "))


def _without_figures(piece, runs):
    """[Unread] of an output without a figure, or of what is none but says so; else []."""
    layout, lines = piece.layout, piece.lines
    if said := [error for run in runs for error in run.errors]:
        return [Unread(piece.line, f"{layout.nothing}: {said[0]}")]
    for number, line in enumerate(lines, start=piece.line):
        if _REFUSED.match(line):
            return [_refusal(number, line)]
        if found := _HELP.match(line):
            tool = found["tool"] or found["upstream"]
            return [Unread(piece.line, f"no figures in it, but the help of {tool}")]
    if layout is None:
        return []
    rest = lines[0][len(layout.head) :].strip()
    return [Unread(piece.line, layout.nothing.format(rest=shorten(rest, 200)))]


def _later_calls(piece):
    """[Unread] of the first call below an output that was refused before it printed anything."""
    calls = enumerate(piece.lines, start=piece.line)
    return [_refusal(number, line) for number, line in calls if _BEFORE_START.match(line)][:1]


def _refusal(number, line):
    return Unread(number, f"no figures in it; it says: {shorten(line, 200)}")


def spoken(runs, unread=()):
    """What a person should hear: what was not read, which runs do not count, doubtful figures."""
    for line, why in unread[:MOST_UNREAD]:
        yield f"line {line}: {why}"
    if len(unread) > MOST_UNREAD:
        yield f"and {len(unread) - MOST_UNREAD} more without figures"
    for run in runs:
        if run.partial:
            why = f": {run.errors[0]}" if run.errors else ""
            yield f"{run.tool}: partial, it ended early{why}"
        for one in run.operations:
            for reason in one.reasons:
                yield f"{run.tool} {one.name}: does not count: {reason}"
            for doubt in doubts(one):
                yield f"warning: {run.tool} {doubt}"
