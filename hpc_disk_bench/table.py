"""aggregate_results.py: a results tree to one table, one row per run."""

from __future__ import annotations

import gc
import hashlib
import os
import sys

from hpc_disk_bench import table_placement, table_tools
from hpc_disk_bench.commandline import Parser, output_file, require_directory
from hpc_disk_bench.errors import DONE, UserError
from hpc_disk_bench.files import beside, remove_parts
from hpc_disk_bench.table_cache import Cache
from hpc_disk_bench.table_console import Console, shown, summary
from hpc_disk_bench.table_csv import Long, Wide
from hpc_disk_bench.table_records import read
from hpc_disk_bench.table_rows import Files, stamp
from hpc_disk_bench.table_scan import RUN_METADATA, scan

OUTPUTS = {
    (Wide, False): "aggregated_results.csv",
    (Long, False): "aggregated_results_long.csv",
    (Wide, True): "aggregated_results.parquet",
    (Long, True): "aggregated_results_long.parquet",
}
EPILOG = """\
IO500_RESULTS_DIR names the results root where none is given (default: ./io500_results).
docs/columns.md explains every column, docs/placement.md what --placement says. The table appears
whole or not at all. What did not change since the last time is not read again: the results root
keeps .aggregate-cache-..., which may be removed at any time.
With --quiet only that is printed which somebody can mend: runs that are left out of the table and
why, files that were not understood, nodes without node_metadata.json. It is silent about runs that
do not count: they have rows that say so.
Exit code: 0 written, 2 wrong arguments or nothing to aggregate, 130 interrupted.
"""


def main(argv):
    options = _options(argv)
    root, output, form = options.results_root, options.output, options.form
    _check(root)
    place = output_file(output)
    remove_parts(place)
    # Records hold no cycles: looking for some in ten thousand of them took a third of the time.
    gc.disable()
    console = Console(root, options.quiet)
    console.heading(output)
    cache = Cache(root, form, not options.no_cache)
    try:
        told = _table(options, place, cache, console)
    finally:
        cache.abandon()
    console.closing(told, output)
    _write_tools(options, told.tools, console)
    if options.placement:
        table_placement.tell(options.placed)
    return DONE


def _table(options, place, cache, console):
    """Write the table to `place` and return the Summary of the tree."""
    root, form = options.results_root, options.form
    kept = cache.unchanged()
    if kept:
        stands = not options.altered and _digest_of(place) == kept.table
        content = () if stands else kept.content(form)
        if content is not None:
            console.found(kept.summary.found)
            console.runs(kept.summary)
            if not stands:
                _write(place, options, content)
            return kept.summary
    cache.begin()
    told, table, seen = _gather(root, form, cache, console)
    content = [*form.lines(table.records)]
    digest = _digest(content)
    if options.altered or _digest_of(place) != digest:
        _write(place, options, content)
    if table.runs:
        cache.finish(seen, table, told, digest)
    return told


def _write_tools(options, places, console):
    """Write the table of tool outputs beside that of runs, where there are some or it is there."""
    output = table_tools.path_beside(options.output)
    if not places and not output.exists():
        return
    rows, *told = table_tools.read(options.results_root, places)
    place, content = output_file(output), [*table_tools.content(rows)]
    remove_parts(place)
    if options.parquet or _digest_of(place) != _digest(content):
        _put(place, output, content, table_tools.COLUMNS, options.parquet)
    console.tools(*told, table_tools.heard(rows, output))


def _gather(root, form, cache, console):
    """(Summary, Table, stamps of all that was looked into by path) of a tree."""
    seen = {}

    def looked_into(path, status):
        seen[path] = stamp(status)
        console.scanning(len(seen))

    found = scan(root, looked_into)
    if not found.runs and not found.tools:
        console.skipped(found.skipped)
        raise UserError(f"{shown(root)}: no run below it (a directory with {RUN_METADATA})")
    console.found(len(found.runs))
    table = read(found, form, lambda run: cache.record(run, seen), Files(seen), console.reading)
    told = summary(len(found.runs), table, found.tools)
    console.runs(told)
    if not table.runs and not found.tools:
        raise UserError(f"{shown(root)}: none of its {len(found.runs)} runs has results")
    return told, table, seen


def _write(place, options, content):
    columns = options.form.columns()
    if options.placement:
        content, options.placed = table_placement.with_columns(content)
        columns = [*columns, *table_placement.COLUMNS]
    _put(place, options.output, content, columns, options.parquet)


def _put(place, output, content, columns, as_parquet):
    """Write a table in CSV, in pieces of bytes, to `place`, which the user calls `output`."""
    if as_parquet:
        from hpc_disk_bench import table_parquet

        content = [table_parquet.from_csv(b"".join(content), columns)]
    try:
        with beside(place) as file:
            file.writelines(content)
    except OSError as error:
        raise UserError(f"{shown(output)}: cannot be written: {error.strerror}") from error


def _digest_of(place):
    """The digest of the table that stands at `place`, or None."""
    try:
        with open(place, "rb") as file:
            return _digest(iter(lambda: file.read(1 << 20), b""))
    except OSError:
        return None


def _digest(pieces):
    digest = hashlib.blake2b(digest_size=16)
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def _options(argv):
    description = "Gathers all runs of a results tree into one table (CSV), one row per run."
    parser = Parser("aggregate_results.py", description, EPILOG)
    root = os.environ.get("IO500_RESULTS_DIR") or "io500_results"
    parser.add_argument("results_root", nargs="?", default=root, help="the results tree")
    default = f"the table to write (default: {OUTPUTS[Wide, False]})"
    parser.add_argument("output", nargs="?", help=default)
    parser.add_argument(
        "--long",
        dest="form",
        action="store_const",
        const=Long,
        default=Wide,
        help=f"write one row per run, phase and metric (default output: {OUTPUTS[Long, False]})",
    )
    parser.add_argument(
        "--parquet",
        action="store_true",
        help=f"write Parquet instead of CSV (default output: {OUTPUTS[Wide, True]})",
    )
    parser.add_argument(
        "--placement",
        action="store_true",
        help="say where each run stands among published ones, also in columns placement_...",
    )
    parser.add_argument("--no-cache", action="store_true", help="read every file, keep no cache")
    parser.add_argument("-q", "--quiet", action="store_true", help="print only what can be mended")
    options = parser.parse_args(argv)
    if options.placement and options.form is Long:
        raise UserError("--placement adds columns to the wide table: leave --long away")
    # Whether what is written is not the plain table, whose digest the cache knows.
    options.altered = options.parquet or options.placement
    options.output = options.output or OUTPUTS[options.form, options.parquet]
    return options


def _check(root):
    require_directory(
        root,
        "no such directory: name the results tree, or run ./io500_wrapper.sh to make one",
        "not a directory: name the root of a results tree",
        shown(root) or "results root",
    )
    # A name of any bytes may have to be shown; what this terminal lacks is shown as an escape.
    sys.stdout.reconfigure(errors="backslashreplace")
