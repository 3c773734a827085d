"""Node by storage: where which score was reached, and what was never measured."""

from __future__ import annotations

import math

import plotly.graph_objects as go

from hpc_disk_bench.report import style, text, tidy, units
from hpc_disk_bench.report.charts import Chart

MOST_NODES = 60


def heatmap(runs):
    """The median score of each node on each storage."""
    title = "Median score of each node on each storage"
    usable = runs[runs["score_total"] > 0]
    if usable.empty:
        return text.no_scores(runs, title)
    storages, shown, cut = tidy.rows(usable.reset_index())
    order, storages = storages, storages[:shown]
    usable = usable[usable["storage"].isin(storages)]
    nodes = sorted(usable["node"].unique())
    if len(nodes) > MOST_NODES:
        cut += f" Shown are the {MOST_NODES} nodes with the most runs, of {len(nodes)}."
        nodes = sorted(usable["node"].value_counts().head(MOST_NODES).index)
        usable = usable[usable["node"].isin(nodes)]
    cells = _cells(usable, nodes, storages)
    figure = go.Figure([_heat(cells, nodes, storages), _crosses(cells, storages)])
    labels = [style.label(storage, 24) for storage in storages]
    figure.update_layout(
        xaxis={"tickvals": list(range(len(storages))), "ticktext": labels, "side": "top",
               "showgrid": False, "tickangle": -30 if len(storages) > 4 else 0,
               "range": [-0.5, len(storages) - 0.5], "fixedrange": True},
        yaxis={"tickvals": list(range(len(nodes))), "ticktext": [style.label(n, 30) for n in nodes],
               "showgrid": False, "range": [len(nodes) - 0.5, -0.5], "fixedrange": True},
        margin={"t": 70 if len(storages) > 4 else 30, "b": 20, "l": 10, "r": 10},
    )  # fmt: skip
    crossed = " Hatched cells: no run counts, not ranked." if any(not c[4] for c in cells) else ""
    return Chart(
        "cluster-heatmap",
        title,
        figure,
        "Darker (in the dark theme: brighter) is a higher score, on a logarithmic scale; the"
        " number is the median of the runs that count. Empty cells were never measured: they are"
        f" what to benchmark next.{crossed}{cut}{tidy.notes(usable.reset_index())}",
        _heat_alt(cells, nodes, storages),
        (100 if len(storages) > 4 else 60) + max(30 * len(nodes), 44),
        min_width=130 + 56 * len(storages),
        derive={"kind": "heat", "storages": order},
    )


def _cells(usable, nodes, storages):
    """(row, column, score, runs, counts) of each cell that was measured."""
    cells = []
    for (node, storage), group in usable.groupby(["node", "storage"], sort=True):
        counting = group[group["counts"]]
        used = counting if len(counting) else group
        score = float(used["score_total"].median())
        cells.append(
            (nodes.index(node), storages.index(storage), score, len(used), len(counting) > 0)
        )
    return cells


def _heat(cells, nodes, storages):
    scores = [[None] * len(storages) for _ in nodes]
    texts = [[""] * len(storages) for _ in nodes]
    hover = [[""] * len(storages) for _ in nodes]
    for row, column, score, n, counts in cells:
        words = f"{style.label(nodes[row], 60)} · {style.label(storages[column], 60)}<br>score"
        words += f" {units.number(score)}, {units.count(n, 'run')}"
        hover[row][column] = words if counts else f"{words}<br><b>not valid: not ranked</b>"
        texts[row][column] = units.number(score) if counts else ""
        scores[row][column] = round(math.log10(score), 5) if counts else None
    found = [s for line in scores for s in line if s is not None]
    low, high = (min(found), max(found)) if found else (0, 1)
    # One value has no scale: it takes the middle of the colours.
    low, high = (low - 0.5, high + 0.5) if high - low < 1e-9 else (low, high)
    return go.Heatmap(
        z=scores,
        zmin=low,
        zmax=high,
        text=texts,
        texttemplate="%{text}",
        customdata=hover,
        hovertemplate="%{customdata}<extra></extra>",
        hoverongaps=False,
        xgap=2,
        ygap=2,
        colorscale=[[k / (len(style.HEAT) - 1), pair[0]] for k, pair in enumerate(style.HEAT)],
        showscale=False,
        meta="scores",
    )


def _crosses(cells, storages):
    """Hatched cells with their value for what was measured and does not count."""
    hollow = [cell for cell in cells if not cell[4]]
    return go.Bar(
        x=[column for _, column, *_ in hollow],
        base=[row - 0.45 for row, *_ in hollow],
        y=[0.9] * len(hollow),
        width=0.96,
        text=[f"{units.number(score)}<br>not ranked" for _, _, score, *_ in hollow],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        textfont={"color": style.MUTED[0], "size": 11},
        constraintext="none",
        hoverinfo="skip",
        marker={
            "color": "rgba(0,0,0,0)",
            "line": {"width": 1, "color": style.HATCH[0]},
            "pattern": {"shape": "/", "size": 8, "solidity": 0.1, "fgcolor": style.HATCH[0],
                        "bgcolor": "rgba(0,0,0,0)", "fillmode": "overlay"},
        },
        meta="not ranked",
    )  # fmt: skip


def _heat_alt(cells, nodes, storages):
    ranked = [cell for cell in cells if cell[4]]
    alt = (
        f"Table of scores, {units.count(len(nodes), 'node')} by"
        f" {units.count(len(storages), 'storage')}, {len(cells)} of {len(nodes) * len(storages)}"
        " measured."
    )
    if not ranked:
        return f"{alt} No run counts, so none is ranked."
    best = max(ranked, key=lambda cell: cell[2])
    return f"{alt} Highest: {nodes[best[0]]} on {storages[best[1]]} with {units.number(best[2])}."
