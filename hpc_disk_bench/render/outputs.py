"""What a cell printed and displayed, as a part of the document's tree."""

from __future__ import annotations

import html
import re

import nbformat

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.render import document as doc
from hpc_disk_bench.render.document import Attributes, Div, Raw, Text
from hpc_disk_bench.render.prose import highlighted

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def nodes(document, cell, outputs):
    """The nodes that stand for `cell`: its source where echoed, its outputs, its caption."""
    if document.option("include", True, cell) is False:
        return []
    parts = [_source(document, cell)] if document.option("echo", True, cell) is not False else []
    wanted = document.option("output", True, cell)
    shown = _outputs(document, cell, outputs, wanted) if wanted is not False else []
    parts += _captioned(cell, shown) if shown else []
    if not parts:
        return []
    named = Attributes(cell.label, ["cell"], {"data-label": cell.label})
    return [Div(named, parts, cell.line)]


def _source(document, cell):
    code = highlighted(cell.source, "python")
    fold = document.option("code-fold", False, cell)
    if not fold:
        return Raw(code)
    summary = html.escape(str(document.option("code-summary", "Code", cell)))
    state = " open" if fold == "show" else ""
    return Raw(
        f'<details class="code-fold"{state}><summary>{summary}</summary>\n{code}\n</details>'
    )


def _outputs(document, cell, outputs, wanted):
    as_is = wanted == "asis"
    warnings = document.option("warning", True, cell) is not False
    found = []
    for output in _joined(outputs):
        if output.output_type == "stream":
            if output.name == "stderr" and not warnings:
                continue
            if output.name == "stdout" and as_is:
                found += _as_is(document, cell, output.text)
            else:
                text = html.escape(_ANSI.sub("", output.text))
                found.append(Raw(f'<pre class="cell-output {output.name}">{text}</pre>'))
        elif output.output_type in ("display_data", "execute_result"):
            found += _displayed(document, cell, output.data)
    return found


def _joined(outputs):
    """The outputs, with what came in pieces of one stream put together.

    A kernel sends what is printed in pieces as time passes, which may part a fence from its end.
    """
    joined, streams = [], {}
    for output in outputs:
        if output.output_type != "stream":
            streams = {}
        elif output.name in streams:
            streams[output.name].text += output.text
            continue
        else:
            output = streams[output.name] = nbformat.from_dict(output)
        joined.append(output)
    return joined


def _as_is(document, cell, text):
    """What a cell printed is part of the document: Markdown, raw HTML in its fences, divs."""
    try:
        return _printed(doc.parse(text.split("\n")), cell.line)
    except doc.DocumentError as error:
        raise UserError(
            f"{document.path}:{cell.line}: cell '{cell.label}' printed what cannot be read "
            f"(line {error.line} of it): {error}",
            1,
        ) from error


def _printed(nodes, line):
    for node in nodes:
        if isinstance(node, Text):
            node.line, node.printed = line, True
        elif isinstance(node, Div):
            node.line = line
            _printed(node.children, line)
    return nodes


def _displayed(document, cell, data):
    if "text/html" in data:
        return [Raw(data["text/html"])]
    if "text/markdown" in data:
        return _as_is(document, cell, data["text/markdown"])
    if "image/svg+xml" in data:
        return [Raw(_labelled(cell, data["image/svg+xml"]))]
    for kind in _PICTURES:
        if kind in data:
            picture = "".join(data[kind].split())
            alt = html.escape(str(cell.options.get("fig-alt", cell.options.get("fig-cap", ""))))
            return [Raw(f'<img src="data:{kind};base64,{picture}" alt="{alt}">')]
    text = html.escape(_ANSI.sub("", data.get("text/plain", "")))
    return [Raw(f'<pre class="cell-output">{text}</pre>')] if text else []


def _labelled(cell, svg):
    alt = cell.options.get("fig-alt")
    if alt is None:
        return svg
    return f'<div role="img" aria-label="{html.escape(str(alt))}">{svg}</div>'


def _captioned(cell, shown):
    caption = cell.options.get("fig-cap")
    if caption is not None:
        words = [Raw("<figcaption>"), Text(str(caption), cell.line, True), Raw("</figcaption>")]
        return [Raw("<figure>"), *shown, *words, Raw("</figure>")]
    caption = cell.options.get("tbl-cap")
    if caption is not None:
        words = [Raw("<figcaption>"), Text(str(caption), cell.line, True), Raw("</figcaption>")]
        return [Raw('<figure class="table">'), *words, *shown, Raw("</figure>")]
    return shown
