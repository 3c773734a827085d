"""Sentences that several parts of the report share, above all those in place of missing data."""

from __future__ import annotations

from hpc_disk_bench.report import units
from hpc_disk_bench.report.charts import Missing

RUN = "./io500_wrapper.sh CLUSTER NODE STORAGE DEVICE TEST_DIR"
AGGREGATE = "./aggregate_results.py"


def no_runs(title):
    return Missing(
        title,
        f"The table has no runs. Make one with {RUN}, then {AGGREGATE} and render the report"
        " again.",
    )


def no_scores(runs, title):
    if runs.empty:
        return no_runs(title)
    return Missing(
        title,
        f"None of the {units.count(len(runs), 'run')} has a score: they failed, were interrupted"
        " or still run. The first section says why each; status.json in a run's directory has"
        " the evidence.",
    )


def no_phases(runs, title, what):
    if runs.empty:
        return no_runs(title)
    return Missing(
        title,
        f"No run in the table has measured {what}. A run that completes does; a partial one stops"
        " before.",
    )


def none_count(title, what):
    """For what is made from valid runs alone, where there are none."""
    return Missing(
        title,
        f"No run counts, so there is no {what}. A run counts when all its scored phases are"
        " measured and the benchmark calls it valid: its write phases last as long as"
        " stonewall-time asks, 300 s. The configurations in configs/, other than the quick one,"
        " are made for that.",
    )


def none_networked(runs, title):
    if runs.empty:
        return no_runs(title)
    return Missing(
        title,
        "No run is on networked storage (a storage other than local). Benchmark one with"
        " ./io500_wrapper.sh CLUSTER NODE nfs hdd TEST_DIR VOLUME to see it here.",
    )
