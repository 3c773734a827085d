"""The tables about single runs and nodes: scores, raw data, hardware, what made the report."""

from __future__ import annotations

import datetime
import importlib.metadata
import platform

import hpc_disk_bench
from hpc_disk_bench.comparison import statistics
from hpc_disk_bench.report import text, tidy, units
from hpc_disk_bench.report.charts import Column, Table, column, derived
from hpc_disk_bench.report.markup import badge, escape, items, tag

NODE_COLUMNS = {
    "cluster_name": "cluster",
    "node_name": "node",
    "hostname": "host name",
    "cpu_model": "CPU",
    "cpu_count": "logical CPUs",
    "memory_gb": "memory, GiB",
    "network_interface": "interface",
    "network_speed": "link",
    "os": "operating system",
    "kernel": "kernel",
}
PACKAGES = ("pandas", "numpy", "plotly")


def measure(title, values, digits=3, **more):
    """A column of numbers, shown with `digits` significant ones and exported with all."""
    values = [float(value) for value in values]
    shown = [units.number(v, digits) for v in values]
    return column(title, values, show=shown, numeric=True, **more)


def whole(title, values, **more):
    """A column of counts."""
    values = [float(value) for value in values]
    shown = ["" if value != value else units.whole(value) for value in values]
    return column(title, values, show=shown, numeric=True, **more)


def score_table(runs):
    """Every run: its score and halves, its repeats, and whether it counts or why it does not."""
    title = "Scores of all runs"
    if runs.empty:
        return text.no_runs(title)
    spreads = {
        target: statistics.spread(group.loc[group["counts"], "score_total"])
        for target, group in runs.groupby("target")
    }
    table = runs.assign(outlier=score_outliers(runs))
    table["rank"] = table["score_total"].where(table["counts"]).rank(ascending=False, method="min")
    table = table.sort_values(["rank", "score_total"], ascending=[True, False], kind="stable")
    found = [spreads[target] for target in table["target"]]
    columns = [
        whole("rank", table["rank"], derive=derived("rank", "score_total")),
        column("node", table["node"]),
        column("storage", table["storage"]),
        Column("valid", state_words(table), [badge(w) for w in state_words(table)], html=True),
        column("remarks", [_remarks(row) for row in table.to_dict("records")], wide=True),
        measure("score", table["score_total"]),
        measure("bandwidth, GiB/s", table["score_bandwidth"]),
        measure("metadata, kIOPS", table["score_iops"]),
        whole("repeats, n", [s.n for s in found], derive=derived("repeats", "score_total")),
        measure(
            "their median",
            [spread.median for spread in found],
            derive=derived("median of repeats", "score_total"),
        ),
        column(
            "their spread",
            [spread_words(spread) for spread in found],
            derive=derived("spread of repeats", "score_total"),
        ),
        column("started", started(table)),
        whole("ranks", table["num_procs"]),
        column("engine", table["made_by"]),
    ]
    return Table(
        "score-table",
        title,
        columns,
        "The score is the root of bandwidth times metadata rate. Repeats are the runs of one"
        " node on one storage that count; from 3 on their median has a 95 % interval. Rows in"
        " italics do not count and have no rank. Click a heading to sort; CSV has all digits.",
        [not counts for counts in table["counts"]],
        runs=list(table.index),
    )


def score_outliers(runs):
    """A flag for each run that is far from the other repeats of its target."""
    flags = runs["counts"] & False
    for _, group in runs[runs["counts"]].groupby("target"):
        flags.loc[group.index] = statistics.outliers(group["score_total"])
    return flags


def state_words(table):
    """valid, suspect, invalid, failed ...: one word for each run."""
    return [
        ("suspect" if suspect else "valid")
        if counts
        else ("incomplete" if state == "complete" else state)
        for counts, state, suspect in zip(
            table["counts"], table["state"], table["suspect"], strict=True
        )
    ]


def spread_words(spread):
    if spread.decidable:
        return f"{units.number(spread.low)} to {units.number(spread.high)}"
    return "too few" if spread.n else "none count"


def started(table):
    return [
        f"{s:%Y-%m-%d %H:%M}" if s == s else t
        for s, t in zip(table["started"], table["timestamp"], strict=True)
    ]


def _remarks(run):
    outlier = "outlier among its repeats" if run["outlier"] else ""
    return "; ".join(filter(None, [run["why"], run["suspect"], outlier]))


def raw_data(raw):
    """The table as aggregate wrote it, every column of every run."""
    title = "All data"
    if raw.empty:
        return text.no_runs(title)
    # A column that is empty in all runs says nothing; the file has it, the page need not.
    used = [name for name in raw.columns if (raw[name] != "").any()]
    columns = [column(name, raw[name], numeric=_numeric(raw[name])) for name in used]
    left_out = len(raw.columns) - len(used)
    empty = f" {units.count(left_out, 'column')} without any value left out." if left_out else ""
    table = Table("raw-data", title, columns, "", runs=list(range(len(raw))))
    kept = "The search box filters, CSV saves what it found." if table.searched else "CSV saves it."
    table.caption = (
        "The table that aggregate_results.py wrote, as it stands; docs/columns.md explains each"
        f" column. {kept}{empty}"
    )
    return table


def _numeric(values):
    given = values[values != ""]
    return bool(len(given)) and given.str.fullmatch(r"[-+]?\d+(\.\d*)?([eE][-+]?\d+)?").all()


def nodes(runs):
    """The hardware of each node, as gathered when it was benchmarked."""
    title = "Nodes"
    if runs.empty:
        return text.no_runs(title)
    found = runs.drop_duplicates(["cluster_name", "node_name"])
    found = found.sort_values(["cluster_name", "node_name"])
    columns = []
    for name, heading in NODE_COLUMNS.items():
        if name in ("cpu_count", "memory_gb"):
            columns.append(whole(heading, found[name]))
        else:
            columns.append(column(heading, found[name]))
    counts = runs.groupby(["cluster_name", "node_name"]).size()
    keys = list(zip(found["cluster_name"], found["node_name"], strict=True))
    of_node = runs.groupby(["cluster_name", "node_name"]).groups
    numbers = [counts[key] for key in keys]
    columns.append(whole("runs", numbers, derive=derived("runs")))
    return Table(
        "nodes",
        title,
        columns,
        "From node_metadata.json, gathered at a node's first run. Empty: not found there.",
        runs=[list(of_node[key]) for key in keys],
    )


def made_with(runs):
    """What the report was made with, and from which table."""
    now = datetime.datetime.now(datetime.UTC)
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    engines = ", ".join(sorted(set(runs["made_by"]))) or "none"
    ranks = tidy.ranks_note(runs)
    lines = [
        f"hpc-disk-bench {escape(hpc_disk_bench.__version__)}, Python {platform.python_version()},"
        f" {escape(versions)}",
        f"rendered {now:%Y-%m-%d %H:%M} UTC from {escape(runs.attrs.get('source', 'a table'))}"
        f" with {units.count(len(runs), 'run')}",
        f"benchmarks: {escape(engines)}{'.' if ranks else ''}{escape(ranks)}",
    ]
    return tag("div", tag("p", "Made with", class_="hdb-title"), items(lines), class_="hdb-made")
