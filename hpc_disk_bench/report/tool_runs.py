"""Runs of ior, mdtest, stream, pfind and md-workbench by themselves: a table of their own.

They have no score and are never compared with runs of IO500; rows are storages as everywhere.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hpc_disk_bench.report import load as tables_of_runs
from hpc_disk_bench.report import panels, style, tidy, units
from hpc_disk_bench.report.charts import Chart, Column, Missing, Table, column
from hpc_disk_bench.report.markup import badge
from hpc_disk_bench.report.tables import measure, whole
from hpc_disk_bench.table_columns import NUMBER
from hpc_disk_bench.table_tools import COLUMNS, path_beside

KINDS = {
    "bandwidth": ("tool-bandwidth", "Bandwidth of single tools (GiB/s)", "GiB/s"),
    "rate": ("tool-rates", "Metadata rates of single tools (kIOPS)", "kIOPS"),
}
NONE = Missing(
    "Runs of single tools",
    "The results tree holds no output of ior, mdtest, stream, pfind or md-workbench. Put one there"
    " with ./parse_summary.py FILE --into CLUSTER NODE STORAGE DEVICE [VOLUME], then"
    " ./aggregate_results.py and render the report again.",
)
NUMBERS = [one.name for one in COLUMNS if one.kind is NUMBER]


def load(runs):
    """The table of tools beside the table that `runs` were read from: one row an operation.

    Empty where there is none. Further columns: `storage`, `node`, `colour` and `marker` as in the
    runs, `panel`, `counts`, and `each`, the figures of the single iterations.
    """
    path = path_beside(runs.attrs.get("source") or tables_of_runs.DEFAULT_TABLE)
    names = [one.name for one in COLUMNS]
    raw = tables_of_runs.raw(path) if Path(path).exists() else pd.DataFrame(columns=names)
    tools = pd.DataFrame({name: tables_of_runs.text(raw, name) for name in names}, dtype=object)
    for name in NUMBERS:
        tools[name] = tables_of_runs.number(raw, name)
    tools["storage"] = tables_of_runs.storage(tools)
    tools["node"] = tools["node_name"].replace("", "unknown node")
    tools["counts"] = tools["valid"] == "True"
    tools["each"] = [_figures(text) for text in tools["iterations"]]
    direct = np.where(tools["direct_io"] == "True", ", direct I/O", "")
    tools["panel"] = tools["tool"] + " " + tools["operation"] + direct
    dressed = runs.drop_duplicates("storage").set_index("storage")[["colour", "marker"]]
    others = style.dress(tools["storage"])
    # A storage without a run of IO500 has no colour of its own in this report.
    tools["colour"] = tools["storage"].map(dressed["colour"]).fillna(style.MUTED[0])
    markers = tools["storage"].map({storage: marker for storage, (_, marker) in others.items()})
    tools["marker"] = tools["storage"].map(dressed["marker"]).fillna(markers)
    return tools


def figures(tools, metric):
    """A chart of `metric` ("bandwidth" or "rate"): a panel an operation, a row a storage."""
    if tools.empty:
        return NONE if metric == "bandwidth" else None
    part = tools[(tools["metric"] == metric) & (tools["mean"] > 0)]
    if part.empty:
        return None
    name, title, unit = KINDS[metric]
    storages, cut = _rows(part)
    part = part[part["storage"].isin(storages)]
    place = {storage: len(storages) - 1 - k for k, storage in enumerate(storages)}
    titles = list(dict.fromkeys(part["panel"]))
    axis = style.axis_for([*part["min"], *part["max"], *part["mean"]], unit)
    figure = go.Figure()
    for k, panel in enumerate(titles):
        group = part[part["panel"] == panel]
        rows = group["storage"].map(place).to_numpy(dtype=float) + tidy.jitter(group["storage"])
        for trace in (_iterations(group, rows, unit), _means(group, rows, unit)):
            figure.add_trace(trace.update(panels.axes_of(k)))
    labels, axes = [style.label(storage) for storage in storages], [axis] * len(titles)
    shown = [style.label(panel, 60) for panel in titles]
    laid_out = panels.laid_out(figure, shown, labels, axes, 2, [])
    hollow = "" if part["counts"].all() else " Hollow: ended early or went wrong, does not count."
    return Chart(
        name,
        title,
        figure,
        "All panels share one axis: further right is faster. Each dot is an iteration, where the"
        " tool tells it; the upright stroke is the mean of a run, the bar through it spans its"
        f" iterations from the lowest to the highest.{hollow} Runs in one row may differ in"
        f" transfer size and ranks: point at them, or see the table.{cut}",
        f"Dot plots of {metric} in {units.count(len(titles), 'panel')}, one row for each of"
        f" {units.count(len(storages), 'storage')}. {_best(part, unit)}",
        # The page's filters are about runs of IO500.
        **{**laid_out, "derive": None},
    )


def listing(tools):
    """Every operation of every run of a tool."""
    if tools.empty:
        return None
    state = np.where(tools["counts"], "valid", tools["state"].where(~tools["counts"], ""))
    state = [word if word != "complete" else "invalid" for word in state]
    transfers = tools["transfer_bytes"]
    columns = [
        column("node", tools["node"]),
        column("storage", tools["storage"]),
        column("tool", tools["tool"]),
        column("operation", tools["operation"]),
        Column("valid", state, [badge(word) for word in state], html=True),
        measure("mean", tools["mean"]),
        measure("max", tools["max"]),
        measure("min", tools["min"]),
        measure("std dev", tools["stddev"]),
        column("unit", tools["unit"]),
        column("metric", tools["metric"]),
        whole("iterations", tools["count"]),
        whole("ranks", tools["num_procs"]),
        column("transfer", transfers, show=[_size(value) for value in transfers], numeric=True),
        column("direct I/O", tools["direct_io"].map({"True": "yes", "False": "no"}).fillna("")),
        column("started", tools["started"].str.replace("T", " ")),
        column("version", tools["version"]),
        column("remarks", tools["reasons"], wide=True),
        column("command", tools["command"], wide=True),
    ]  # fmt: skip
    return Table(
        "tool-runs",
        "Runs of single tools",
        columns,
        "One row for each operation, as docs/columns.md explains. A naive sum adds what each rank"
        " reached by itself and is never below the bandwidth of all. Rows in italics do not count.",
        [not counts for counts in tools["counts"]],
    )


def _rows(part):
    """The storages of a figure, the fastest at the top, and a sentence if some were left out."""
    order = part.groupby("storage")["mean"].median().sort_values(ascending=False, kind="stable")
    names = list(order.index)
    if len(names) <= tidy.MOST_STORAGES:
        return names, ""
    return names[: tidy.MOST_STORAGES], f" Shown are {tidy.MOST_STORAGES} storages of {len(names)}."


def _iterations(group, rows, unit):
    points = [
        (value, row, run)
        for row, run in zip(rows, group.to_dict("records"), strict=True)
        for value in run["each"]
        if value > 0
    ]
    return go.Scatter(
        mode="markers",
        x=panels.rounded([value for value, _, _ in points]),
        y=panels.rounded([row for _, row, _ in points]),
        customdata=[_hover(run) for _, _, run in points],
        hovertemplate=f"%{{customdata}}<br>%{{x:.4g}} {unit}<extra></extra>",
        marker={
            "size": 9,
            "opacity": 0.9,
            "color": [run["colour"] for _, _, run in points],
            "symbol": [_symbol(run) for _, _, run in points],
            "line": {"width": 1, "color": style.BACKGROUND[0]},
        },
        meta="iterations",
    )


def _means(group, rows, unit):
    mean = group["mean"].to_numpy()
    above, below = group["max"].to_numpy() - mean, mean - group["min"].to_numpy()
    return go.Scatter(
        mode="markers",
        x=panels.rounded(mean),
        y=panels.rounded(rows),
        customdata=[_hover(run) for run in group.to_dict("records")],
        hovertemplate=f"%{{customdata}}<br>mean %{{x:.4g}} {unit}<extra></extra>",
        marker={
            "symbol": "line-ns",
            "size": 17,
            "line": {"width": 3, "color": list(group["colour"])},
        },
        error_x={
            "type": "data",
            "symmetric": False,
            "array": panels.rounded(np.nan_to_num(above).clip(min=0)),
            "arrayminus": panels.rounded(np.nan_to_num(below).clip(min=0)),
            "thickness": 2,
            "width": 0,
            "color": style.MUTED[0],
        },
        meta="means",
    )


def _symbol(run):
    return style.symbol(run["marker"], run["counts"], suspect=False)


def _hover(run):
    """What the pointer shows of a run; escaped."""
    words = [f"{units.whole(run['num_procs'])} ranks"] if run["num_procs"] > 0 else []
    if run["transfer_bytes"] > 0:
        words.append(f"transfers of {_size(run['transfer_bytes'])}")
    lines = [f"{run['node']} · {run['storage']}", ", ".join(words), run["started"]]
    if not run["counts"]:
        lines.append(f"does not count: {run['reasons'] or run['state']}")
    return "<br>".join(style.label(line, 90) for line in lines if line)


def _best(part, unit):
    counting = part[part["counts"]]
    if counting.empty:
        return "No run counts."
    best = counting.loc[counting.groupby("panel", sort=False)["mean"].idxmax()]
    words = [
        f"{run['panel']} {run['storage']} ({units.number(run['mean'])} {unit})"
        for run in best.to_dict("records")
    ]
    return f"Highest means: {', '.join(words)}."


def _size(value):
    return "" if value != value else units.size(value)


def _figures(text):
    numbers = pd.to_numeric(pd.Series(text.split("; ") if text else [], dtype=object), "coerce")
    return [value for value in numbers.astype(float) if np.isfinite(value)]
