"""The record of a run from its directory: each phase's series, its ranks, the nodes' telemetry."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.findings import nodes as telemetry
from hpc_disk_bench.telemetry.columns import FILE as TELEMETRY

SERIES, RANKS = "timeseries.csv", "ranks.csv"
# Calls that a phase makes on its way to what it measures.
ON_THE_WAY = {"getdents", "lstat", "mkdir", "rmdir"}
NEEDED = {
    SERIES: {
        *("phase", "operation", "second", "start_epoch_s", "duration_s"),
        *("ranks", "operations", "bytes"),
    },
    RANKS: {"phase", "rank", "host", "operations", "last_s", "end_s", "stonewall_s"},
}
TEXTS = ["phase", "operation", "host"]
# Without one of these a row says nothing.
KEYS = {SERIES: ["phase", "operation", "second", "duration_s", "operations"], RANKS: ["phase"]}


@dataclass
class Phase:
    """One phase. All arrays have one value an interval; nan where nothing is known."""

    name: str
    operation: str  # the kind that the phase measures
    unit: str  # of rate: "bytes/s" or "1/s"
    epoch: float  # UTC seconds of its zero
    start: np.ndarray  # s from its zero
    duration: np.ndarray  # s
    rate: np.ndarray
    busy: np.ndarray  # ranks that completed an operation
    latency: dict[str, np.ndarray]  # "p50" ... "max": s
    ranks: pd.DataFrame = field(repr=False)  # its rows of ranks.csv, empty where there are none
    nodes: telemetry.Nodes = field(repr=False)  # the telemetry of its time

    @property
    def whole(self):
        """The part in which all ranks were at work, as a slice; what comes after is the tail."""
        full = np.flatnonzero(self.busy >= self.busy.max(initial=0))
        last = full[-1] + 1 if len(full) else 0
        # The last interval ends somewhere within its second.
        if last == len(self.rate) and last and self.duration[-1] < 0.5 * self.duration.max():
            last -= 1
        return slice(0, last)


def read_run(run, on_damage=lambda text: None):
    """The Phases of a run in their order, [] where it kept no record.

    on_damage(text) hears of a file in which not every line could be read. UserError where a file of
    the record cannot be understood.
    """
    run = Path(run)
    series = _table(run, SERIES, on_damage)
    if series is None:
        return []
    ranks, nodes = _table(run, RANKS, on_damage), telemetry.read_nodes(run / TELEMETRY)
    phases = []
    for name, rows in series.groupby("phase", sort=False):
        measured = rows[~rows["operation"].isin(ON_THE_WAY)]
        measured = measured if len(measured) else rows
        kind = measured.groupby("operation", sort=False)["operations"].sum().idxmax()
        rows = measured[measured["operation"] == kind].sort_values("second")
        phases.append(_phase(str(name), str(kind), rows, ranks, nodes))
    return phases


def _phase(name, kind, rows, ranks, nodes):
    seconds = rows["duration_s"].to_numpy(float)
    moves = name.startswith("ior") and rows["bytes"].sum() > 0
    amount = rows["bytes" if moves else "operations"].to_numpy(float)
    start = rows["second"].to_numpy(float)
    epoch = float(rows["start_epoch_s"].iloc[0] - start[0])
    end = epoch + float(start[-1] + seconds[-1])
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = np.where(seconds > 0, amount / seconds, np.nan)
    return Phase(
        name,
        kind,
        "bytes/s" if moves else "1/s",
        epoch,
        start,
        seconds,
        rate,
        rows["ranks"].to_numpy(float),
        {
            column.removesuffix("_s"): rows[column].to_numpy(float)
            for column in ("p50_s", "p95_s", "p99_s", "p99.9_s", "max_s")
            if column in rows
        },
        pd.DataFrame() if ranks is None else ranks[ranks["phase"] == name],
        nodes.within(epoch, end + 1),
    )


def _table(run, name, on_damage):
    """A file of the record as a table with its lines' numbers as index, or None where there is
    none."""
    path = run / name
    try:
        heading, *lines = path.read_text("utf-8").split("\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not a table: {error}") from error
    if not heading and not any(lines):
        return None
    missing = NEEDED[name] - set(heading.split(","))
    if missing:
        raise UserError(f"{path}:1: the columns {', '.join(sorted(missing))} are missing")
    # Every line is written whole with its line end: a last one without has lost digits.
    cells, unended = heading.count(","), lines.pop() if lines else ""
    whole = {k: line for k, line in enumerate(lines, start=2) if line.count(",") == cells}
    damaged = {k for k, line in enumerate(lines, start=2) if line and k not in whole}
    damaged |= {len(lines) + 2} if unended else set()
    text = io.StringIO("\n".join([heading, *whole.values(), ""]))
    try:
        table = pd.read_csv(text, quoting=csv.QUOTE_NONE)
    except pd.errors.ParserError as error:
        raise UserError(f"{path}: not a table: {error}") from error
    table.index = list(whole)
    for column in table.columns.difference(TEXTS):
        numbers = pd.to_numeric(table[column], errors="coerce")
        damaged.update(table.index[numbers.isna() & table[column].notna()])
        table[column] = numbers.where(np.isfinite(numbers))
    known = table[KEYS[name]].notna().all(axis=1)
    damaged.update(table.index[~known])
    if damaged:
        more = f" and {len(damaged) - 1} more" if len(damaged) > 1 else ""
        on_damage(f"{path}:{min(damaged)}: damaged line{more}: what cannot be read is left out")
    return table[known]
