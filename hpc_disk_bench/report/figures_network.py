"""Networked storage: its share of the link, its volumes, and local against networked."""

from __future__ import annotations

import numpy as np

from hpc_disk_bench.phases import BANDWIDTH
from hpc_disk_bench.report import panels, style, text, tidy, units
from hpc_disk_bench.report.charts import Chart, Missing

EASY = [phase for phase in BANDWIDTH if phase.difficulty == "easy"]
HALVES = {"score_bandwidth": "bandwidth score, GiB/s", "score_iops": "metadata score, kIOPS"}
CACHED = "faster than the link: cached"
# (from so many per cent of the line rate, what is the limit), from the highest down.
VERDICTS = (
    (100, CACHED),
    (80, "the link is the limit"),
    (50, "the link limits some of the work"),
    (0, "the storage or its server is the limit, not the link"),
)
UNJUDGED = "no run counts: not judged"


def network_speed_impact(runs):
    """Easy write and read of networked storage as a share of what the client's link carries."""
    title = "Networked storage: share of the network link's line rate (%)"
    networked = runs[runs["networked"]]
    if networked.empty:
        return text.none_networked(runs, title)
    shares = line_shares(networked)
    if panels.unusable(shares):
        return Missing(
            title,
            "The speed of the network link is not known for any node with networked storage"
            " (network_speed in its node_metadata.json, such as 10Gbps). ./gather_node_metadata.sh"
            " CLUSTER NODE reads it from the interface that leads to the storage.",
        )
    rows, shown, cut = link_rows(shares)
    axis = style.axis_for(shares["value"], "% of line rate", include=(100,))
    titles = list(dict.fromkeys(shares["panel"]))
    labels = [style.label(row, 44) for row in rows]
    drawn = panels.dots(
        shares, titles, rows, axis, unit="% of line rate", labels=labels, key="link", shown=shown
    )
    shapes = _wires(len(titles), axis)
    drawn.figure.update_layout(shapes=shapes)
    drawn.rest["narrow"]["shapes"] = shapes
    return Chart(
        "network-speed-impact",
        title,
        drawn.figure,
        "Rows are a storage seen through links of one speed. The upright line is the line rate:"
        " dots near it are limited by the network, dots far left of it by the storage or its"
        f" server, reads right of it (shaded) were {CACHED}, not read from the storage."
        f" {panels.HOW_TO_READ}{panels.dots_note(shares)}{cut}{tidy.notes(shares)}",
        _network_alt(shares),
        **drawn.rest,
    )


def line_shares(networked):
    """Easy write and read of `networked` runs in percent of their line rate, in long form."""
    long = tidy.phases(networked, EASY)
    wire = long["run"].map(networked["wire"])
    rate = long["value"].copy()
    long["rate"], long["wire"] = rate, wire
    long["value"] = 100 * rate / wire
    speed = long["run"].map(networked["network_speed"])
    # Without any networked run the speeds are numbers of no row, which pyarrow's text does not add.
    long["link"] = long["storage"].astype(str) + " @ " + speed.astype(str)
    long["hover"] += [
        f"<br>{units.number(r)} GiB/s of {units.number(w)} GiB/s"
        for r, w in zip(rate, wire, strict=True)
    ]
    return long[long["value"].notna()]


def link_rows(shares):
    """Storage and link from top to bottom, how many are in view, and a sentence about the rest."""
    order = shares.sort_values(["place", "wire"], kind="stable")["link"].drop_duplicates()
    if len(order) <= tidy.MOST_STORAGES:
        return list(order), len(order), ""
    kept = set(shares["link"].value_counts().head(tidy.MOST_STORAGES).index)
    said = f" Shown are the {tidy.MOST_STORAGES} rows with the most runs, of {len(order)}."
    rows = sorted(order, key=lambda row: row not in kept)
    return rows, tidy.MOST_STORAGES, said


