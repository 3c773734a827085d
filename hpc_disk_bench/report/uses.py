"""What storage is used for, and the one figure each use is judged by."""

from __future__ import annotations

from typing import NamedTuple

from hpc_disk_bench.comparison import statistics
from hpc_disk_bench.phases import BANDWIDTH

CLEARLY_BETTER = 1.2  # the factor from which one storage is called better than another


class Use(NamedTuple):
    name: str
    column: str  # of the runs
    unit: str
    judged_by: str


LARGE, SHARED, MANY = (
    Use("large files", "use_large", "GiB/s", "mean of ior-easy write and read"),
    Use(
        "files that many ranks share in small pieces",
        "use_shared",
        "GiB/s",
        "mean of ior-hard write and read",
    ),
    Use("many small files and metadata", "use_many", "kIOPS", "metadata score"),
)
USES = (LARGE, SHARED, MANY)


class Leader(NamedTuple):
    """The best storage for a use and the next one, by their medians; "" where there is none."""

    first: str
    second: str
    medians: object  # of all storages, the best first
    values: object  # of each storage, by its name
    ratio: statistics.Spread  # of the first to the second
    runs: object  # those of the two, a frame


def leader(runs, use):
    """Which storage leads in this use, and by how much."""
    values = {name: part.dropna() for name, part in runs.groupby("storage")[use.column]}
    medians = {name: part.median() for name, part in values.items() if len(part)}
    order = sorted(medians, key=lambda name: -medians[name])
    first, second = (*order[:2], "", "")[:2]
    ratio = statistics.ratio(values.get(first, []), values.get(second, []))
    both = runs[runs["storage"].isin(order[:2])]
    return Leader(first, second, {name: medians[name] for name in order}, values, ratio, both)


def add(runs):
    """Add the column of each use to `runs`: of write and read the geometric mean."""
    runs[LARGE.column] = _mean(runs, "easy")
    runs[SHARED.column] = _mean(runs, "hard")
    runs[MANY.column] = runs["score_iops"].where(runs["score_iops"] > 0)
    return runs


def _mean(runs, difficulty):
    names = [f"{phase.column}_value" for phase in BANDWIDTH if phase.difficulty == difficulty]
    return runs[names].apply(statistics.geometric_mean, axis=1).astype(float)
