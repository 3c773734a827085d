"""The renderer's command line."""

from __future__ import annotations

import stat
from pathlib import Path

from hpc_disk_bench.commandline import Parser, mode_of, output_file, say
from hpc_disk_bench.errors import DONE, UserError
from hpc_disk_bench.files import write_text
from hpc_disk_bench.render import document, execute
from hpc_disk_bench.render.page import page

EPILOG = """\
The page is one file that fetches nothing. It appears whole or not at all.
IO500_TABLE names the table for the document's cells, as --table does.
Exit code: 0 written, 1 a cell failed, 2 wrong arguments, document or table, 130 interrupted.
"""


def main(argv):
    options = _options(argv)
    output = options.output or options.document.with_suffix(".html")
    place = output_file(output)
    mode = mode_of(options.table) if options.table else None
    if options.table and not stat.S_ISREG(mode or 0):
        none = "no such table; make it with ./aggregate_results.py"
        there = stat.S_ISDIR(mode or 0)
        raise UserError(f"{options.table}: {'a directory, not a table' if there else none}")
    source = document.read(options.document)
    html = page(source, execute.run(source, options.table, say))
    try:
        write_text(place, html)
    except OSError as error:
        raise UserError(f"{output}: cannot be written: {error.strerror}") from error
    say(f"\nOutput created: {output}")
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