def _wires(count, axis):
    """The line rate in each panel, and a shade over what no link carries."""
    right = 10 ** axis["range"][1] if axis.get("type") == "log" else axis["range"][1]
    shapes = []
    for k in range(count):
        place = {
            "xref": panels.axis_id("x", k),
            "yref": f"{panels.axis_id('y', k)} domain",
            "y0": 0,
            "y1": 1,
            "layer": "below",
        }
        shade = {"fillcolor": style.WARNING[0], "opacity": 0.08, "line": {"width": 0}}
        line = {"line": {"width": 2, "color": style.INK[0]}}
        shapes.append({"type": "rect", "x0": 100, "x1": right, **place, **shade})
        shapes.append({"type": "line", "x0": 100, "x1": 100, **place, **line})
    return shapes


def _network_alt(shares):
    counting = shares[shares["counts"].astype(bool)]
    if counting.empty:
        return (
            "Dot plot of bandwidth as a share of the line rate. No run counts, so none is ranked."
        )
    medians = counting.groupby(["link", "panel"], sort=False)["value"].median()
    (link, panel), value = medians.idxmax(), medians.max()
    over = int((shares["value"] > 100).sum())
    return (
        "Dot plot of bandwidth as a share of the line rate for"
        f" {units.count(len(set(shares['link'])), 'row')}. Closest to or beyond the line rate:"
        f" {panel} of {link} with {units.percent(value / 100)}. {units.count(over, 'measurement')}"
        " above the line rate."
    )


def verdict(by, counts):
    """Which is the limit: the link, the storage or a cache. `by`: a Spread for each easy phase."""
    if not counts:
        return UNJUDGED
    best = max((s.median for s in by.values()), default=np.nan)
    return next((words for least, words in VERDICTS if best >= least), UNJUDGED)


def volume_comparison(runs):
    """The volumes of networked storage side by side: bandwidth and metadata."""
    title = "Volumes of networked storage: bandwidth (GiB/s) and metadata (kIOPS)"
    networked = runs[runs["networked"]]
    if networked.empty:
        return text.none_networked(runs, title)
    return _halves(networked, "nfs-volume-comparison", title, "storage")


def local_and_networked(runs):
    """All runs on local storage against all on networked storage."""
    title = "Local against networked storage: bandwidth (GiB/s) and metadata (kIOPS)"
    if runs.empty:
        return text.no_runs(title)
    kinds = np.where(runs["networked"], "networked", "local")
    return _halves(runs, "storage-comparison", title, "kind", kinds)


def _halves(runs, name, title, key, kinds=None):
    long = tidy.scores(runs, HALVES)
    if panels.unusable(long):
        return text.no_scores(runs, title)
    shown, cut = None, ""
    if kinds is None:
        rows, shown, cut = tidy.rows(long)
    else:
        long["kind"] = long["run"].map(dict(zip(runs.index, kinds, strict=True)))
        rows = [kind for kind in ("local", "networked") if kind in set(long["kind"])]
    titles = list(HALVES.values())
    axes = [style.axis_for(long.loc[long["panel"] == t, "value"], t.split(", ")[1]) for t in titles]
    drawn = panels.dots(
        long,
        titles,
        rows,
        axes,
        key=key,
        row_height=style.ROW if kinds is None else 64,
        shown=shown,
    )
    only = ""
    if kinds is not None and len(rows) == 1:
        only = f" All runs are on {rows[0]} storage; there is nothing to compare it with."
    return Chart(
        name,
        title,
        drawn.figure,
        f"Further right is faster. {panels.HOW_TO_READ}{panels.dots_note(long)}{only}{cut}"
        f"{tidy.notes(long)}",
        _halves_alt(long, key, titles),
        **drawn.rest,
    )


def _halves_alt(long, key, titles):
    counting = long[long["counts"].astype(bool)]
    if counting.empty:
        return "Dot plots of bandwidth and metadata scores. No run counts, so none is ranked."
    words = []
    for panel in titles:
        medians = counting[counting["panel"] == panel].groupby(key)["value"].median()
        listed = medians.sort_values(ascending=False).head(4)
        pairs = [f"{row} {units.number(value)}" for row, value in listed.items()]
        words.append(f"{panel}: {', '.join(pairs)}")
    return f"Dot plots of scores in two panels. Medians, best first: {'; '.join(words)}."
