"""The renderer's command line."""

from __future__ import annotations

import os
from pathlib import Path

from hpc_disk_bench.errors import DONE, UserError
from hpc_disk_bench.files import write_text
from hpc_disk_bench.options import Parser
from hpc_disk_bench.render import document, execute
from hpc_disk_bench.render.page import page

EPILOG = """\
The page is one file that fetches nothing. It appears whole or not at all.
IO500_TABLE names the table for the document's cells, as --table does.
Exit code: 0 written, 1 a cell failed, 2 wrong arguments or document, 130 interrupted.
"""


def main(argv):
    options = _options(argv)
    output = options.output or options.document.with_suffix(".html")
    _check(options, output)
    source = document.read(options.document)
    html = page(source, execute.run(source, options.table, _say))
    try:
        write_text(output, html)
    except OSError as error:
        raise UserError(f"{output}: cannot be written: {error.strerror}") from error
    _say(f"\nOutput created: {output}")
    return DONE


def _options(argv):
    description = "Runs the cells of a Quarto document and renders it to one HTML file."
    parser = Parser("python -m hpc_disk_bench.render", description, EPILOG)
    parser.add_argument("document", type=Path, metavar="FILE.qmd")
    parser.add_argument(
        "-o", "--output", type=Path, help="the page to write (default: beside the document)"
    )
    parser.add_argument("--table", type=Path, metavar="CSV", help="the table for the cells")
    return parser.parse_args(argv)


def _check(options, output):
    """Refuse before the cells run what would fail after them."""
    if options.table and not options.table.is_file():
        raise UserError(f"{options.table}: no such table; make it with ./aggregate_results.py")
    if output.is_dir():
        raise UserError(f"{output}: is a directory: name the file to write")
    if not os.access(output.parent, os.W_OK):
        raise UserError(f"{output}: {output.parent} is no directory that can be written to")


def _say(text, end="\n"):
    print(text, end=end, flush=True)
