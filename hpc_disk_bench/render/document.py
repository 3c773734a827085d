"""A .qmd file to its title block and a tree of prose, raw HTML, divs and cells.

Raw HTML never reaches the Markdown parser: a figure's data or plotly.js is megabytes that would
take seconds to go through it and come out changed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from hpc_disk_bench.errors import UserError

OPTIONS_KNOWN = (
    *("label", "echo", "output", "include", "eval", "warning"),
    *("code-fold", "code-summary", "fig-cap", "tbl-cap", "fig-alt"),
)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})\s*([^`]*?)\s*$")
_DIV = re.compile(r" {0,3}:{3,}\s*(\{.*\}|[\w-]+)?\s*:*\s*$")
_ATTRIBUTE = re.compile(
    r"""\s*(?:\#(?P<id>[^\s{}#."'=]+) | \.(?P<class>[^\s{}#."'=]+) | (?P<unnumbered>-)
        | (?P<key>[\w:-]+)=(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s"'{}]+)))""",
    re.VERBOSE,
)
_EXPLICIT_ID = re.compile(r"^#{1,6}\s.*\{[^{}]*#([^\s{}#.]+)[^{}]*\}\s*$", re.MULTILINE)


class DocumentError(Exception):
    """What is wrong with the document, and the line it stands in."""

    def __init__(self, line, message):
        super().__init__(message)
        self.line = line


@dataclass
class Attributes:
    id: str | None = None
    classes: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)


@dataclass
class Text:
    markdown: str
    line: int
    printed: bool = False  # by a cell, whose line `line` then is


@dataclass
class Raw:
    html: str


@dataclass
class Div:
    attributes: Attributes
    children: list
    line: int


@dataclass
class Cell:
    source: str
    options: dict
    label: str
    number: int
    line: int  # of the fence
    first_line: int  # of `source`


@dataclass
class Document:
    path: Path
    meta: dict
    body: list
    cells: list[Cell]

    def option(self, name, default=None, cell=None):
        """An option as Quarto looks it up: the cell's, else the format's, else the document's."""
        places = [cell.options if cell else {}, self.html, self.meta]
        for place in places:
            for options in (place, _mapping(place.get("execute"))):
                if name in options:
                    return options[name]
        return default

    @property
    def html(self):
        """The options of format: html."""
        return _mapping(_mapping(self.meta.get("format")).get("html"))


def read(path):
    """Read and parse `path`, or raise UserError with file, line and what is wrong."""
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text (byte {error.start})") from error
    lines = text.replace("\r\n", "\n").split("\n")
    try:
        meta, start = _title_block(lines)
        cells = []
        body = parse(lines[start:], start + 1, cells)
    except DocumentError as error:
        raise UserError(f"{path}:{error.line}: {error}") from error
    return Document(path, meta, body, cells)


def parse(lines, first_line=1, cells=None):
    """The tree of `lines`. Cells are added to `cells`; where that is None there can be none."""
    return _Parser(lines, first_line, cells).parse()


def attributes(text, line=0):
    """Read `{#id .class key="value"}`, the braces included."""
    inside, position, found = text.strip()[1:-1].strip(), 0, Attributes()
    while position < len(inside):
        match = _ATTRIBUTE.match(inside, position)
        if not match:
            raise DocumentError(line, f"attributes {text.strip()} cannot be read")
        if match["id"]:
            found.id = match["id"]
        elif match["class"]:
            found.classes.append(match["class"])
        elif match["key"]:
            found.values[match["key"]] = match["double"] or match["single"] or match["bare"] or ""
        position = match.end()
    return found


def explicit_ids(nodes):
    """The ids that headings give themselves, which no other element may take."""
    found = set()
    for node in nodes:
        if isinstance(node, Text):
            found.update(_EXPLICIT_ID.findall(node.markdown))
        elif isinstance(node, Div):
            found |= explicit_ids(node.children)
    return found


