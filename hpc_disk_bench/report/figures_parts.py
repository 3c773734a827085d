"""The score taken apart: each storage in the 12 phases, against the fleet's median."""

from __future__ import annotations

import plotly.graph_objects as go

from hpc_disk_bench.phases import SCORED
from hpc_disk_bench.report import panels, style, text, tidy, units
from hpc_disk_bench.report.charts import Chart

MOST_STORAGES = 14  # so many markers a row can carry


def score_parts(runs):
    """Each storage's median in the 12 phases of the score, over that of the whole fleet."""
    title = "The 12 parts of the score: each storage's median over that of all runs (factor)"
    if runs.empty:
        return text.no_runs(title)
    counting = runs[runs["counts"]]
    if counting.empty:
        return text.none_count(title, "score to take apart")
    columns = [f"{phase.column}_value" for phase in SCORED]
    medians = counting.groupby("storage")[columns].median() / counting[columns].median()
    rows, _, _ = tidy.rows(counting.reset_index())
    shown, cut = rows[:MOST_STORAGES], ""
    if len(rows) > MOST_STORAGES:
        cut = f" Shown are the {MOST_STORAGES} best storages by score, of {len(rows)}."
    shifts = {name: _shift(k, len(shown)) for k, name in enumerate(shown)}
    figure = go.Figure()
    for storage in shown:
        looks = counting[counting["storage"] == storage].iloc[0]
        figure.add_trace(_parts(storage, medians.loc[storage], shifts[storage], looks, counting))
    legend_rows = -(-len(shown) // 4)
    figure.update_layout(
        xaxis=style.axis_for(
            medians.loc[shown].to_numpy(), "times the fleet's median", include=(1,), log=True
        ),
        yaxis={
            "tickvals": list(range(len(SCORED))),
            "ticktext": [phase.name for phase in reversed(SCORED)],
            "range": [-0.6, len(SCORED) - 0.4],
            "fixedrange": True,
        },
        shapes=[{"type": "line", "x0": 1, "x1": 1, "yref": "paper", "y0": 0, "y1": 1,
                 "layer": "below", "line": {"width": 2, "color": style.INK[0]}}],
        showlegend=True,
        margin={"t": 20 + 22 * legend_rows, "l": 10, "r": 16, "b": 48},
    )  # fmt: skip
    return Chart(
        "score-parts",
        title,
        figure,
        "A storage right of the line at 1 is faster in that phase than the fleet's median run. What"
        " lies far left is what costs its score most: all 12 enter with their logarithm. Runs"
        f" that count only.{cut}{tidy.notes(counting.reset_index())}",
        f"Dot plot of 12 phases by {units.count(len(shown), 'storage')} as factors of the fleet's"
        " median.",
        110 + 34 * len(SCORED) + 22 * legend_rows,
        derive={"kind": "parts", "columns": columns, "shifts": shifts},
    )


def _shift(k, n):
    return round(0.3 - 0.6 * k / (n - 1), 3) if n > 1 else 0


def _parts(storage, factors, shift, looks, counting):
    n = int((counting["storage"] == storage).sum())
    known = [k for k, value in enumerate(factors) if value > 0]
    return go.Scatter(
        mode="markers",
        name=storage,
        x=panels.rounded([factors.iloc[k] for k in known]),
        y=[len(SCORED) - 1 - k + shift for k in known],
        customdata=[f"{style.label(storage, 60)}, {units.count(n, 'run')}"] * len(known),
        hovertemplate=f"%{{customdata}}: {units.TIMES}%{{x:.3g}}<extra></extra>",
        marker={
            "size": 10,
            "color": looks["colour"],
            "symbol": looks["marker"],
            "line": {"width": 1, "color": style.BACKGROUND[0]},
        },
        meta="storage",
    )
