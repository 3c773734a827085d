"""Which runs the section offers, within the bytes that it may take, and its markup."""

from __future__ import annotations

import json

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.findings.series import SERIES
from hpc_disk_bench.report import run_files, style, text, units
from hpc_disk_bench.report.charts import Missing
from hpc_disk_bench.report.emit import embedded
from hpc_disk_bench.report.inside import record
from hpc_disk_bench.report.markup import escape, tag

TITLE = "The course of each phase of a run"
MOST_RUNS = 20
MOST_BYTES = 2_000_000  # of all runs together
VALUE = 6  # bytes that one takes, about
POINTS = (300, 150, 75, 40)  # a phase and series, the first that fits
MOST_FILE = 1 << 26  # bytes of a record: the engine's own stays far below
COLOURS = {
    "ink": style.INK[0],
    "muted": style.MUTED[0],
    "grid": style.GRID[0],
    "band": style.BAND[0],
    "background": style.BACKGROUND[0],
    "warning": style.WARNING[0],
    "heat": [light for light, _ in style.HEAT],
}


def section(runs):
    """The place that assets/inside.js fills, with its data; a sentence without any record."""
    if runs.empty:
        return text.no_runs(TITLE)
    records, left_out, unread = _records(runs)
    if not records:
        reason = f" {unread[0]}." if unread else ""
        return Missing(
            TITLE,
            "No run of the table has the second-by-second record within reach. The embedded engine"
            f" writes it ({SERIES} in the run's directory), upstream's does not. Render the report"
            " where the results tree is, or name it:"
            f" IO500_RESULTS_DIR=/path/to/io500_results make report.{reason}",
        )
    shown, points = _fitting(records)
    note = _note(runs, shown, left_out + len(records) - len(shown), unread, points)
    content = {"colours": COLOURS, "runs": [_described(runs, run, made) for run, made in shown]}
    return tag(
        "div",
        tag("p", escape(TITLE), class_="hdb-title"),
        tag("div", id="hdb-inside"),
        tag("noscript", tag("p", "Choosing a run needs JavaScript; ./inspect_run.py does not.")),
        tag("p", escape(note), class_="hdb-caption"),
        f'<script type="application/json" id="hdb-inside-data">{embedded(content)}</script>',
        class_="hdb-tablebox",
        id="table-inside",
    )  # fmt: skip


def _records(runs):
    """([(run, Record)] newest first, how many more runs have one, why some cannot be read)."""
    found, left_out, unread = [], 0, []
    directories = run_files.directories(runs)
    order = runs.loc[list(directories)].sort_values("started", ascending=False, kind="stable")
    for run in order.index:
        series = directories[run] / SERIES
        if not series.is_file():
            continue
        if len(found) == MOST_RUNS:
            left_out += 1
            continue
        try:
            if series.stat().st_size > MOST_FILE:
                raise UserError(f"{series}: too large to be read ({units.size(MOST_FILE)} at most)")
            one = record.read(directories[run])
        except UserError as error:
            unread.append(str(error))
            continue
        if one:
            found.append((run, one))
    return found, left_out, unread


def _fitting(records):
    """([(run, coded record)], points a series): as fine as all fit, at last the newest alone."""
    for points in POINTS:
        if VALUE * sum(record.weight(one, points) for _, one in records) <= MOST_BYTES:
            break
    made, used = [], 0
    for run, one in records:
        coded = record.coded(one, points)
        used += len(json.dumps(coded, separators=(",", ":")))
        if made and used > MOST_BYTES:
            break
        made.append((run, coded))
    return made, points


def _described(runs, run, made):
    row = runs.loc[run]
    started = row["started"]
    return {
        "run": int(run),
        "started": f"{started:%Y-%m-%d %H:%M:%S}" if started == started else "",
        "state": "suspect" if row["counts"] and row["suspect"] else row["state"],
        "counts": int(row["counts"]),
        "why": row["why"] or row["suspect"],
        "colour": row["colour"],
        **made,
    }


def _note(runs, shown, left_out, unread, points):
    """What is shown and what is not."""
    parts = [
        f"{units.count(len(shown), 'run')} of {len(runs)} with a record within reach"
        + (f", the newest; {left_out} older ones are left out, which ./inspect_run.py reads."
           if left_out else ".")
    ]  # fmt: skip
    parts.append(
        f"A phase is drawn by {points} points at most: where it has more seconds, the line is the"
        " median of neighbouring ones and the band spans their lowest and highest; of latencies the"
        " worst 99th percentile is shown. The findings are made of all seconds."
    )
    if unread:
        parts.append(f"{units.count(len(unread), 'record')} could not be read: {unread[0]}.")
    return " ".join(parts)
