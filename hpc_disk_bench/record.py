"""A run's results.json, and beside it the record of what it was parsed from and by what.

The record, .parsed.json, lets a tree be parsed again only where something has changed: the parser,
a file of the benchmark, or results.json itself. Without one a run is simply parsed again.
"""

import contextlib
import functools
import hashlib
import os
from pathlib import Path

from hpc_disk_bench import __version__
from hpc_disk_bench.errors import UNPARSED, UserError
from hpc_disk_bench.files import json_text, read_json, write_json, write_text
from hpc_disk_bench.phase_files import NAMES
from hpc_disk_bench.result_file import RESULT_FILE
from hpc_disk_bench.results import SUMMARY
from hpc_disk_bench.tree import RESULTS
from hpc_disk_bench.versions import KEY, WRITTEN

RECORD = ".parsed.json"
LARGEST = 64 * 1024 * 1024  # bytes; what is larger is no file of a run and not read
# What the figures of a run depend on.
MODULES = ("phase_files", "phases", "result_file", "result_text", "results", "score", "summary")


def sources(directory, files):
    """What the results of a run are parsed from, to be called before that.

    directory: the run's own; files: that of the benchmark's files, the same or one below.
    """
    found = {name: _checksum(Path(files, name)) for name in (SUMMARY, RESULT_FILE)}
    if not any(found.values()):
        found = {name: _checksum(Path(files, name)) for name in sorted(NAMES)}
    return {
        KEY: WRITTEN[RECORD],
        "parser": parser(),
        "files": os.path.relpath(files, directory),
        "sources": {name: checksum for name, checksum in found.items() if checksum},
    }


def up_to_date(directory, parsed_from):
    """Whether results.json is what the present parser made of just these sources."""
    try:
        record = read_json(Path(directory, RECORD))
    except UserError:
        return False
    return record == {**parsed_from, "results_sha256": _checksum(Path(directory, RESULTS)) or ""}


def store(directory, results, parsed_from):
    """Write results.json, where it is not the same already, and the record.

    UserError (exit code 5) where results.json cannot be written.
    """
    path, text = Path(directory, RESULTS), json_text(results.as_json())
    if not _holds(path, text):
        try:
            write_text(path, text)
        except OSError as error:
            raise UserError(f"{path}: cannot be written: {error.strerror}", UNPARSED) from error
    content = {**parsed_from, "results_sha256": hashlib.sha256(text.encode()).hexdigest()}
    # A tree that cannot be written to, but holds the right results, only costs the next parsing.
    with contextlib.suppress(OSError):
        if not up_to_date(directory, parsed_from):
            write_json(Path(directory, RECORD), content)


@functools.cache
def parser():
    """The project's version and a checksum over the parser's source, which nobody has to raise."""
    source = [Path(__file__).with_name(f"{name}.py").read_bytes() for name in MODULES]
    return f"{__version__}+{hashlib.sha256(b''.join(source)).hexdigest()[:12]}"


def _holds(path, text):
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


def _checksum(path):
    """SHA-256 of a file, or None where there is none, or none that can be read."""
    try:
        if not path.is_file():
            return None
        size = path.stat().st_size
        if size > LARGEST:
            return f"{size} bytes"
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None
