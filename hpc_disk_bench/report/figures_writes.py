"""How writing ended: the rate at the stonewall, closing, and ranks that others waited for."""

from __future__ import annotations

import pandas as pd

from hpc_disk_bench.report import panels, run_files, style, text, tidy, units
from hpc_disk_bench.report.charts import Chart, Missing

PANELS = {
    "at_stonewall": ("rate at the stonewall / final rate", "factor"),
    "close": ("closing, slowest rank", "seconds"),
    "slowest": ("slowest rank / median rank", "factor"),
}
LEAST_CLOSE = 0.001  # seconds: less is none


def endings(runs):
    """How the write phases ended, of the runs whose directory is within reach."""
    title = "How writing ended: stonewall, closing (seconds) and slow ranks"
    if runs.empty:
        return text.no_runs(title)
    long = _long(runs)
    if panels.unusable(long):
        return Missing(
            title,
            "The directories of the runs are not within reach, or say nothing of it (result.txt,"
            " ranks.csv, ior-easy-write.csv). Render the report where the results tree is, or name"
            " it: IO500_RESULTS_DIR=/path/to/io500_results make report.",
        )
    names = [phase.name for phase in run_files.WRITES if phase.name in set(long["phase"])]
    titles = [words for words, _ in PANELS.values() if words in set(long["panel"])]
    units_of = dict(PANELS.values())
    axes = []
    for words in titles:
        include = (1,) if units_of[words] == "factor" else ()
        values = long.loc[long["panel"] == words, "value"]
        axes.append(style.axis_for(values, units_of[words], include=include))
    drawn = panels.dots(
        long, titles, names, axes, key="phase", columns=3, row_height=40, ranking=False
    )
    n = long["run"].nunique()
    return Chart(
        "write-endings",
        title,
        drawn.figure,
        "Left: above 1 the storage was faster until the stonewall than over all, so the last part"
        " (a full cache, slow ranks) cost rate. Middle: how long the slowest rank took to close"
        " its files, where what was still in memory went to the storage. Right: the slowest"
        " rank's time over that of the median rank; the others waited for it."
        f" {units.count(n, 'run')} of {len(runs)} had their directory within reach."
        f" {panels.HOW_TO_READ}{panels.dots_note(long)}",
        f"Dot plots of {units.count(n, 'run')} in {units.count(len(titles), 'panel')}, one row for"
        " each write phase.",
        **drawn.rest,
    )


def _long(runs):
    base = runs.reset_index().set_index("run", drop=False)[tidy.KEPT]
    rows = []
    for run, directory in run_files.directories(runs).items():
        found = run_files.endings(directory)
        for phase in (phase for phase in run_files.WRITES if phase.name in found):
            ending, final = found[phase.name], runs.loc[run, f"{phase.column}_value"]
            values = {
                "at_stonewall": ending.at_stonewall / final if final > 0 else float("nan"),
                "close": max(ending.close, LEAST_CLOSE),
                "slowest": ending.slowest,
            }
            rows += [
                {"run": run, "phase": phase.name, "panel": PANELS[name][0], "value": value}
                for name, value in values.items()
            ]
    if not rows:
        return pd.DataFrame(columns=[*tidy.KEPT, "phase", "panel", "value", "hover"])
    long = pd.DataFrame(rows).merge(base.reset_index(drop=True), on="run")
    long = long[long["value"] > 0].reset_index(drop=True)
    long["hover"] = [tidy.hover(row) for row in long.to_dict("records")]
    return long
