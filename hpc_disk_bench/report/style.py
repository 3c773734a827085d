"""How figures look: one colour and one marker per storage throughout, light and dark, and axes.

A colour always means a storage. Everything else (valid or not, easy or hard, local or networked) is
shown by shape, hatching, position or words. The colours of a figure are those of the light theme;
report.js exchanges them for the dark ones, pair by pair, when the reader's screen is dark.
"""

from __future__ import annotations

import html
import math

import numpy as np

from hpc_disk_bench.report import units

# (light, dark). Found by search: each 3:1 or more against its background, and in pairs at least 24
# CIELAB units apart for normal sight and for protanopia, deuteranopia and tritanopia.
STORAGE_COLOURS = (
    ("#3157a5", "#72b3f7"),
    ("#e2682d", "#f9983c"),
    ("#459b70", "#0f8545"),
    ("#c374ae", "#ac4a98"),
    ("#644a1f", "#ecca99"),
    ("#7131db", "#8f55f5"),
    ("#23313e", "#d6e0f2"),
)
MARKERS = (  # plotly has each of them hollow and with a hole
    "circle", "square", "diamond", "triangle-up", "cross", "pentagon", "star", "hexagon",
    "triangle-down", "x", "triangle-left",
)  # fmt: skip
BACKGROUND = ("#ffffff", "#14181d")
INK = ("#1b2129", "#e4e9f0")
MUTED = ("#5b6673", "#9aa6b4")
GRID = ("#e3e7ec", "#2c343d")
BAND = ("#f3f5f8", "#1c2229")
HATCH = ("#a3adb8", "#5f6b78")
WARNING = ("#b3261e", "#ff8a80")
# From little to much: the scale starts near the background in either theme.
HEAT = (
    ("#e8eef7", "#1f2a3a"),
    ("#b7cbe6", "#28456b"),
    ("#86a8d5", "#33639d"),
    ("#5582c0", "#4583cb"),
    ("#3157a5", "#72b3f7"),
    ("#1e3a78", "#b8dbff"),
)
THEME_PAIRS = (*STORAGE_COLOURS, *HEAT, BACKGROUND, INK, MUTED, GRID, BAND, HATCH, WARNING)

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
ROW = 26  # pixels for one storage in a dot plot
LABEL_LENGTH = 34
LEAST_DECADES = 0.6  # a logarithmic axis spans this at least, or a small difference looks large
MOST_STEPS = 5  # of an axis of counts
# (decades, steps): the ticks within a decade for an axis of at most so many decades.
TICK_STEPS = (
    (0.8, (1, 1.5, 2, 3, 4, 5, 6, 8)),
    (2.2, (1, 2, 5)),
    (3, (1, 3)),
    (math.inf, (1,)),
)


def template():
    """The layout that every figure shares; report.js adds it once, so that figures stay small."""
    axis = {
        "showgrid": True,
        "zeroline": False,
        "gridcolor": GRID[0],
        "linecolor": GRID[0],
        "tickcolor": GRID[0],
        "tickfont": {"color": MUTED[0], "size": 12},
        "title": {"font": {"color": MUTED[0], "size": 12}, "standoff": 8},
        "automargin": True,
        "fixedrange": False,
    }
    return {
        "layout": {
            "font": {"family": FONT, "size": 13, "color": INK[0]},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "margin": {"l": 10, "r": 16, "t": 28, "b": 44, "pad": 4},
            "showlegend": False,
            "hoverlabel": {
                "bgcolor": BACKGROUND[0],
                "bordercolor": MUTED[0],
                "font": {"family": FONT, "color": INK[0]},
                "align": "left",
            },
            "hovermode": "closest",
            "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0},
            "xaxis": axis,
            "yaxis": {**axis, "gridcolor": BAND[0], "tickfont": {"color": INK[0], "size": 12}},
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": MUTED[0], "activecolor": INK[0]},
        }
    }


def dress(storages):
    """Colour and marker of each storage of a report: {storage: (colour, marker)}.

    77 storages look different; the marker moves on at each turn of the colours.
    """
    return {
        storage: (
            STORAGE_COLOURS[k % len(STORAGE_COLOURS)][0],
            MARKERS[(k + k // len(STORAGE_COLOURS)) % len(MARKERS)],
        )
        for k, storage in enumerate(sorted(set(storages)))
    }


def symbol(marker, counts, suspect):
    """The dot of a run: the marker of its storage, hollow where it does not count, with a hole
    where it is suspect."""
    return f"{marker}-open" if not counts else f"{marker}-dot" if suspect else marker


def label(text, length=LABEL_LENGTH):
    """`text` from the table, fit for a figure: plotly reads HTML, so that markup is escaped."""
    text = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    if len(text) > length:
        half = (length - 1) // 2
        text = f"{text[:half]}…{text[-half:]}"
    return html.escape(text, quote=False)


def axis_for(values, title, *, include=(), log=None, room=0.0):
    """An axis that spans `values`: logarithmic where they span a decade, else linear from 0.

    `include` are further values that have to be on it, `room` is kept free at the right, as a share
    of the axis. Returns the dict for plotly's xaxis. The
    range is fixed here, and not by plotly, so that panels and figures side by side share it.
    """
    values = np.asarray([*np.ravel(list(values)), *include], dtype=float)
    values = values[np.isfinite(values) & (values > 0)]
    if not len(values):
        return {"title": {"text": title}, "range": [0, 1], "showticklabels": False}
    low, high = float(values.min()), float(values.max())
    if not (high / low >= 10 if log is None else log):
        return {"title": {"text": title}, "range": [0, high * (1.12 + room)], "rangemode": "tozero"}
    low, high = math.log10(low), math.log10(high)
    missing = max(0, LEAST_DECADES - (high - low))
    low, high = low - missing / 2, high + missing / 2
    high += room * (high - low)
    pad = max(0.06, 0.05 * (high - low))
    ticks = _log_ticks(low - pad, high + pad)
    return {
        "title": {"text": title},
        "type": "log",
        "range": [round(low - pad, 4), round(high + pad, 4)],
        "tickvals": ticks,
        "ticktext": [f"{tick:,.10g}".replace(",", units.THIN_SPACE) for tick in ticks],
        "minor": {"showgrid": False},
    }


def axis_of_counts(most, title):
    """A linear axis from 0 to beyond `most` things, whose ticks are whole numbers."""
    steps = (step * 10**power for power in range(10) for step in (1, 2, 5))
    every = next(step for step in steps if step * MOST_STEPS >= most)
    return {"title": {"text": title}, "range": [0, 1.05 * most], "tick0": 0, "dtick": every}


def _log_ticks(low, high):
    """Ticks of a logarithmic axis: more of them the fewer decades it has."""
    decades = high - low
    steps = next(steps for most, steps in TICK_STEPS if decades <= most)
    every = 1 if decades <= 7 else 2
    powers = range(math.floor(low), math.ceil(high) + 1)
    ticks = [step * 10.0**power for power in powers if power % every == 0 for step in steps]
    return [float(f"{tick:.3g}") for tick in ticks if low <= math.log10(tick) <= high]
