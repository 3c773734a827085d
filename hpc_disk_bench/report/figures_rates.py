"""Bandwidth and metadata rates by storage, and how far easy and hard access lie apart."""

from __future__ import annotations

import plotly.graph_objects as go

from hpc_disk_bench.comparison import statistics
from hpc_disk_bench.phases import BANDWIDTH, IOPS
from hpc_disk_bench.report import panels, style, text, tidy, units
from hpc_disk_bench.report.charts import Chart

EASY_HARD = (
    " Easy: each rank writes its own files as it likes best. Hard: all ranks write small unaligned"
    " pieces into one file, or small files into one directory."
)

ENDS = {  # of a range; the easy one is the dot of its storage
    "hard": {"symbol": "line-ns-open", "size": 17, "width": 3},
    "easy": {"symbol": "", "size": 10, "width": 1},
}


def bandwidth_by_storage(long):
    """Write and read bandwidth of each storage, a panel for each of the four ior phases."""
    title = "Bandwidth by storage (GiB/s)"
    return _by_storage(long, "bandwidth-by-storage", title, BANDWIDTH, "GiB/s", "bandwidth")


def iops_by_operation(long):
    """Metadata rates of each storage, a panel for each of the eight phases."""
    title = "Metadata operations by storage (kIOPS)"
    return _by_storage(long, "iops-by-operation", title, IOPS, "kIOPS", "metadata rates")


def _by_storage(long, name, title, phases, unit, what):
    if panels.unusable(long):
        return text.no_phases(long, title, what)
    # Easy to the left of hard, operations from top to bottom; find, which is neither, at the end.
    order = ("write", "read", "stat", "delete", "find")
    difficulty = ("easy", "hard", "")
    phases = sorted(
        phases, key=lambda p: (order.index(p.operation), difficulty.index(p.difficulty))
    )
    titles = [tidy.panel_title(phase) for phase in phases if phase.name in set(long["phase"])]
    rows, shown, cut = tidy.rows(long)
    axis = style.axis_for(long["value"], unit)
    drawn = panels.dots(long, titles, rows, axis, unit=unit, shown=shown)
    return Chart(
        name,
        title,
        drawn.figure,
        f"All panels share one axis: further right is faster. {panels.HOW_TO_READ}"
        f"{panels.dots_note(long)}{EASY_HARD}{cut}{tidy.notes(long)}",
        f"Dot plots of {what} in {units.count(len(titles), 'panel')}, one row for each of"
        f" {units.count(len(rows), 'storage')}. {_best(long)}",
        **drawn.rest,
    )


def _best(long):
    """The best storage of each panel in words, for who cannot see the figure."""
    counting = long[long["counts"].astype(bool)]
    if counting.empty:
        return "No run counts, so none is ranked."
    medians = counting.groupby(["panel", "storage"], sort=False)["value"].median()
    words = []
    for panel, values in medians.groupby(level="panel", sort=False):
        storage = values.idxmax()[1]
        words.append(f"{panel} {storage} ({units.number(values.max())})")
    return f"Highest medians: {', '.join(words)}."


def bandwidth_by_difficulty(long):
    """The range between hard and easy access of each storage: what an application may expect."""
    title = "From hard to easy: the range of bandwidth an application may expect (GiB/s)"
    if panels.unusable(long):
        return text.no_phases(long, title, "bandwidth")
    rows, shown, cut = tidy.rows(long)
    medians = _medians(long)
    titles = [panel for panel in ("write", "read") if panel in set(medians["operation"])]
    axis = style.axis_for(
        medians["value"], "GiB/s", log=True, room=0.15 if medians["counts"].all() else 0.4
    )
    figure = go.Figure()
    place = {row: shown - 1 - k for k, row in enumerate(rows)}
    notes = []
    for k, panel in enumerate(titles):
        unranked = medians.loc[~medians["counts"], "storage"].map(place)
        hatched = panels.hatching(sorted(set(unranked)), axis)
        figure.add_trace(hatched.update(panels.axes_of(k)))
        for storage, ends in medians[medians["operation"] == panel].groupby("storage", sort=False):
            trace, note = _range(ends.set_index("difficulty"), storage, place[storage], k)
            figure.add_trace(trace)
            notes += note if place[storage] >= 0 else []
    labels, axes = [style.label(row) for row in rows], [axis] * len(titles)
    more = {
        "kind": "ranges",
        "labels": labels,
        "shown": shown,
        "storages": rows,
        "operations": titles,
        "ends": ENDS,
        "markers": dict(zip(long["storage"], long["marker"], strict=True)),
    }
    rest = panels.laid_out(figure, titles, labels[:shown], axes, 2, notes, derive=more)
    return Chart(
        "bandwidth-by-difficulty",
        title,
        figure,
        "Each line runs from the median of the hard phase (upright stroke) to that of the easy one"
        " (dot); the number is the easy one over the hard one, below 1 where hard was faster. An"
        " application lands in between: the shorter the line, the less it matters how it does its"
        f" I/O. Dotted, hollow: no run counts, not ranked.{cut}{tidy.notes(long)}",
        _range_alt(medians),
        **rest,
    )


