"""Recognises the output of a tool by what stands in it, and reads it.

A file may hold several: a batch job that runs ior and then mdtest prints both into one. What else
stands between them (the launcher's words, a module's greeting) is passed over.
"""

import os
import re
from pathlib import Path

from hpc_disk_bench.errors import UNPARSED, UserError
from hpc_disk_bench.result_text import read_text
from hpc_disk_bench.summary import result_of, shorten
from hpc_disk_bench.tools import ior_files, ior_text, mdtest, mdworkbench, pfind, stream
from hpc_disk_bench.tools.model import doubts

# mdtest -v writes a line a directory; what is larger than this is no output that people keep.
LARGEST_FILE, MOST_LINES = 32 * 1024 * 1024, 1_000_000
LONGEST_LINE = 20_000
_TEXTS = (
    ("IOR-", ior_text),
    ("-- started", mdtest),
    ("Args: ", mdworkbench),
    ("[DONE]", pfind),
    ("stream-", stream),
)
_CSV = (
    (ior_files.CSV_HEAD, ior_files.parse_csv_summary),
    (ior_files.RANKS_HEAD, ior_files.parse_ranks),
    (mdtest.RANKS_HEAD, mdtest.parse_ranks),
    (stream.CSV_HEAD, stream.parse_csv),
)
_TOOLS = {ior_text: "ior", mdtest: "mdtest", mdworkbench: "mdworkbench", pfind: "pfind"}
_TOOLS[stream] = "stream"
# What these tools say when they do nothing else: a wrong option, a wrong value.
_REFUSED = re.compile(
    r"Error invalid argument|ERROR: .*\((?:ior|mdtest|aiori|md-workbench)[^()]*\)"
)
_HELP = re.compile(r"Synopsis \S*?(?P<tool>ior|mdtest|md-workbench|pfind)$")


def read(path):
    """The ToolRuns of a file, in its order, or None where it is not the output of a tool.

    None for IO500's own summaries as well, and for directories. UserError (exit code 5) where it is
    of a tool, but holds no figure, or cannot be read.
    """
    path = Path(path)
    if os.path.isdir(path):
        return None
    text = read_text(path, LARGEST_FILE, MOST_LINES)
    if text is None:
        return None
    runs, broken = parse(path, text)
    runs = [run for run in runs if run.operations]
    if not runs and broken:
        raise UserError(f"{path}: {broken}", UNPARSED)
    return runs or None


def parse(path, text):
    """(ToolRuns, why there are none or None) of the text of a file."""
    if text.lstrip()[:1] == "{" and '"tests"' in text:
        runs = ior_files.parse_json_summary(path, text)
        return runs, "a JSON summary of ior without a single result"
    lines = [line[:LONGEST_LINE] for line in re.split("\r\n|\r|\n", text)]
    while lines and not lines[0].strip():
        del lines[0]
    first = lines[0] if lines else ""
    for head, parser in _CSV:
        if first.startswith(head):
            return parser(lines), "a CSV without a single row"
    if pfind.FILE_HEAD.match(first):
        return pfind.parse_file(lines), None
    if any(line.startswith("[") and result_of(line[:1000]) for line in lines):
        return [], None  # IO500's, whatever else may stand in it
    return _parse_text(lines)


def _parse_text(lines):
    starts = [number for number, line in enumerate(lines) if _parser_of(line)]
    runs, broken = [], _refusal(lines)
    for start, until in zip(starts, [*starts[1:], len(lines)]):
        parser, part = _parser_of(lines[start]), lines[start:until]
        before = (lines[:start],) if parser is pfind else ()
        found = parser.parse(part, *before)
        runs += found
        if not any(run.operations for run in found):
            said = [error for run in found for error in run.errors]
            if said or not broken:
                why = f": {said[0]}" if said else ""
                broken = f"{_TOOLS[parser]} ended before anything was measured{why}"
    return runs, broken


def _parser_of(line):
    for head, parser in _TEXTS:
        if line.startswith(head) and parser.START.match(line):
            return parser
    return None


def _refusal(lines):
    """What a tool said that did not even start, or None."""
    for line in lines:
        if _REFUSED.match(line):
            return f"no figures in it; it says: {shorten(line, 200)}"
        if help_text := _HELP.match(line):
            return f"no figures in it, but the help of {help_text['tool']}"
    return None


def spoken(runs):
    """What a person should hear about runs: why one does not count, and doubts about figures."""
    for run in runs:
        if run.partial:
            why = f": {run.errors[0]}" if run.errors else ""
            yield f"{run.tool}: partial, it ended early{why}"
        for one in run.operations:
            for reason in one.reasons:
                yield f"{run.tool} {one.name}: does not count: {reason}"
            for doubt in doubts(one):
                yield f"warning: {run.tool} {doubt}"
