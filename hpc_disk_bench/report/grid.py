"""Where the panels of a figure stand: a grid of equal rows, on a screen and on a phone."""

from __future__ import annotations

from hpc_disk_bench.report import style

TITLE, TICKS, AXIS_TITLE, TOP = 24, 22, 26, 8  # pixels
GAP = 0.035  # of the width, between columns
LONG_LABEL = 20  # letters


def axis_id(letter, k):
    """How plotly names the axis of panel `k`: x, x2, x3 ..."""
    return letter if k == 0 else f"{letter}{k + 1}"


def axes_of(k):
    """The axes of panel `k`, as a trace names them."""
    return {"xaxis": axis_id("x", k), "yaxis": axis_id("y", k)}


def layout(titles, labels, axes, columns, notes=(), row_height=style.ROW, narrow=False):
    """The layout of panels in a grid, its height in pixels, and the measures that led to it, of
    which the page lays out fewer rows; `narrow` for a phone."""
    columns = min(columns, len(titles))
    lines = -(-len(titles) // columns)
    # On a phone a long name beside the panel leaves no room for it: there it stands above its row.
    above = columns == 1 and narrow and max(map(len, labels), default=0) > LONG_LABEL
    row_height = max(row_height, 42) if above else row_height
    several_units = any(axis.get("title") != axes[-1].get("title") for axis in axes)
    title_height = TITLE if any(titles) else 0
    body = max(1, len(labels)) * row_height + 10
    band = title_height + body + TICKS + (AXIS_TITLE if several_units else 0)
    height = TOP + lines * band + (0 if several_units else AXIS_TITLE)
    inner = height - TOP - AXIS_TITLE - TICKS
    width = (1 - GAP * (columns - 1)) / columns
    result = {
        "margin": {"t": TOP, "b": AXIS_TITLE + TICKS, "l": 10, "r": 14, "pad": 4},
        "annotations": [*notes],
    }
    for k, title in enumerate(titles):
        line, column = divmod(k, columns)
        left = column * (width + GAP)
        top = 1 - (line * band + title_height) / inner
        bottom = top - body / inner
        last = k + columns >= len(titles)
        xaxis = {**axes[k], "domain": [round(left, 5), round(left + width, 5)]}
        if not last and axes[k].get("title") == axes[-1].get("title"):
            xaxis["title"] = {"text": ""}
        result[axis_id("xaxis", k)] = {**xaxis, "anchor": axis_id("y", k)}
        result[axis_id("yaxis", k)] = {
            "domain": [round(max(0, bottom), 5), round(min(1, top), 5)],
            "anchor": axis_id("x", k),
            "range": [-0.6, len(labels) - 0.4],
            "tickvals": list(range(len(labels))),
            "ticktext": list(reversed(labels)),
            "showticklabels": column == 0 and not above,
            "fixedrange": True,
        }
        if above:
            result["annotations"] += [_row_label(*row, k) for row in enumerate(reversed(labels))]
        if title:
            result["annotations"].append(_panel_title(title, left, top))
    grid = {
        "columns": columns,
        "lines": lines,
        "rows": len(labels),
        "row": row_height,
        "body": body - len(labels) * row_height,
        "title": title_height,
        "band": band - body,
        "above": above,
    }
    return result, height, grid


def _row_label(row, text, k):
    return {
        "name": "row",
        "text": text,
        "showarrow": False,
        "xref": f"{axis_id('x', k)} domain",
        "yref": axis_id("y", k),
        "x": 0,
        "y": row,
        "yshift": 14,
        "xanchor": "left",
        "font": {"size": 12},
    }


def _panel_title(title, left, top):
    return {
        "name": "panel",
        "text": f"<b>{title}</b>",
        "showarrow": False,
        "xref": "paper",
        "yref": "paper",
        "x": round(left, 5),
        "y": round(top, 5),
        "xanchor": "left",
        "yanchor": "bottom",
        "font": {"size": 13},
    }
