"""The score: a ranking of what was measured, and the two halves that a score is made of."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from hpc_disk_bench.comparison import statistics
from hpc_disk_bench.report import panels, style, text, tidy, units
from hpc_disk_bench.report.charts import Chart

MOST_TARGETS = 40
KINDS = ("", " (suspect)", " (not valid: not ranked)")  # of runs; those of one look alike
ISO_SCORES = [m * 10.0**p for p in range(-6, 7) for m in (1, 3)]


def ranking(runs):
    """Every target (node and storage) by its median score; invalid ones below, hatched."""
    title = "Score of each node and storage (root of GiB/s times kIOPS)"
    long = tidy.scores(runs, {"score_total": ""})
    if panels.unusable(long):
        return text.no_scores(runs, title)
    ranked, rest = _targets(long)
    rows = [*ranked, *rest]
    shown = min(len(rows), MOST_TARGETS)
    labels = [style.label(row, 42) for row in rows]
    axis = style.axis_for(long["value"], "score")
    drawn = panels.dots(
        long, [""], rows, axis, labels=labels, key="target", columns=1, shown=shown, ranks=True
    )
    cut = (
        f" Shown are {shown} of {len(rows)}; the table above has all." if shown < len(rows) else ""
    )
    return Chart(
        "score-ranking",
        title,
        drawn.figure,
        f"Further right is better. {panels.HOW_TO_READ} Numbers before the names are ranks."
        f"{panels.dots_note(long)}{cut}{tidy.notes(long)}",
        _ranking_alt(long, ranked, rest),
        **drawn.rest,
    )


def _targets(long):
    """The targets that can be ranked, best first, and the others."""
    counting = long[long["counts"].astype(bool)].groupby("target")["value"].median()
    ranked = list(counting.sort_values(ascending=False, kind="stable").index)
    others = long[~long["target"].isin(ranked)].groupby("target")["value"].median()
    return ranked, list(others.sort_values(ascending=False, kind="stable").index)


def _ranking_alt(long, ranked, rest):
    alt = f"Dot plot of the scores of {units.count(len(ranked) + len(rest), 'target')}."
    if ranked:
        values = long[long["counts"].astype(bool)].groupby("target")["value"].median()
        best, worst = values[ranked[0]], values[ranked[-1]]
        alt += f" Best: {ranked[0]} with {units.number(best)};"
        alt += f" last: {ranked[-1]} with {units.number(worst)}."
    if rest:
        alt += f" {len(rest)} not ranked, because no run of them is valid."
    return alt


def halves(runs):
    """Bandwidth against metadata score: runs of equal score can be good at opposite work."""
    title = "The two halves of the score: bandwidth (GiB/s) and metadata (kIOPS)"
    usable = runs[(runs["score_bandwidth"] > 0) & (runs["score_iops"] > 0)]
    if usable.empty:
        return text.no_scores(runs, title)
    xaxis = style.axis_for(usable["score_bandwidth"], "bandwidth score, GiB/s", log=True)
    yaxis = style.axis_for(usable["score_iops"], "metadata score, kIOPS", log=True)
    figure = go.Figure(_iso_lines(xaxis["range"], yaxis["range"]))
    base = usable.reset_index()
    base["hover"] = [tidy.hover(row) for row in base.to_dict("records")]
    order = base.sort_values("place", kind="stable").groupby("storage", sort=False)
    for storage, group in order:
        # One entry in the legend for each storage, filled where it has a run that counts.
        kinds = np.select([~group["counts"].astype(bool), group["suspect"] != ""], [2, 1], 0)
        for k, (kind, part) in enumerate(group.groupby(kinds, sort=True)):
            cloud = _cloud(style.label(storage), KINDS[kind], part)
            figure.add_trace(cloud.update(showlegend=k == 0))
    legend_rows = -(-len(order) // 4)
    figure.update_layout(
        xaxis=xaxis,
        yaxis={**yaxis, "gridcolor": style.GRID[0]},
        showlegend=True,
        margin={"t": 20 + 22 * legend_rows, "l": 60, "b": 50, "r": 16},
    )
    return Chart(
        "score-halves",
        title,
        figure,
        "Up is better for many small files, right for large ones. Along a dotted line the score"
        " is the same: two runs on one line are equal in score and may be opposite in"
        f" use.{panels.dots_note(base)}{tidy.notes(base)}",
        _halves_alt(base),
        440 + 22 * legend_rows,
        derive={"kind": "points"},
    )


def _cloud(storage, kind, part):
    return go.Scatter(
        mode="markers",
        x=panels.rounded(part["score_bandwidth"]),
        y=panels.rounded(part["score_iops"]),
        ids=[f"{run}/score" for run in part["run"]],
        name=storage + kind,
        legendgroup=storage,
        customdata=np.column_stack([part["hover"], part["score_total"].map(units.number)]).tolist(),
        hovertemplate=(
            "%{customdata[0]}<br>bandwidth %{x:.4g} GiB/s, metadata %{y:.4g} kIOPS"
            "<br>score %{customdata[1]}<extra></extra>"
        ),
        marker={
            "opacity": 0.85,
            "color": part["colour"].iloc[0],
            **panels.dots_of(part, 10),
        },
        meta="runs",
    )


def _iso_lines(xrange, yrange):
    """Lines of equal score through the visible plane, each with its score at its upper end."""
    xs, ys, names = [], [], []
    for score in ISO_SCORES:
        total = 2 * np.log10(score)  # log x + log y along the line
        left, right = max(xrange[0], total - yrange[1]), min(xrange[1], total - yrange[0])
        if left < right:
            xs += [10**left, 10**right, None]
            ys += [10 ** (total - left), 10 ** (total - right), None]
            names += [f"score {units.number(score, 1)}", "", None]
    return go.Scatter(
        mode="lines+text",
        x=xs,
        y=ys,
        text=names,
        textposition="bottom right",
        textfont={"size": 10, "color": style.MUTED[0]},
        line={"width": 1, "dash": "dot", "color": style.HATCH[0]},
        hoverinfo="skip",
        showlegend=False,
        meta="equal scores",
    )


def _halves_alt(base):
    ratio = statistics.spread(base["score_iops"] / base["score_bandwidth"])
    return (
        f"Scatter plot of {units.count(len(base), 'run')}: bandwidth score against metadata score,"
        f" with lines of equal score. The median run has {units.number(ratio.median)} kIOPS per"
        " GiB/s."
    )
