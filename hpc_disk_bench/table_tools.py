"""The second table of a results tree: one row for each operation of each tool run kept in it.

It is made anew each time, beside the table of runs, which knows nothing of it. Directories of tool
outputs (tools/tree.py) are few, and their tool_results.json has everything.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from hpc_disk_bench.table_columns import IDENTITY, NUMBER, RUN_COLUMNS, TEXT, TRUTH, Column
from hpc_disk_bench.table_console import count, shown
from hpc_disk_bench.table_csv import plain
from hpc_disk_bench.table_records import COPY
from hpc_disk_bench.table_rows import Fields, Files, Skipped, text
from hpc_disk_bench.tree import TOOL_METADATA, TOOL_RESULTS

_WHERE = ("storage_type", "storage_volume", "device_type", "timestamp")


def _columns(source, rows):
    return tuple(Column(name, kind, unit, source, meaning) for name, kind, unit, meaning in rows)


TARGET_COLUMNS = tuple(
    column._replace(source=TOOL_METADATA)
    for column in (*IDENTITY, *(one for one in RUN_COLUMNS if one.name in _WHERE))
)
PLACE = Column("run_dir", TEXT, "", "", "directory of the outputs below the results root")
OF_THE_CALL = _columns(
    TOOL_RESULTS,
    (
        ("file", TEXT, "", "the output in that directory"),
        ("tool", TEXT, "", "ior, mdtest, stream, pfind or mdworkbench"),
        ("version", TEXT, "", "version that the tool prints"),
        ("engine", TEXT, "", "embedded or upstream"),
        ("command", TEXT, "", "command line, as the tool prints it"),
        ("test", NUMBER, "", "which test of one call, from 0; an ior script has several"),
        ("started", TEXT, "local time", "start of the test"),
        ("finished", TEXT, "local time", "end of the call"),
        ("num_procs", NUMBER, "", "MPI ranks"),
        ("node_count", NUMBER, "", "nodes that took part"),
    ),
)
OPTIONS = _columns(
    TOOL_RESULTS,
    (
        ("api", TEXT, "", "POSIX, MPIIO ..."),
        ("direct_io", TRUTH, "", "whether past the page cache"),
        ("access", TEXT, "", "file-per-process or single-shared-file"),
        ("order", TEXT, "", "sequential or random"),
        ("transfer_bytes", NUMBER, "B", "one transfer"),
        ("block_bytes", NUMBER, "B", "what a rank moves in one piece"),
        ("total_bytes", NUMBER, "B", "what all ranks move"),
        ("items", NUMBER, "", "files and directories of an iteration"),
        ("path", TEXT, "", "file or directory that was tested"),
    ),
)
STATE = Column("state", TEXT, "", TOOL_RESULTS, "complete, invalid or partial (it ended early)")
OF_THE_OPERATION = _columns(
    TOOL_RESULTS,
    (
        ("operation", TEXT, "", "in the tool's words: write, File creation ..."),
        ("metric", TEXT, "", "bandwidth, naive sum (of the ranks' bandwidths), rate or time"),
        ("unit", TEXT, "", "GiB/s, kIOPS or s"),
        ("count", NUMBER, "", "iterations behind the figures"),
        ("max", NUMBER, "see `unit`", "highest of the iterations"),
        ("min", NUMBER, "see `unit`", "lowest"),
        ("mean", NUMBER, "see `unit`", "mean"),
        ("stddev", NUMBER, "see `unit`", "standard deviation, as the tool computes it"),
        ("time", NUMBER, "s", "mean time of an iteration"),
    ),
)
ITERATIONS = _columns(
    TOOL_RESULTS,
    (
        ("iterations", TEXT, "see `unit`", "the figure of each, by `; `, where the tool tells it"),
        ("valid", TRUTH, "", "whether it counts: all done, all right, not ended early"),
        ("reasons", TEXT, "", "why it does not count, by `; `"),
    ),
)
COLUMNS = (
    *TARGET_COLUMNS,
    PLACE,
    *OF_THE_CALL,
    *OPTIONS,
    STATE,
    *OF_THE_OPERATION,
    *ITERATIONS,
)
_TARGET = Fields(TARGET_COLUMNS, TOOL_METADATA)
_CALL = Fields(OF_THE_CALL, TOOL_RESULTS)
_OPTIONS = Fields(OPTIONS, TOOL_RESULTS)
_OPERATION = Fields(OF_THE_OPERATION, TOOL_RESULTS)


def path_beside(output):
    """Where the table of tools stands that belongs to the table of runs at `output`."""
    output = Path(output)
    stem = output.stem.removesuffix("_long")
    stem = stem.replace("results", "tools") if "results" in stem else f"{stem}_tools"
    return output.with_name(stem + output.suffix)


def read(root, places):
    """(rows, said, amiss) of the directories `places` below `root`.

    rows: values of COLUMNS, sorted like the runs; said: lines for the console; amiss: those of them
    that tell of a loss.
    """
    found, said, amiss, files = {}, [], [], Files()
    for place in places:
        directory, notes = f"{root}/{place}", []
        try:
            metadata = files.read(f"{directory}/{TOOL_METADATA}")
            results = files.read(f"{directory}/{TOOL_RESULTS}")
        except Skipped as error:
            amiss.append(f"Skipping {place}: {error}: reprocess_all_results.sh makes it anew")
            said.append(amiss[-1])
            continue
        target = _TARGET.values(metadata, notes)
        outputs = metadata.get("files")
        sums = sorted(map(str, outputs.values())) if isinstance(outputs, dict) else [place]
        identity = (*target, *sums)
        if identity in found:
            said.append(f"Skipping {place}: {COPY}{found[identity][0]}, which counts")
            continue
        rows = [row for run in _objects(results.get("runs")) for row in _rows(run, notes)]
        found[identity] = place, target, rows
        tools = Counter(text(run.get("tool")) or "?" for run in _objects(results.get("runs")))
        told = ", ".join(f"{tool}" if n == 1 else f"{n} {tool}" for tool, n in tools.items())
        said.append(f"Loaded: {place} ({told})")
        odd = [f"Note on {place}: {note}" for note in dict.fromkeys(notes)]
        said, amiss = said + odd, amiss + odd
    order = sorted(found.values(), key=lambda one: ([text(x) or "" for x in one[1]], one[0]))
    rows = [[*target, place, *row] for place, target, rows in order for row in rows]
    return rows, said, amiss


def _rows(run, notes):
    call = _CALL.values(run, notes)
    options = _OPTIONS.values(_object(run.get("options")), notes)
    state = text(run.get("state"))
    for one in _objects(run.get("operations")):
        values = [row.get("value") for row in _objects(one.get("iterations"))]
        told = text(["" if value is None else str(value) for value in values]) or None
        valid = one.get("valid") is True and state != "partial"
        why = text(one.get("reasons")) or ("ended early" if state == "partial" else None)
        yield [*call, *options, state, *_OPERATION.values(one, notes), told, valid, why]


def content(rows):
    """The table as CSV, in pieces of bytes."""
    return plain(COLUMNS, rows)


def heard(rows, output):
    """The line that says what the table holds."""
    place = [column.name for column in COLUMNS].index
    calls = {
        tuple(row[place(key)] for key in ("run_dir", "file", "test", "started")) for row in rows
    }
    operations = count(len(rows), "row", "rows")
    runs = count(len(calls), "tool run", "tool runs")
    return f" {runs} with {operations} written to: {shown(output)}"


def _object(value):
    return value if isinstance(value, dict) else {}


def _objects(value):
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
