"""Where a run stands among published IO500 runs, and its phases among its peers in the same table.

Functions of rows alone: a row is a mapping from the columns of the wide table to text or values (a
csv.DictReader gives such rows, and DataFrame.to_dict("records")). docs/placement.md says what the
figures mean and what they do not.
"""

from __future__ import annotations

import csv
import math
import os
from bisect import bisect_left, bisect_right
from collections import defaultdict
from functools import cache
from typing import NamedTuple

from hpc_disk_bench.phases import SCORED

SOURCE = os.path.join(os.path.dirname(__file__), "data", "published_scores.csv")
MEASURES = ("bandwidth", "iops", "total")
BASES = ("", "_per_node", "_per_process")
ALL = "all published"
# A percentile among fewer says next to nothing.
FEWEST_OF_A_KIND, FEWEST_PEERS = 10, 5
# What a mount or the user calls a file system, and how the published table does.
KINDS = {
    "lustre": "Lustre",
    "daos": "DAOS",
    "dfuse": "DAOS",
    "fuse.daos": "DAOS",
    "gpfs": "Spectrum/Storage Scale",
    "beegfs": "BeeGFS",
    "ceph": "CephFS",
    "cephfs": "CephFS",
    "fuse.ceph": "CephFS",
    "weka": "WekaIO",
    "wekafs": "WekaIO",
    "vast": "VAST",
    "gekkofs": "GekkoFS",
}
PEERS = ("storage_type", "device_type", "engine", "engine_version")


class Published(NamedTuple):
    """One published run. nodes, procs: None where they are not known."""

    kind: str
    date: str
    nodes: int | None
    procs: int | None
    bandwidth: float  # GiB/s
    iops: float  # kIOPS
    total: float


class Placement(NamedTuple):
    """Percentiles, 0 to 100 (50 is the middle), or None where they cannot be said."""

    kind: str  # of the published runs it was compared with
    runs: int  # how many these are
    scores: dict[str, float | None]  # measure + basis, as bandwidth_per_node
    peers: int  # runs of the same table that the phases were compared with
    phases: dict[str, float | None]  # by the phase's column, as ior_easy_write


@cache
def published(path=SOURCE):
    """The published runs, by date."""
    with open(path, encoding="utf-8", newline="") as file:
        return tuple(
            Published(
                row["storage_type"],
                row["run_date"],
                int(row["client_nodes"]) if row["client_nodes"] else None,
                int(row["procs"]) if row["procs"] else None,
                *(float(row[measure]) for measure in MEASURES),
            )
            for row in csv.DictReader(file)
        )


def percentile(value, among):
    """The share of the sorted figures `among` that are below value, ties by half, in per cent."""
    below, to = bisect_left(among, value), bisect_right(among, value)
    return round(100 * (below + to) / 2 / len(among), 1)


def placements(rows, reference=None):
    """For each row a Placement, or None for a run that does not count.

    reference: the Published runs to compare with, if not those of `published`.
    """
    rows = list(rows)
    figures = _Figures(published() if reference is None else reference)
    peers = defaultdict(list)
    for row in rows:
        if counts(row):
            peers[_peers(row)].append(row)
    fleets = {key: _Fleet(members) for key, members in peers.items()}
    return [_placement(row, figures, fleets[_peers(row)]) if counts(row) else None for row in rows]


def counts(row):
    """Whether a run may be compared: complete and valid, with a figure above 0 in each phase.

    Some versions leave phases of value 0 out of the score, which makes it better than it is.
    """
    return (
        row.get("state") == "complete"
        and str(row.get("score_valid")) == "True"
        and all((_number(row, f"{phase.column}_value") or 0) > 0 for phase in SCORED)
        and all(_number(row, f"score_{measure}") is not None for measure in MEASURES)
    )


def _placement(row, figures, fleet):
    kind = figures.kind(row)
    scores = {}
    for basis, divisor in zip(BASES, (1, _number(row, "node_count"), _number(row, "num_procs"))):
        for measure in MEASURES:
            among = figures.of(kind, measure, basis)
            known = divisor and among
            value = _number(row, f"score_{measure}") / divisor if known else None
            scores[measure + basis] = percentile(value, among) if known else None
    phases = dict.fromkeys((phase.column for phase in SCORED), None)
    if fleet.size >= FEWEST_PEERS:
        for column in phases:
            phases[column] = percentile(_number(row, f"{column}_value"), fleet.of(column))
    return Placement(kind, figures.count(kind), scores, fleet.size, phases)


class _Figures:
    """Sorted figures of published runs by kind, measure and basis."""

    def __init__(self, reference):
        self._runs = {ALL: list(reference)}
        for run in reference:
            self._runs.setdefault(run.kind, []).append(run)
        self._known = {}

    def kind(self, row):
        for column in ("storage_filesystem", "storage_type"):
            kind = KINDS.get(str(row.get(column)).lower())
            if kind and self.count(kind) >= FEWEST_OF_A_KIND:
                return kind
        return ALL

    def count(self, kind):
        return len(self._runs.get(kind, ()))

    def of(self, kind, measure, basis):
        key = kind, measure, basis
        if key not in self._known:
            figures = []
            for run in self._runs.get(kind, ()):
                divisor = {"": 1, "_per_node": run.nodes, "_per_process": run.procs}[basis]
                if divisor:
                    figures.append(getattr(run, measure) / divisor)
            self._known[key] = sorted(figures)
        return self._known[key]


class _Fleet:
    """Sorted rates of runs that may be compared with each other, by phase."""

    def __init__(self, rows):
        self._rows = rows
        self.size = len(rows)
        self._known = {}

    def of(self, column):
        if column not in self._known:
            rates = sorted(_number(row, f"{column}_value") for row in self._rows)
            self._known[column] = rates
        return self._known[column]


def _peers(row):
    return tuple(str(row.get(column)) for column in PEERS)


def _number(row, column):
    """A finite number, or None."""
    try:
        number = float(row.get(column))
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
