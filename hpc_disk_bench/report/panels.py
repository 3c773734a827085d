"""Dot plots in panels with one row per storage: the form that most figures of the report share.

Each panel shows one phase or score. Dots are runs, the upright stroke is the median of those that
count, the bar through it its 95 % interval. All panels share rows and, where units agree, the axis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hpc_disk_bench.comparison import statistics
from hpc_disk_bench.report import style, tidy, units
from hpc_disk_bench.report.grid import axes_of, axis_id, layout

HOW_TO_READ = (
    "Each dot is a run, the upright stroke the median of those that count; the bar through it is"
    " the median's 95 % interval, drawn from 3 runs on."
)
HOLLOW = " Hollow dots are runs that are invalid, partial or failed: shown, not ranked."
PIERCED = " Dots with a hole are suspect runs: ranked; the pointer and the score table say why."


class Drawn(NamedTuple):
    """A figure, and what a Chart of it says besides (height, layout for a phone, how to derive)."""

    figure: go.Figure
    rest: dict


def dots(
    long,
    titles,
    rows,
    axes,
    *,
    columns=2,
    unit="",
    labels=None,
    key="storage",
    row_height=style.ROW,
    ranking=True,
    shown=None,
    ranks=False,
):
    """A figure with a panel per title, Drawn.

    `long` has panel, value, counts, hover, run and the column `key` whose values are the `rows`,
    from top to bottom. `axes`: one axis of style.axis_for for all panels, or one per title. With
    `ranking`, rows that have no place in it say so. The first `shown` rows are in view; the others
    wait below for a reader who filters. With `ranks` a filter puts the rows in a new order.
    """
    axes = axes if isinstance(axes, list) else [axes] * len(titles)
    shown = min(shown or len(rows), len(rows))
    place = {row: shown - 1 - k for k, row in enumerate(rows)}
    long = long[long[key].isin(place) & (long["value"] > 0)]
    figure = go.Figure()
    notes = []
    for k, title in enumerate(titles):
        part = long[long["panel"] == title]
        hatched = hatching([place[row] for row in unranked(part, key)], axes[k])
        for trace in (hatched, _runs(part, place, key, unit), _middles(part, place, key)):
            figure.add_trace(trace.update(axes_of(k)))
        notes += _unranked_notes(part, place, key, axes[k], k) if ranking else []
    labels = labels or [style.label(row) for row in rows]
    ranked = len(set(rows) - set(unranked(long, key))) if ranks else 0
    numbered = [f"{k + 1} · {name}" if k < ranked else name for k, name in enumerate(labels)]
    more = {"kind": "dots", "ranks": ranks, "ranking": ranking, "labels": labels, "shown": shown}
    rest = laid_out(figure, titles, numbered[:shown], axes, columns, notes, row_height, more)
    return Drawn(figure, rest)


def laid_out(figure, titles, labels, axes, columns, notes, row_height=style.ROW, derive=None):
    """Lay `figure` out, and say the rest that a Chart of it needs, for a phone as well."""
    wide, height, grid = layout(titles, labels, axes, columns, notes, row_height)
    narrow, narrow_height, narrow_grid = layout(
        titles, labels, axes, 1, notes, row_height, narrow=True
    )
    figure.update_layout(wide, barmode="overlay")
    return {
        "height": height,
        "narrow": go.Layout(narrow, barmode="overlay").to_plotly_json(),
        "narrow_height": narrow_height,
        "derive": {**(derive or {}), "grid": grid, "narrowGrid": narrow_grid},
    }


def _runs(part, place, key, unit):
    return go.Scatter(
        mode="markers",
        x=rounded(part["value"]),
        y=rounded(part[key].map(place).to_numpy(dtype=float) + tidy.jitter(part[key])),
        # Plotly draws one point per id: a run with several phases in one trace needs several ids.
        ids=[f"{run}/{phase}" for run, phase in zip(part["run"], part["phase"], strict=True)],
        customdata=list(part["hover"]),
        hovertemplate=f"%{{customdata}}<br>%{{x:.4g}} {unit}<extra></extra>",
        marker={
            "opacity": 0.9,
            "color": list(part["colour"]),
            **dots_of(part, 10),
        },
        meta="runs",
    )


def _middles(part, place, key):
    """The medians of the runs that count, with their intervals."""
    found = []
    for row, group in part[part["counts"].astype(bool)].groupby(key, sort=False):
        spread = statistics.spread(group["value"])
        if spread.n > 1:
            colours = set(group["colour"])
            colour = colours.pop() if len(colours) == 1 else style.INK[0]
            found.append((place[row], colour, spread))
    spreads = [spread for _, _, spread in found]
    return go.Scatter(
        mode="markers",
        x=rounded([spread.median for spread in spreads]),
        y=[row for row, _, _ in found],
        customdata=[_spread_text(spread) for spread in spreads],
        hovertemplate="%{customdata}<extra></extra>",
        marker={
            "symbol": "line-ns",
            "size": 17,
            "line": {"width": 3, "color": [colour for _, colour, _ in found]},
        },
        error_x={
            "type": "data",
            "symmetric": False,
            "array": rounded(np.nan_to_num([s.high - s.median for s in spreads])),
            "arrayminus": rounded(np.nan_to_num([s.median - s.low for s in spreads])),
            "thickness": 2,
            "width": 0,
            "color": style.MUTED[0],
        },
        meta="medians",
    )


def unranked(part, key):
    """The rows none of whose runs counts, with the word for it: {row: "invalid: not ranked"}."""
    found = {}
    none_counts = ~part["counts"].astype(bool).groupby(part[key], sort=False).any()
    for row in none_counts.index[none_counts]:
        states = set(part.loc[part[key] == row, "state"])
        found[row] = tidy.not_ranked(states.pop() if len(states) == 1 else "not valid")
    return found


def hatching(bands, axis):
    """A hatched band behind the rows `bands`, over the whole width of the panel."""
    low, high = axis["range"]
    if axis.get("type") == "log":
        low, high = 10**low, 10**high
    return go.Bar(
        orientation="h",
        base=[low] * len(bands),
        x=[high - low] * len(bands),
        y=bands,
        width=0.92,
        hoverinfo="skip",
        marker={
            "color": "rgba(0,0,0,0)",
            "line": {"width": 0},
            "pattern": {
                "shape": "/",
                "size": 7,
                "solidity": 0.12,
                "fgcolor": style.HATCH[0],
                "bgcolor": "rgba(0,0,0,0)",
                "fillmode": "overlay",
            },
        },
        meta="not ranked",
    )


def _unranked_notes(part, place, key, axis, k):
    """The words in the hatched rows, on the side where the row has no dots."""
    notes = []
    middle = sum(axis["range"]) / 2
    for row, words in unranked(part, key).items():
        value = part.loc[part[key] == row, "value"].median()
        right = (np.log10(value) if axis.get("type") == "log" else value) > middle
        notes.append(
            {
                "name": "not ranked",
                "text": words,
                "showarrow": False,
                "xref": f"{axis_id('x', k)} domain",
                "yref": axis_id("y", k),
                "x": 0.01 if right else 0.99,
                "y": place[row],
                "xanchor": "left" if right else "right",
                "font": {"size": 11, "color": style.MUTED[0]},
            }
        )
    return notes


def _spread_text(spread):
    text = f"median {units.number(spread.median)} of {spread.n} runs"
    if spread.decidable:
        return f"{text}<br>95 %: {units.number(spread.low)} to {units.number(spread.high)}"
    return f"{text}: too few for an interval"


def rounded(values, digits=6):
    """Plain numbers with `digits` significant digits: more would only make the page larger."""
    return [None if not np.isfinite(v) else float(f"{v:.{digits}g}") for v in map(float, values)]


def dots_of(part, size):
    """What a trace's marker says of the dot of each run of `part`."""
    looks = zip(part["marker"], part["counts"], part["suspect"], strict=True)
    symbols = [style.symbol(*look) for look in looks]
    pierced = [symbol.endswith("-dot") for symbol in symbols]
    width = 1
    if any(pierced):  # a hole is as wide as the line around the dot, which takes from the dot
        size = [size + 2 * hole for hole in pierced]
        width = [width + hole for hole in pierced]
    return {
        "symbol": symbols,
        "size": size,
        "line": {"width": width, "color": style.BACKGROUND[0]},
    }


def dots_note(long):
    """The sentences about hollow dots and those with a hole, where the figure has some."""
    runs = long.drop_duplicates("run")
    counts = runs["counts"].astype(bool)
    pierced = counts & (runs["suspect"] != "")
    return HOLLOW * bool((~counts).any()) + PIERCED * bool(pierced.any())


def unusable(long):
    """True where a long frame has nothing to draw."""
    return long.empty or not (pd.to_numeric(long["value"]) > 0).any()