def _title_block(lines):
    """The YAML at the top and the index of the first line after it."""
    if not lines or lines[0].rstrip() != "---":
        return {}, 0
    for end in range(1, len(lines)):
        if lines[end].rstrip() in ("---", "..."):
            meta = _yaml("\n".join(lines[1:end]), 2, "title block")
            return meta, end + 1
    raise DocumentError(1, "the title block has no closing ---")


def _yaml(text, line, what):
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise DocumentError(line + (mark.line if mark else 0), f"{what}: {problem}") from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise DocumentError(line, f"{what}: not in the form key: value")
    return value


def _mapping(value):
    return value if isinstance(value, dict) else {}


class _Parser:
    def __init__(self, lines, first_line, cells):
        self.lines, self.first_line, self.cells = lines, first_line, cells
        self.position = 0

    def parse(self):
        nodes = self._nodes(None)
        if self.position < len(self.lines):
            raise DocumentError(self._line(), "::: closes nothing")
        return nodes

    def _line(self, position=None):
        return self.first_line + (self.position if position is None else position)

    def _nodes(self, opened):
        """The nodes up to the end, or up to the ::: that closes the div opened at `opened`."""
        nodes, prose, prose_line = [], [], 0
        while self.position < len(self.lines):
            line = self.lines[self.position]
            fence, div = _FENCE.match(line), _DIV.match(line)
            if not div and not (fence and self._special(fence[2])):
                prose_line = prose_line if prose else self._line()
                prose += self._fenced(fence) if fence else [line]
                self.position += 1
                continue
            if "".join(prose).strip():
                nodes.append(Text("\n".join(prose), prose_line))
            prose = []
            if div and not div[1]:
                return nodes
            nodes.append(self._div(div) if div else self._block(fence))
            self.position += 1
        if opened is not None:
            raise DocumentError(opened, "::: is never closed")
        if "".join(prose).strip():
            nodes.append(Text("\n".join(prose), prose_line))
        return nodes

    def _special(self, info):
        return re.match(r"\{[=A-Za-z]", info) is not None

    def _div(self, match):
        line = self._line()
        given = match[1] if match[1].startswith("{") else f"{{.{match[1]}}}"
        found = attributes(given, line)
        self.position += 1
        return Div(found, self._nodes(line), line)

    def _fenced(self, fence):
        """The lines of a fenced block, both fences included; the position is left on its last."""
        start = self.position
        closing = re.compile(rf" {{0,3}}{fence[1][0]}{{{len(fence[1])},}}\s*$")
        for end in range(start + 1, len(self.lines)):
            if closing.match(self.lines[end]):
                self.position = end
                return self.lines[start : end + 1]
        raise DocumentError(self._line(start), f"{fence[1]} is never closed")

    def _block(self, fence):
        start, info = self.position, fence[2]
        inside = self._fenced(fence)[1:-1]
        if info == "{=html}":
            return Raw("\n".join(inside))
        if info.startswith("{="):
            return Raw("")  # meant for another format
        if info == "{python}" and self.cells is not None:
            return self._cell(inside, start)
        where = "" if self.cells is not None else " in what a cell printed"
        hint = "; options stand in lines #| key: value" if info.startswith("{python") else ""
        raise DocumentError(self._line(start), f"cells of {info}{where} cannot be run{hint}")

    def _cell(self, inside, start):
        count = 0
        while count < len(inside) and inside[count].startswith("#|"):
            count += 1
        text = "\n".join(line[2:].removeprefix(" ") for line in inside[:count])
        options = _yaml(text, self._line(start + 1), "cell options")
        for name in options:
            if name not in OPTIONS_KNOWN:
                message = f"cell option {name} is not known here"
                raise DocumentError(self._line(start), message)
        number = len(self.cells) + 1
        label = str(options.get("label") or f"cell-{number}")
        if any(label == cell.label for cell in self.cells):
            raise DocumentError(self._line(start), f"label {label} stands at two cells")
        source = "\n".join(inside[count:])
        first = self._line(start + 1 + count)
        cell = Cell(source, options, label, number, self._line(start), first)
        self.cells.append(cell)
        return cell
