"""Prints charts, tables and sentences as raw HTML into the document.

A cell has `output: asis`, so that what is printed reaches the page as it is. Ordinary rich output
would make Quarto add scripts that it loads from elsewhere.
"""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

from hpc_disk_bench.report.charts import Chart, Missing, Table
from hpc_disk_bench.report.markup import escape, tag

FENCE = "```"
PAPER = 16  # columns that a printed sheet has room for
ON_PAPER = (
    "{} rows of {} columns do not fit on paper. They are in the file that this was printed from,"
    " and in the table that it was made of."
)


def show(*parts):
    """Print each of `parts`: a Chart, a Table, a Missing, or a string of markup."""
    for part in parts:
        if part is None:
            continue
        print(f"\n{FENCE}{{=html}}\n{render(part)}\n{FENCE}\n")


def render(part):
    """The markup of one part."""
    if isinstance(part, Chart):
        return chart(part)
    if isinstance(part, Table):
        return table(part)
    if isinstance(part, Missing):
        return missing(part)
    return part


def chart(part):
    """A figure: its title, the place where report.js draws it, its data as JSON, its caption."""
    texts = {}
    spec = {
        "data": [_shared(trace, texts) for trace in _traces(part.figure)],
        "texts": list(texts),
        "layout": _without_template(part.figure.layout.to_plotly_json()),
        "height": part.height,
        "narrow": part.narrow and _without_template(part.narrow),
        "narrowHeight": part.narrow_height,
        "derive": part.derive,
    }
    name = escape(part.name)
    return tag(
        "figure",
        tag("p", escape(part.title), class_="hdb-title"),
        tag("div", _place(part), class_="hdb-plotbox"),
        f'<script type="application/json" class="hdb-spec" data-for="plot-{name}">',
        embedded(spec),
        "</script>",
        tag("noscript", "The figure needs JavaScript; its numbers are in the tables."),
        tag("figcaption", _sentence(part.caption)),
        class_="hdb-figure" if part.derive else "hdb-figure hdb-unfiltered",
        id=f"figure-{part.name}",
    )


def _place(part):
    """Where the figure is drawn; its height is kept free, so that nothing moves when it is."""
    least = f";min-width:{part.min_width}px" if part.min_width else ""
    return tag(
        "div",
        id=f"plot-{part.name}",
        class_="plotly-graph-div hdb-plot",
        style=f"height:{part.height}px{least}",
        role="img",
        aria_label=part.alt,
    )


def table(part):
    """A table that reads without script; report.js adds sorting, search, pages and CSV export."""
    head = [
        tag("th", escape(c.title), scope="col", class_="hdb-number" if c.numeric else None,
            data_derive=c.derive and json.dumps(c.derive))
        for c in part.columns
    ]  # fmt: skip
    rows = []
    for k in range(part.rows):
        cells = [_cell(column, k) for column in part.columns]
        muted = bool(part.muted) and part.muted[k]
        rows.append(
            tag(
                "tr",
                *cells,
                class_="hdb-muted" if muted else None,
                data_runs=_behind(part, k),
                data_of=part.of and part.of[k],
                hidden="" if k >= part.page else None,
            )
        )
    body = tag(
        "table",
        tag("thead", tag("tr", *head)),
        tag("tbody", "\n".join(rows)),
        class_="hdb-table hdb-wrap" if part.wrap else "hdb-table",
        data_page=part.page,
        data_search="yes" if part.searched else None,
        data_name=part.name,
        data_used=part.used if part.runs else None,
        aria_labelledby=f"title-{part.name}",
    )
    too_wide = len(part.columns) > PAPER
    return tag(
        "div",
        tag("p", escape(part.title), class_="hdb-title", id=f"title-{part.name}"),
        tag("div", body, class_="hdb-scroll", tabindex="0", role="region",
            aria_labelledby=f"title-{part.name}"),
        tag("p", _sentence(part.caption), class_="hdb-caption"),
        tag("p", escape(ON_PAPER.format(part.rows, len(part.columns))), class_="hdb-paper")
        if too_wide else "",
        class_=" ".join(
            ["hdb-tablebox", *["hdb-toowide"] * too_wide, *["hdb-unfiltered"] * (part.runs is None)]
        ),
        id=f"table-{part.name}",
    )  # fmt: skip


def _behind(part, k):
    """The runs behind a row, as the page reads them: "4", "0 7 12" or "*"."""
    if part.runs is None:
        return None
    runs = part.runs[k]
    return " ".join(map(str, runs)) if isinstance(runs, list) else str(runs)


def missing(part):
    return tag(
        "div",
        tag("p", escape(part.title), class_="hdb-title"),
        tag("p", escape(part.sentence)),
        class_="hdb-missing",
    )


def embedded(value):
    """`value` as JSON that can stand in a script element and in a fence of backticks."""
    text = json.dumps(value, default=_plain, allow_nan=False, separators=(",", ":"))
    for sign in "<>&`\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _cell(column, k):
    value = column.values[k]
    shown = column.show[k] if column.show is not None else exported(value)
    raw = exported(value)
    written = shown if column.html else escape(shown)
    return tag(
        "td",
        written,
        class_="hdb-number" if column.numeric else "hdb-long" if column.wide else None,
        data_v=raw if column.html or raw != shown else None,
    )


def _sentence(text):
    """Escaped, and no line ends between a number and its %."""
    return escape(text).replace(" %", "&nbsp;%")


def exported(value):
    """A value as it is sorted and exported: all its digits, nothing for what is missing."""
    if value is None or value is pd.NaT:
        return ""
    if isinstance(value, float):
        value = float(value)  # a float of numpy writes its type as well
        return "" if value != value else str(int(value)) if value.is_integer() else repr(value)
    return str(value)


def _traces(figure):
    return [trace.to_plotly_json() for trace in figure.data]


def _shared(value, texts):
    """`value` with lists of texts as {"t": numbers of `texts`}: a run's words stand in many."""
    if isinstance(value, dict):
        return {key: _shared(item, texts) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        if len(value) > 1 and all(isinstance(item, str) for item in value):
            return {"t": [texts.setdefault(item, len(texts)) for item in value]}
        return [_shared(item, texts) for item in value]
    return value


def _without_template(layout):
    return {key: value for key, value in layout.items() if key != "template"}


def _plain(value):
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value)} in a figure")
