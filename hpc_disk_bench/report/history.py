"""What changed in time: the levels of each node and storage, and when they changed."""

from __future__ import annotations

from typing import NamedTuple

import plotly.graph_objects as go

from hpc_disk_bench.comparison import changepoints, statistics
from hpc_disk_bench.report import panels, style, text, tidy, units
from hpc_disk_bench.report.charts import Chart, Missing, Table, column
from hpc_disk_bench.report.tables import measure, whole

HALVES = {"score_bandwidth": "bandwidth score, GiB/s", "score_iops": "metadata score, kIOPS"}
LEAST = 2 * statistics.ENOUGH  # runs of a target below which no change can be found


class Change(NamedTuple):
    """A change of one measure of one node and storage; `runs` are all of its runs, by time."""

    target: str
    column: str
    point: changepoints.ChangePoint
    runs: object  # a frame
    start: int  # the stretches before and after are runs[start:point.first], runs[point.first:end]
    end: int

    @property
    def when(self):
        """The first run after the change."""
        return self.runs["started"].iloc[self.point.first]

    @property
    def last(self):
        return self.end == len(self.runs)


def changes(runs):
    """The Changes of all targets, the latest first."""
    found = []
    counting = runs[runs["counts"] & runs["started"].notna()].sort_values("started", kind="stable")
    for target, group in counting.groupby("target", sort=True):
        for name in HALVES:
            points = changepoints.change_points(group[name]) if len(group) >= LEAST else []
            ends = [0, *(point.first for point in points), len(group)]
            for k, point in enumerate(points):
                found.append(Change(target, name, point, group, ends[k], ends[k + 2]))
    return sorted(found, key=lambda change: change.when, reverse=True)