def _medians(long):
    """The median of each storage and phase over the runs that count, else over all there are."""
    parts = {phase.name: phase for phase in BANDWIDTH}
    counting = long[long["counts"].astype(bool)]
    rest = long[~long["storage"].isin(counting["storage"])]
    found = []
    for part, counts in ((counting, True), (rest, False)):
        keys = ["storage", "place", "colour", "marker", "phase"]
        medians = part[part["value"] > 0].groupby(keys, sort=False)["value"].median().reset_index()
        found.append(medians.assign(counts=counts))
    medians = tidy.stacked(found).sort_values("place", kind="stable")
    medians["operation"] = medians["phase"].map(lambda name: parts[name].operation)
    medians["difficulty"] = medians["phase"].map(lambda name: parts[name].difficulty)
    return medians


def _range(ends, storage, row, k):
    """The line of one storage from hard to easy, and the note with its factor."""
    ends = ends.reindex([d for d in ("hard", "easy") if d in ends.index])
    counts, colour = bool(ends["counts"].iloc[0]), ends["colour"].iloc[0]
    dot = style.symbol(ends["marker"].iloc[0], counts, suspect=False)
    looks = [ENDS[difficulty] for difficulty in ends.index]
    values = panels.rounded(ends["value"])
    trace = go.Scatter(
        mode="lines+markers",
        x=values,
        y=[row] * len(values),
        customdata=[f"{style.label(storage, 60)}<br>{difficulty}" for difficulty in ends.index],
        hovertemplate="%{customdata}: %{x:.4g} GiB/s<extra></extra>",
        name=storage,
        line={"width": 4, "color": colour, "dash": "solid" if counts else "dot"},
        marker={
            "size": [look["size"] for look in looks],
            "color": colour,
            "symbol": [look["symbol"] or dot for look in looks],
            "line": {"width": [look["width"] for look in looks], "color": style.BACKGROUND[0]},
        },
        meta="range",
        **panels.axes_of(k),
    )
    if len(values) < 2:
        return trace, []
    note = {
        "name": "factor",
        "text": units.factor(values[1] / values[0]) + ("" if counts else ", not ranked"),
        "showarrow": False,
        "xref": f"{panels.axis_id('x', k)} domain",
        "yref": panels.axis_id("y", k),
        "x": 1,
        "y": row,
        "xanchor": "right",
        "font": {"size": 11, "color": style.MUTED[0]},
    }
    return trace, [note]


def _range_alt(medians):
    counting = medians[medians["counts"]]
    if counting.empty:
        return "Ranges from hard to easy bandwidth per storage. No run counts, so none is ranked."
    wide = counting.pivot_table(
        index=["storage", "operation"], columns="difficulty", values="value"
    )
    if not {"easy", "hard"} <= set(wide.columns):
        return "Ranges from hard to easy bandwidth per storage; one end is missing in the table."
    factors = (wide["easy"] / wide["hard"]).dropna()
    (most, operation), least = factors.idxmax(), factors.idxmin()
    middle = statistics.spread(factors).median
    return (
        "Ranges from hard to easy bandwidth per storage. Easy is"
        f" {units.factor(middle)} hard in the median; the largest gap is {most} {operation}"
        f" ({units.factor(factors.max())}), the smallest {least[0]} {least[1]}"
        f" ({units.factor(factors.min())})."
    )
