"""aggregate_results.py: a results tree to one table, one row per run."""

from __future__ import annotations

import gc
import os
import sys
from dataclasses import dataclass, field

from hpc_disk_bench import table_csv
from hpc_disk_bench.commandline import Parser, output_file
from hpc_disk_bench.errors import DONE, UserError
from hpc_disk_bench.files import write_bytes
from hpc_disk_bench.table_console import Console, shown
from hpc_disk_bench.table_rows import NodeMetadata, Row, Skipped, read_row
from hpc_disk_bench.table_scan import RUN_METADATA, scan

WIDE_OUTPUT, LONG_OUTPUT = "aggregated_results.csv", "aggregated_results_long.csv"
EPILOG = """\
IO500_RESULTS_DIR names the results root where none is given (default: ./io500_results).
docs/columns.md explains every column. The table appears whole or not at all.
Exit code: 0 written, 2 wrong arguments or nothing to aggregate, 130 interrupted.
"""


@dataclass(slots=True)
class Table:
    """What a tree gave: rows in their order, and what gave none, as (place below the root, why)."""

    rows: list[Row] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


def main(argv):
    options = _options(argv)
    root, output = options.results_root, options.output
    _check(root)
    place = output_file(output)
    # Rows hold no cycles: looking for some in ten thousand of them took a third of the time.
    gc.disable()
    console = Console(options.quiet)
    console.heading(root, output)
    found = scan(root)
    if not found.runs:
        console.skipped(found.skipped)
        raise UserError(f"{shown(root)}: no run below it (a directory with {RUN_METADATA})")
    console.found(len(found.runs))
    table = read(found, console.progress)
    console.runs(table)
    if not table.rows:
        raise UserError(f"{shown(root)}: none of its {len(found.runs)} runs has results")
    make = table_csv.long if options.long else table_csv.wide
    try:
        write_bytes(place, b"".join(make(table.rows)))
    except OSError as error:
        raise UserError(f"{shown(output)}: cannot be written: {error.strerror}") from error
    console.closing(table, output)
    return DONE


def read(found, progress=lambda done, total: None):
    """Read all runs of a scan into a Table."""
    table = Table(skipped=list(found.skipped))
    nodes = NodeMetadata()
    best = {}
    for done, run in enumerate(found.runs):
        progress(done, len(found.runs))
        try:
            row = read_row(run, nodes)
        except Skipped as error:
            table.skipped.append((run.place, str(error)))
            continue
        other = best.setdefault(row.identity, row)
        if other is not row:
            deeper, copy = (row, other) if row.depth > other.depth else (other, row)
            best[row.identity] = deeper
            table.skipped.append((copy.run_dir, f"a copy of {deeper.run_dir}, which counts"))
    table.rows = sorted(best.values(), key=lambda row: row.order)
    table.notes = nodes.notes + [(row.run_dir, note) for row in table.rows for note in row.notes]
    return table


def _options(argv):
    description = "Gathers all runs of a results tree into one table (CSV), one row per run."
    parser = Parser("aggregate_results.py", description, EPILOG)
    root = os.environ.get("IO500_RESULTS_DIR") or "io500_results"
    parser.add_argument("results_root", nargs="?", default=root, help="the results tree")
    parser.add_argument("output", nargs="?", help=f"the table to write (default: {WIDE_OUTPUT})")
    parser.add_argument(
        "--long",
        action="store_true",
        help=f"write one row per run, phase and metric instead (default output: {LONG_OUTPUT})",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print warnings only")
    options = parser.parse_args(argv)
    options.output = options.output or (LONG_OUTPUT if options.long else WIDE_OUTPUT)
    return options


def _check(root):
    if not root or not os.path.exists(root):
        raise UserError(
            f"{shown(root) or 'results root'}: no such directory: name the results tree, or run "
            "./io500_wrapper.sh to make one"
        )
    if not os.path.isdir(root):
        raise UserError(f"{shown(root)}: not a directory: name the root of a results tree")
    # A name of any bytes may have to be shown; what this terminal lacks is shown as an escape.
    sys.stdout.reconfigure(errors="backslashreplace")