def figure(runs, found):
    """Bandwidth and metadata over time, with the levels of what changed."""
    title = "History: bandwidth (GiB/s) and metadata (kIOPS) score of each run"
    usable = runs[(runs["score_bandwidth"] > 0) & (runs["score_iops"] > 0)]
    if usable.empty:
        return text.no_scores(runs, title)
    usable = usable[usable["started"].notna()].sort_values("started", kind="stable")
    if usable.empty:
        return Missing(title, "No run says when it started (timestamp, YYYY.MM.DD-HH.MM.SS).")
    drawn = go.Figure()
    base = usable.reset_index()
    base["hover"] = [tidy.hover(row) for row in base.to_dict("records")]
    axes = {}
    for k, (name, words) in enumerate(HALVES.items()):
        axes[k] = style.axis_for(base[name], words.split(", ")[1])
        for storage, part in base.groupby("storage", sort=True):
            cloud = _cloud(storage, part, name)
            drawn.add_trace(cloud.update(panels.axes_of(k)).update(showlegend=k == 0))
        for change in found:
            if change.column == name:
                drawn.add_trace(_level(change).update(panels.axes_of(k)))
    rows = -(-base["storage"].nunique() // 4)
    wide, narrow = _layout(axes, rows, 2), _layout(axes, 0, 1)
    drawn.update_layout(wide)
    return Chart(
        "history",
        title,
        drawn,
        "Each dot is a run. A stepped line follows a node and storage whose level changed, at its"
        f" medians before and after. {_how(runs, found)}{panels.dots_note(base)}"
        f"{tidy.notes(base)}",
        f"Scatter plots of {units.count(len(base), 'run')} over time in two panels."
        f" {units.count(len(found), 'change')} of level.",
        460 + 22 * rows,
        go.Layout(narrow).to_plotly_json(),
        780,
        derive={"kind": "history"},
    )


def _how(runs, found):
    longest = runs[runs["counts"]]["target"].value_counts().max() if runs["counts"].any() else 0
    if not longest >= LEAST:
        return (
            f"A change takes {LEAST} runs that count of one node and storage; the most there are"
            f" is {int(longest)}."
        )
    if not found:
        return "No node and storage has changed its level."
    return (
        "A change is called where at most 1 in 100 shuffled histories have one as clear; its"
        " runs are those of all dates and engines, whatever the filter."
    )


def _layout(axes, legend_rows, columns):
    top = 20 + 22 * legend_rows
    layout = {
        "showlegend": bool(legend_rows),
        "legend": {"y": 1.08},
        "margin": {"t": top + 30, "l": 60, "b": 40, "r": 16},
        "annotations": [],
    }
    for k, words in enumerate(HALVES.values()):
        across = (0, 1) if columns == 1 else (0.54 * k, 0.54 * k + 0.46)
        up = (0.55 * (1 - k), 0.55 * (1 - k) + 0.45) if columns == 1 else (0, 1)
        layout[panels.axis_id("xaxis", k)] = {
            "type": "date", "domain": across, "anchor": panels.axis_id("y", k), "nticks": 6,
        }  # fmt: skip
        layout[panels.axis_id("yaxis", k)] = {
            **axes[k], "domain": up, "anchor": panels.axis_id("x", k), "gridcolor": style.GRID[0],
        }  # fmt: skip
        layout["annotations"].append(
            {"name": "panel", "text": f"<b>{words.split(',')[0]}</b>", "showarrow": False,
             "xref": "paper", "yref": "paper", "x": across[0], "y": up[1], "xanchor": "left",
             "yanchor": "bottom"}
        )  # fmt: skip
    return layout


def _cloud(storage, part, name):
    return go.Scatter(
        mode="markers",
        name=style.label(storage),
        legendgroup=style.label(storage),
        x=[f"{started:%Y-%m-%d %H:%M}" for started in part["started"]],
        y=panels.rounded(part[name]),
        ids=[f"{run}/{name}" for run in part["run"]],
        customdata=list(part["hover"]),
        hovertemplate="%{customdata}<br>%{y:.4g}<extra></extra>",
        marker={
            "opacity": 0.8,
            "color": part["colour"].iloc[0],
            **panels.dots_of(part, 8),
        },
        meta="runs",
    )


def _level(change):
    """The line at the median before the change and at that after it."""
    runs, point = change.runs, change.point
    when = [
        runs["started"].iloc[k] for k in (change.start, point.first, point.first, change.end - 1)
    ]
    words = f"{style.label(change.target, 60)}: {said(change)}"
    return go.Scatter(
        mode="lines+markers",
        name=change.target,
        showlegend=False,
        x=[f"{moment:%Y-%m-%d %H:%M}" for moment in when],
        y=panels.rounded([point.before.median] * 2 + [point.after.median] * 2),
        customdata=[words] * 4,
        hovertemplate="%{customdata}<extra></extra>",
        line={"width": 2, "color": style.WARNING[0] if point.ratio.median < 1 else style.INK[0]},
        marker={"size": [1, 9, 9, 1], "symbol": "diamond-tall"},
        meta="level",
    )


def said(change):
    """fell to x0.71 on 2026-02-03"""
    fell = "fell" if change.point.ratio.median < 1 else "rose"
    return f"{fell} to {units.factor(change.point.ratio.median)} on {change.when:%Y-%m-%d}"


def table(runs, found):
    """Every change in numbers; None where there is none."""
    if not found:
        return None
    points = [change.point for change in found]
    verdicts = ["slower" if point.ratio.high < 1 else "faster" for point in points]
    now = ["the level of now" if change.last else "changed again later" for change in found]
    columns = [
        column("first run after it", [f"{change.when:%Y-%m-%d %H:%M}" for change in found]),
        column("node and storage", [change.target for change in found]),
        column("measure", [HALVES[change.column] for change in found]),
        column("", verdicts),
        measure("median before", [point.before.median for point in points]),
        whole("runs before", [point.before.n for point in points]),
        measure("median after", [point.after.median for point in points]),
        whole("runs after", [point.after.n for point in points]),
        measure("factor", [point.ratio.median for point in points], 2),
        column("its 95 % interval", [
            f"{units.number(p.ratio.low, 2)} to {units.number(p.ratio.high, 2)}" for p in points
        ]),
        column("since then", now),
    ]  # fmt: skip
    return Table(
        "changes",
        "Changes of level, the latest first",
        columns,
        f"Of each node and storage with {LEAST} runs or more that count; found by ranks, so that"
        " one outlier is no change. A new engine, configuration or kernel changes levels as well:"
        " compare the runs before and after in the section on two groups.",
        runs=[[int(run) for run in change.runs.index] for change in found],
    )
