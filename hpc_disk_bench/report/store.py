"""The runs as the page's scripts need them, in one compact JSON: names, numbers, what counts.

Figures and tables name the runs behind them by number; what the reader's filter leaves is computed
again from here (assets/runs.js, derive.js, tables.js).
"""

from __future__ import annotations

import math

from hpc_disk_bench.comparison.differences import FIELDS
from hpc_disk_bench.comparison.groups import MEASURES
from hpc_disk_bench.phases import BANDWIDTH
from hpc_disk_bench.report import uses
from hpc_disk_bench.report.emit import embedded, exported

NAMES = {  # what the page calls a column of the runs
    "cluster": "cluster_name",
    "node": "node",
    "type": "storage_type",
    "volume": "storage_volume",
    "device": "device_type",
    "engine": "made_by",
    "storage": "storage",
    "target": "target",
    "state": "state",
    "failure": "failure",
}


def store(runs):
    """The script element with all `runs`; nothing where there are none."""
    if runs.empty:
        return None
    content = {
        "names": {name: _coded(runs[column]) for name, column in NAMES.items()},
        "day": [f"{s:%Y-%m-%d}" if s == s else "" for s in runs["started"]],
        "counts": [int(counts) for counts in runs["counts"]],
        "networked": [int(networked) for networked in runs["networked"]],
        "numbers": {name: _numbers(values) for name, values in numbers(runs).items()},
        "measures": [[m.name, m.column, m.unit] for m in MEASURES],
        "fields": [
            [field.title, field.kind, _coded(runs[field.column].map(exported))]
            for field in FIELDS
            if field.column in runs.columns
        ],
    }
    return f'<script type="application/json" id="hdb-runs">{embedded(content)}</script>'


def numbers(runs):
    """The figures of each run that the page computes with, by name."""
    found = {measure.column: runs[measure.column] for measure in MEASURES}
    for phase in BANDWIDTH:
        if phase.difficulty == "easy":
            found[share(phase)] = 100 * runs[f"{phase.column}_value"] / runs["wire"]
    for use in uses.USES:
        found[use.column] = runs[use.column]
    return found


def share(phase):
    """The name of the number that is a phase's share of the line rate, in per cent."""
    return f"{phase.column}_share"


def _coded(values):
    """Texts as {"values": the different ones, "of": which one each run has}."""
    known = {}
    of = [known.setdefault(str(value), len(known)) for value in values]
    return {"values": list(known), "of": of}


def _numbers(values):
    return [None if not math.isfinite(value) else value for value in map(float, values)]
