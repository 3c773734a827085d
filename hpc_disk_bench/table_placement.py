"""--placement: further columns of the wide table, and what is said of them."""

from __future__ import annotations

import csv
import io
from collections import Counter

from hpc_disk_bench.commandline import say
from hpc_disk_bench.phases import SCORED
from hpc_disk_bench.placement import BASES, MEASURES, placements, published
from hpc_disk_bench.table_columns import NUMBER, TEXT, Column
from hpc_disk_bench.table_console import count, shown
from hpc_disk_bench.table_csv import unguarded

_PER = {"": "", "_per_node": " per client node", "_per_process": " per process"}
COLUMNS = (
    Column("placement_kind", TEXT, "", "", "published runs it is compared with"),
    Column("placement_runs", NUMBER, "", "", "how many these are"),
    *(
        Column(
            f"placement_{measure}{basis}", NUMBER, "%", "", f"percentile of {measure}{_PER[basis]}"
        )
        for basis in BASES
        for measure in MEASURES
    ),
    Column("placement_peers", NUMBER, "", "", "runs of this table the phases are compared with"),
    *(
        Column(f"placement_{one.column}", NUMBER, "%", "", f"percentile of {one.name} among these")
        for one in SCORED
    ),
)


def with_columns(content):
    """(content, rows): the wide table in CSV with COLUMNS at the end, and (row, Placement or None)
    of each run."""
    text = io.StringIO(b"".join(content).decode(), newline="")
    reader = csv.reader(text)
    names = next(reader)
    cells = [*reader]
    rows = [dict(zip(names, one)) for one in cells]
    placed = placements(rows)
    out = io.StringIO(newline="")
    # As in table_csv: a cell with any sign of a line end is quoted, and lines end with \n.
    writer = csv.writer(_Lines(out), lineterminator="\r\n")
    writer.writerow([*names, *(column.name for column in COLUMNS)])
    for one, placement in zip(cells, placed):
        writer.writerow([*one, *(_cells(placement) if placement else [None] * len(COLUMNS))])
    return [out.getvalue().encode()], [*zip(rows, placed)]


class _Lines:
    def __init__(self, out):
        self._out = out

    def write(self, line):
        self._out.write(line[:-2] + "\n")


def _cells(placement):
    kind, runs, scores, peers, phases = placement
    return [kind, runs, *scores.values(), peers, *phases.values()]


def tell(rows):
    """Print where each run stands; only why, where none has a place."""
    without = [row for row, placement in rows if placement is None]
    if len(without) == len(rows):
        say("", f"Placement: {count(len(rows), 'run', 'runs')}, none has a place: {_why(without)}")
        return
    runs = published()
    dates = f"{min(run.date for run in runs)} to {max(run.date for run in runs)}"
    say(
        "",
        f"Placement among {len(runs)} published IO500 runs, {dates}",
        "   in percentiles: 50 is the middle, 90 is better than nine of ten",
    )
    groups = ("as it is", "per client node", "per process")
    say("   " + "".join(f"{group:^21}" for group in groups).rstrip())
    say("   " + "  total     bw   iops" * len(groups) + "   compared with            run")
    for row, placement in rows:
        if placement is None:
            continue
        figures = [placement.scores[m + basis] for basis in BASES for m in ("total", *MEASURES[:2])]
        line = "".join(f"{'-' if figure is None else figure:>7}" for figure in figures)
        kind = f"{placement.kind} ({placement.runs})"
        say(f"   {line}   {kind:<23}  {shown(unguarded(row['run_dir']))}")
    if without:
        say(f"   {count(len(without), 'run', 'runs')} without a place: {_why(without)}")
    say(
        "   Published runs are self-selected and mostly larger, of many versions: read",
        "   docs/placement.md before you draw conclusions.",
    )


def _why(rows):
    """Of rows without a place: how many are in which state."""
    complete = "complete but for a phase of 0"
    states = Counter(complete if row["state"] == "complete" else row["state"] for row in rows)
    return ", ".join(f"{number} {state}" for state, number in states.most_common()) or "no run"
