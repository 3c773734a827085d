"""The whole page: the document's parts, its contents list and its head, in one file.

Nothing in it is fetched, and the page says so to the browser (Content-Security-Policy), which then
refuses to. Files that the document includes are read after its cells ran: a cell may write one.
"""

from __future__ import annotations

import datetime
import os
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from hpc_disk_bench import __version__
from hpc_disk_bench.errors import UserError
from hpc_disk_bench.render import outputs as shown
from hpc_disk_bench.render.document import Cell, Div, DocumentError, explicit_ids
from hpc_disk_bench.render.prose import Prose

TEMPLATES = Path(__file__).parent / "templates"


def page(document, outputs):
    """The HTML of `document`, whose cells gave `outputs` (by label)."""
    nodes = _without_cells(document, document.body, outputs)
    prose = Prose(document.path.resolve().parent, explicit_ids(nodes))
    try:
        body = prose.html(nodes)
    except DocumentError as error:
        raise UserError(f"{document.path}:{error.line}: {error}") from error

    depth = document.option("toc-depth", 3)
    contents = _nested([h for h in prose.headings if h.level <= depth])
    templates = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)
    meta = document.meta
    return templates.get_template("page.html").render(
        lang=meta.get("lang", "en"),
        title=meta.get("title", document.path.stem),
        subtitle=meta.get("subtitle"),
        authors=_authors(meta.get("author")),
        date=_date(meta.get("date")),
        abstract=meta.get("abstract"),
        generator=f"hpc-disk-bench {__version__}",
        contents=contents if document.option("toc", False) else [],
        contents_title=document.option("toc-title", "Contents"),
        style=Markup((TEMPLATES / "page.css").read_text(encoding="utf-8")),
        script=Markup((TEMPLATES / "page.js").read_text(encoding="utf-8")),
        header=Markup(_included(document, "include-in-header")),
        before=Markup(_included(document, "include-before-body")),
        after=Markup(_included(document, "include-after-body")),
        body=Markup(body),
    )


def _without_cells(document, nodes, outputs):
    found = []
    for node in nodes:
        if isinstance(node, Cell):
            given = outputs.get(node.label, [])
            found += shown.nodes(document, node, given)
        elif isinstance(node, Div):
            inside = _without_cells(document, node.children, outputs)
            found.append(Div(node.attributes, inside, node.line))
        else:
            found.append(node)
    return found


def _nested(headings):
    """Headings as a tree: (heading, [those below it])."""
    tree, path = [], []
    for heading in headings:
        while path and path[-1][0].level >= heading.level:
            path.pop()
        entry = (heading, [])
        (path[-1][1] if path else tree).append(entry)
        path.append(entry)
    return tree


def _included(document, name):
    """The text of include-in-header and its like: a file, `file:`, `text:`, or a list of these."""
    given = document.option(name, [])
    pieces = []
    for item in given if isinstance(given, list) else [given]:
        if isinstance(item, dict) and "text" in item:
            pieces.append(str(item["text"]))
            continue
        file = item.get("file") if isinstance(item, dict) else item
        path = document.path.resolve().parent / str(file)
        try:
            pieces.append(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8 text"
            raise UserError(f"{document.path}: {name}: {path}: {reason}") from error
    return "\n".join(pieces)


def _authors(given):
    people = given if isinstance(given, list) else [given] if given else []
    return [str(p.get("name", "")) if isinstance(p, dict) else str(p) for p in people]


def _date(given):
    """`date` in the title block's long form; today, also in a build that has to be repeatable."""
    if given in ("today", "now", "last-modified"):
        epoch = os.environ.get("SOURCE_DATE_EPOCH")
        given = datetime.datetime.fromtimestamp(int(epoch), datetime.UTC) if epoch else None
        given = given or datetime.datetime.now()
    elif isinstance(given, str):
        try:
            given = datetime.date.fromisoformat(given)
        except ValueError:
            return given
    return f"{given:%B} {given.day}, {given.year}" if given else None
