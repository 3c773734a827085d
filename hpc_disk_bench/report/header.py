"""The head of the page: styles, plotly.js and report.js, in a file that the document includes.

The document names the file under include-in-header, so that plotly.js is in the page once and goes
through no Markdown. It comes from the installed plotly package and is therefore not in the
repository: the first cell writes it. Both renderers read included files after the cells have run.
"""

from __future__ import annotations

import json
from pathlib import Path

from hpc_disk_bench.files import write_text
from hpc_disk_bench.report import style

# In the order in which they need each other.
SCRIPTS = (
    "statistics.js",
    "runs.js",
    "rows.js",
    "derive.js",
    "cells.js",
    "tables.js",
    "data.js",
    "figures.js",
    "groups.js",
    "inside_lines.js",
    "inside_figures.js",
    "inside_histograms.js",
    "inside_ranks.js",
    "inside.js",
)
# Rows beyond the first page of a table are hidden at first, for a page of 1,000 runs to open soon.
WITHOUT_SCRIPT = (
    "<noscript><style>table.hdb-table tr[hidden] { display: table-row; }</style></noscript>"
)
ASSETS = Path(__file__).parent / "assets"
HEADER = Path(".report/header.html")  # below the document, as io500_analysis.qmd names it


def write(path=HEADER):
    """Write the header file, unless it is already what would be written."""
    path = Path(path)
    text = header()
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return path
    path.parent.mkdir(exist_ok=True)
    # The directory keeps itself out of git, wherever the document is rendered.
    write_text(path.parent / ".gitignore", "*\n")
    write_text(path, text)
    return path


def header():
    """The markup that the page's head needs, in the order in which the browser needs it."""
    from plotly.offline import get_plotlyjs

    settings = {
        "pairs": style.THEME_PAIRS,
        "template": style.template(),
        "muted": style.MUTED[0],
        "tickSteps": [steps for _, steps in style.TICK_STEPS],
    }
    scripts = [asset("theme.js"), get_plotlyjs(), f"window.HDB = {json.dumps(settings)};"]
    scripts += [asset(name) for name in SCRIPTS]
    styles = f"<style>\n{asset('report.css')}</style>\n{WITHOUT_SCRIPT}\n"
    return styles + "".join(f"<script>\n{script}\n</script>\n" for script in scripts)


def asset(name):
    return (ASSETS / name).read_text(encoding="utf-8")
