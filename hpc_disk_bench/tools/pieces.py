"""Where in a text the outputs of tools begin, each known by its first line, and where they end.

A file may hold several, in any layout: a batch job that runs ior and then mdtest prints both into
one. What else stands there (the launcher's words, a module's greeting) is of the piece above it.
"""

import re
from typing import Any, Callable, NamedTuple, Optional

from hpc_disk_bench.tools import ior_files, ior_text, mdtest, mdworkbench, pfind, stream

LONGEST_LINE = 20_000
# JSON inside JSON; what nests deeper is none that anything writes, and would fill the memory.
DEEPEST = 1000
_TESTS = '"tests"'  # every JSON summary of ior has them
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"?|[{}]')


class Piece(NamedTuple):
    """An output, or what stands above the first one or below JSON."""

    line: int  # where it begins, from 1
    layout: Optional["Layout"]  # None where it is no output
    text: str
    lines: list  # of text, none too long
    above: list  # the lines of the piece before it


class Layout(NamedTuple):
    """One form of output: how its first line begins, and what reads it."""

    head: str
    read: Callable[[Piece], list]  # its ToolRuns
    nothing: str  # what is said of one without a figure; {rest}: what follows the head
    first: Any = None  # what its first line matches, where the head does not suffice


def _text(head, tool, parser):
    nothing = f"{tool} ended before anything was measured"
    return Layout(head, lambda piece: parser.parse(piece.lines), nothing, parser.START)


def _csv(head, parse):
    return Layout(head, lambda piece: parse(piece.lines), "a CSV without a single row")


JSON = Layout(
    "{",
    lambda piece: ior_files.parse_json_summary("", piece.text),
    "a JSON summary of ior without a single result",
)
LAYOUTS = (
    _text("IOR-", "ior", ior_text),
    _text("-- started", "mdtest", mdtest),
    _text("Args: ", "mdworkbench", mdworkbench),
    _text("stream-", "stream", stream),
    _text("[DONE]", "pfind", pfind)._replace(read=lambda one: pfind.parse(one.lines, one.above)),
    _csv(ior_files.CSV_HEAD, ior_files.parse_csv_summary),
    _csv(ior_files.RANKS_HEAD, ior_files.parse_ranks),
    _csv(mdtest.RANKS_HEAD, mdtest.parse_ranks),
    _csv(stream.CSV_HEAD, stream.parse_csv),
    _csv("runtime: ", pfind.parse_file)._replace(first=pfind.FILE_HEAD),
    # All that ior prints where it was asked for a summaryFile.
    Layout(
        "Writing output to ",
        lambda piece: [],
        "no figures in it: ior's results are in the file {rest}, parse that",
        re.compile(r"Writing output to \S"),
    ),
)
_HEADS = "|".join(re.escape(layout.head) for layout in LAYOUTS)
_FIRST = re.compile(rf"(?:\A\s*|^)\{{|^(?:{_HEADS})", re.MULTILINE)


def pieces(text):
    """The Pieces of a text with \\n at the end of its lines, in their order."""
    number, counted, above = 1, 0, []
    starts = [(0, None), *_starts(text)]
    for (start, layout), (until, _) in zip(starts, [*starts[1:], (len(text), None)]):
        number, counted = number + text.count("\n", counted, start), start
        part = text[start:until].rstrip("\n")
        if part:
            lines = [line[:LONGEST_LINE] for line in part.split("\n")]
            yield Piece(number, layout, part, lines, above)
            above = lines


def _starts(text):
    """(place, Layout) of each first line; (place, None) where JSON has ended."""
    places = [(found.start(), found.end()) for found in _FIRST.finditer(text)]
    ends, inside = _ends(text, {end - 1 for _, end in places}), 0
    for (start, end), (following, _) in zip(places, [*places[1:], (len(text), 0)]):
        if start < inside:
            continue
        if text[end - 1] == JSON.head:
            until = ends.get(end - 1)
            if text.find(_TESTS, start, until or following) >= 0:
                yield start, JSON
                if until:
                    yield until, None
                    inside = until
        elif layout := _layout(text, start):
            yield start, layout


def _layout(text, start):
    layout = next(one for one in LAYOUTS if text.startswith(one.head, start))
    if layout.first:
        until = text.find("\n", start, start + LONGEST_LINE)
        line = text[start : until if until >= 0 else start + LONGEST_LINE]
        if not layout.first.match(line):
            return None
    return layout


def _ends(text, wanted):
    """Where each { at a wanted place is closed, as far as it is: the place after its }.

    Only braces and strings are looked at: half an object, as a run that broke off leaves it, must
    not take along the whole one that follows.
    """
    opened, ends = [], {}
    for token in _TOKEN.finditer(text) if _TESTS in text else ():
        if token[0] == "{":
            opened.append(token.start())
            if len(opened) > DEEPEST:
                opened.clear()
        elif token[0] == "}" and opened:
            start = opened.pop()
            if start in wanted:
                ends[start] = token.end()
    return ends
