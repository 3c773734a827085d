"""Node by storage, HDD against SSD, and how long the phases took."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go

from hpc_disk_bench.phases import BY_NAME, SCORED
from hpc_disk_bench.report import panels, statistics, style, text, tidy, units
from hpc_disk_bench.report.charts import Chart, Missing

MOST_NODES = 60
STONEWALL = 300  # seconds that the rules of IO500 ask of each write phase
REACH = (("local", "local", "circle"), ("networked", "networked", "diamond"))


def heatmap(runs):
    """The median score of each node on each storage."""
    title = "Median score of each node on each storage"
    usable = runs[runs["score_total"] > 0]
    if usable.empty:
        return text.no_scores(runs, title)
    storages, cut = tidy.rows(usable.reset_index())
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


def device_factors(runs):
    """SSD over HDD for each phase, for local and for networked storage: one row each."""
    counting = tidy.phases(runs[runs["counts"]])
    found = []
    for phase in SCORED:
        part = counting[counting["phase"] == phase.name]
        for reach, _, _ in REACH:
            side = part[part["networked"] == (reach == "networked")]
            ssd, hdd = (
                side.loc[side["device_type"].str.lower() == d, "value"] for d in ("ssd", "hdd")
            )
            if len(ssd) and len(hdd):
                found.append((phase, reach, statistics.ratio(ssd, hdd), len(ssd), len(hdd)))
    return found


def device_comparison(runs):
    """How many times faster SSDs are than HDDs, operation by operation."""
    title = "SSD against HDD: factor of the medians for each operation (SSD / HDD)"
    factors = device_factors(runs)
    if not factors:
        return _no_devices(runs, title)
    names = [phase.name for phase in SCORED if phase.name in {f[0].name for f in factors}]
    place = {name: len(names) - 1 - k for k, name in enumerate(names)}
    figure = go.Figure()
    reaches = [reach for reach in REACH if reach[0] in {f[1] for f in factors}]
    for k, (reach, name, marker) in enumerate(reaches):
        rows = [f for f in factors if f[1] == reach]
        shift = 0.14 * (1 - 2 * k) if len(reaches) > 1 else 0
        figure.add_trace(_factors(rows, name, marker, place, shift))
    every = [v for f in factors for v in (f[2].median, f[2].low, f[2].high)]
    axis = style.axis_for(every, "times as fast as HDD", include=(1,), log=True)
    figure.update_layout(
        xaxis=axis,
        yaxis={"tickvals": list(place.values()), "ticktext": list(place), "fixedrange": True,
               "range": [-0.8, len(names) - 0.2]},
        shapes=[{"type": "line", "x0": 1, "x1": 1, "yref": "paper", "y0": 0, "y1": 1,
                 "layer": "below", "line": {"width": 2, "color": style.INK[0]}}],
        showlegend=True,
        margin={"t": 36, "l": 10, "r": 16, "b": 48},
    )  # fmt: skip
    return Chart(
        "device-comparison",
        title,
        figure,
        "Right of the line at 1 the SSD is faster. Bars are 95 % intervals, drawn where both"
        " sides have 3 runs or more; one that crosses the line is noise. Runs that count only."
        " The devices sit in different nodes and servers, so the factor is theirs"
        f" too.{tidy.notes(tidy.phases(runs[runs['counts']]))}",
        _device_alt(factors),
        100 + 40 * len(names),
    )


def _factors(rows, name, marker, place, shift):
    spreads = [f[2] for f in rows]
    return go.Scatter(
        mode="markers+text",
        name=name,
        x=panels.rounded([s.median for s in spreads]),
        y=[place[f[0].name] + shift for f in rows],
        text=[units.factor(s.median) for s in spreads],
        textposition="top center",
        textfont={"size": 10, "color": style.MUTED[0]},
        customdata=[
            f"{f[0].name}, {name}: {units.factor(f[2].median)}<br>"
            f"{units.count(f[3], 'SSD run')}, {units.count(f[4], 'HDD run')}"
            for f in rows
        ],
        hovertemplate="%{customdata}<extra></extra>",
        marker={"symbol": marker, "size": 11, "color": style.INK[0]},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": panels.rounded(np.nan_to_num([s.high - s.median for s in spreads])),
            "arrayminus": panels.rounded(np.nan_to_num([s.median - s.low for s in spreads])),
            "thickness": 2,
            "width": 0,
            "color": style.MUTED[0],
        },
        meta="factors",
    )


def _no_devices(runs, title):
    if runs.empty:
        return text.no_runs(title)
    if not runs["counts"].any():
        return text.none_count(title, "factor between devices")
    kinds = sorted({kind.lower() for kind in runs.loc[runs["counts"], "device_type"] if kind})
    return Missing(
        title,
        "HDD and SSD cannot be compared: the runs that count are on"
        f" {' and '.join(kinds) or 'no named device'} only, or the two are not both local or both"
        " networked. Benchmark the other device type with ./io500_wrapper.sh CLUSTER NODE"
        " STORAGE hdd|ssd TEST_DIR.",
    )


def _device_alt(factors):
    best, worst = max(factors, key=lambda f: f[2].median), min(factors, key=lambda f: f[2].median)
    return (
        f"Dot plot of SSD over HDD in {len(factors)} comparisons. Largest: {best[0].name}"
        f" {best[1]} with {units.factor(best[2].median)}; smallest: {worst[0].name} {worst[1]}"
        f" with {units.factor(worst[2].median)}."
    )


def phase_times(long):
    """How long each phase took in each run, with the stonewall of the write phases."""
    title = "Duration of each phase (seconds)"
    long = long.assign(value=long["time"], panel="")
    if panels.unusable(long):
        return text.no_phases(long, title, "how long its phases took")
    names = [phase.name for phase in SCORED if phase.name in set(long["phase"])]
    axis = style.axis_for(long["value"], "seconds", include=(STONEWALL,), log=True)
    labels = [f"<b>{n}</b>" if BY_NAME[n].stonewalled else n for n in names]
    drawn = panels.dots(long, [""], names, axis, unit="s", labels=labels, key="phase", columns=1,
                        row_height=34, middles=False)  # fmt: skip
    figure, height, narrow, narrow_height = drawn
    last = max(k for k, n in enumerate(names) if BY_NAME[n].stonewalled) if any(
        BY_NAME[n].stonewalled for n in names) else 0  # fmt: skip
    line = {
        "type": "line",
        "x0": STONEWALL,
        "x1": STONEWALL,
        "y0": len(names) - 1.5 - last,
        "y1": len(names) - 0.5,
        "layer": "below",
        "line": {"width": 2, "color": style.WARNING[0], "dash": "dash"},
    }
    note = {"text": f"stonewall, {STONEWALL} s", "x": math.log10(STONEWALL), "y": len(names) - 0.5,
            "showarrow": False, "yanchor": "bottom", "xanchor": "right",
            "font": {"color": style.WARNING[0], "size": 12}}  # fmt: skip
    figure.update_layout(shapes=[line], annotations=[*figure.layout.annotations, note], margin_t=24)
    narrow["shapes"], narrow["margin"]["t"] = [line], 24
    narrow["annotations"] = [*narrow.get("annotations", []), note]
    short, total = _short(long), long.groupby("run")["time"].sum()
    return Chart(
        "time-by-test",
        title,
        figure,
        "Phases in the order of a run, one dot for each run. The write phases (bold) have to"
        f" last as long as the stonewall, {STONEWALL} s by the rules: left of the dashed line"
        " they are too short and the benchmark calls the run invalid. The others take as long as"
        f" what was written takes to read, stat or delete. {short} A run took"
        f" {units.duration(total.median())} in the median.{panels.hollow_note(long)}",
        f"Dot plot of the durations of {units.count(len(names), 'phase')} in"
        f" {units.count(long['run'].nunique(), 'run')} on a logarithmic axis. {short}",
        height + 24,
        narrow,
        narrow_height + 24,
    )


def _short(long):
    writes = long[long["phase"].map(lambda name: BY_NAME[name].stonewalled)]
    early = writes.loc[writes["value"] < STONEWALL, "run"].nunique()
    return f"{units.count(early, 'run')} had a write phase below {STONEWALL} s.".capitalize()
