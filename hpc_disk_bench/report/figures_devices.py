"""HDD against SSD: the factor between them, operation by operation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from hpc_disk_bench.comparison import statistics
from hpc_disk_bench.phases import SCORED
from hpc_disk_bench.report import panels, style, text, tidy, units
from hpc_disk_bench.report.charts import Chart, Missing

MARKERS = {"local": "circle", "networked": "diamond"}


class Factor(NamedTuple):
    """SSD over HDD in one phase, on local or on networked storage."""

    phase: str
    reach: str
    ratio: statistics.Spread
    ssd_runs: int
    hdd_runs: int


def device_factors(runs):
    """The Factors of all phases for which there are both devices, of the runs that count."""
    counting = tidy.phases(runs[runs["counts"]])
    found = []
    for phase in SCORED:
        part = counting[counting["phase"] == phase.name]
        for reach in MARKERS:
            side = part[part["networked"] == (reach == "networked")]
            ssd, hdd = (
                side.loc[side["device_type"].str.lower() == d, "value"] for d in ("ssd", "hdd")
            )
            if len(ssd) and len(hdd):
                ratio = statistics.ratio(ssd, hdd)
                found.append(Factor(phase.name, reach, ratio, len(ssd), len(hdd)))
    return found


def device_comparison(runs):
    """How many times faster SSDs are than HDDs, operation by operation."""
    title = "SSD against HDD: factor of the medians for each operation (SSD / HDD)"
    factors = device_factors(runs)
    if not factors:
        return _no_devices(runs, title)
    names = [phase.name for phase in SCORED if phase.name in {f.phase for f in factors}]
    place = {name: len(names) - 1 - k for k, name in enumerate(names)}
    figure = go.Figure()
    reaches = [reach for reach in MARKERS if reach in {f.reach for f in factors}]
    for k, reach in enumerate(reaches):
        shift = 0.14 * (1 - 2 * k) if len(reaches) > 1 else 0
        figure.add_trace(_factors([f for f in factors if f.reach == reach], place, shift))
    every = [value for f in factors for value in f.ratio[1:]]
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
        derive={"kind": "factors", "phases": [[name, place[name]] for name in names]},
    )


def _factors(factors, place, shift):
    """The points of local or of networked storage, moved by `shift` of a row."""
    spreads = [f.ratio for f in factors]
    reach = factors[0].reach
    return go.Scatter(
        mode="markers+text",
        name=reach,
        x=panels.rounded([s.median for s in spreads]),
        y=[place[f.phase] + shift for f in factors],
        text=[units.factor(s.median) for s in spreads],
        textposition="top center",
        textfont={"size": 10, "color": style.MUTED[0]},
        customdata=[
            f"{f.phase}, {reach}: {units.factor(f.ratio.median)}<br>"
            f"{units.count(f.ssd_runs, 'SSD run')}, {units.count(f.hdd_runs, 'HDD run')}"
            for f in factors
        ],
        hovertemplate="%{customdata}<extra></extra>",
        marker={"symbol": MARKERS[reach], "size": 11, "color": style.INK[0]},
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
    ordered = sorted(factors, key=lambda f: f.ratio.median)
    least, most = ordered[0], ordered[-1]
    return (
        f"Dot plot of SSD over HDD in {units.count(len(factors), 'comparison')}. Largest:"
        f" {most.phase} {most.reach} with {units.factor(most.ratio.median)}; smallest:"
        f" {least.phase} {least.reach} with {units.factor(least.ratio.median)}."
    )
