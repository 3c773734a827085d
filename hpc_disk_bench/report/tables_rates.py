"""The tables that compare storages, clusters and phases; medians of the runs that count."""

from __future__ import annotations

import numpy as np

from hpc_disk_bench.comparison import statistics
from hpc_disk_bench.phases import BANDWIDTH, IOPS, SCORED
from hpc_disk_bench.report import figures_network, panels, store, text, tidy, units
from hpc_disk_bench.report.charts import ALL, Column, Missing, Table, column, derived
from hpc_disk_bench.report.markup import badge
from hpc_disk_bench.report.tables import measure, whole

CATEGORIES = (
    ("overall score", "score_total", ""),
    ("bandwidth score", "score_bandwidth", "GiB/s"),
    ("metadata score", "score_iops", "kIOPS"),
    ("write large files", "ior_easy_write_value", "GiB/s"),
    ("read large files", "ior_easy_read_value", "GiB/s"),
    ("write one shared file in small pieces", "ior_hard_write_value", "GiB/s"),
    ("read it back", "ior_hard_read_value", "GiB/s"),
    ("create files", "mdtest_easy_write_value", "kIOPS"),
    ("create small files in one directory", "mdtest_hard_write_value", "kIOPS"),
    ("stat files", "mdtest_easy_stat_value", "kIOPS"),
    ("read small files", "mdtest_hard_read_value", "kIOPS"),
    ("delete files", "mdtest_easy_delete_value", "kIOPS"),
    ("find files", "find_value", "kIOPS"),
)
HOW_SPREAD = (
    " Medians of the runs that count, with the 95 % interval where there are 3 or more. Rows in"
    " italics have no run that counts: their numbers are medians of invalid runs, for orientation"
    " only."
)


def bandwidth_comparison(long):
    """Write and read bandwidth of each storage in numbers."""
    return _comparison(long, "bandwidth-comparison", "Bandwidth by storage (GiB/s)", BANDWIDTH)


def iops_summary(long):
    """Metadata rates of each storage in numbers."""
    return _comparison(long, "iops-summary", "Metadata operations by storage (kIOPS)", IOPS)


def _comparison(long, name, title, phases):
    if panels.unusable(long):
        return text.no_phases(long, title, title.split(" by ")[0].lower())
    groups, behind = [], []
    for _, group in long.groupby("place", sort=True):
        counting = group[group["counts"].astype(bool)]
        groups.append((counting if len(counting) else group, len(counting) > 0))
        behind.append(list(group["run"].unique()))
    columns = [
        column("storage", [g["storage"].iloc[0] for g, _ in groups]),
        _valid([counts for _, counts in groups]),
        whole("runs", [g["run"].nunique() for g, _ in groups], derive=derived("runs used")),
        whole("nodes", [g["node"].nunique() for g, _ in groups], derive=derived("nodes used")),
    ]
    for phase in phases:
        values = [g.loc[g["phase"] == phase.name, "value"] for g, _ in groups]
        found = [statistics.spread(v) for v in values]
        columns.append(spreads(phase.name, found, f"{phase.column}_value"))
    return Table(
        name,
        title,
        columns,
        f"A storage on several nodes pools them.{HOW_SPREAD}{tidy.notes(long)}",
        [not counts for _, counts in groups],
        runs=behind,
        used="best",
    )


def _valid(flags):
    words = ["valid" if flag else "not valid" for flag in flags]
    shown = [badge(word) for word in words]
    return Column("valid", words, shown, html=True, derive=derived("valid"))


def spreads(title, found, of):
    """A column of medians, each shown with its interval."""
    shown = [
        f"{units.number(s.median)} [{units.number(s.low)}{units.DASH}{units.number(s.high)}]"
        if s.decidable
        else units.number(s.median)
        for s in found
    ]
    medians = [s.median for s in found]
    return Column(title, medians, shown, numeric=True, derive=derived("spread", of))


def network_shares(runs):
    """How much of its link each networked storage uses, and what that says; None where unknown."""
    networked = runs[runs["networked"]]
    shares = figures_network.line_shares(networked)
    if panels.unusable(shares):
        return None
    shares = shares[shares["value"] > 0]
    rows, behind = [], []
    for link in figures_network.link_rows(shares)[0]:
        part = shares[shares["link"] == link]
        counting = part[part["counts"].astype(bool)]
        used = counting if len(counting) else part
        by = {name: statistics.spread(group["value"]) for name, group in used.groupby("panel")}
        rows.append((used, by, len(counting) > 0))
        behind.append([int(run) for run in part["run"].unique()])
    columns = [
        column("storage", [used["storage"].iloc[0] for used, *_ in rows]),
        _valid([counts for *_, counts in rows]),
        measure("link, GiB/s", [used["wire"].iloc[0] for used, *_ in rows]),
        whole("runs", [used["run"].nunique() for used, *_ in rows], derive=derived("runs used")),
    ]
    names = {tidy.panel_title(phase): store.share(phase) for phase in figures_network.EASY}
    for name in dict.fromkeys(shares["panel"]):
        medians = [by[name].median if name in by else np.nan for _, by, _ in rows]
        shown = [units.percent(median / 100) for median in medians]
        how = derived("percent", names[name])
        columns.append(Column(f"{name}, of line rate", medians, shown, numeric=True, derive=how))
    verdicts = [figures_network.verdict(by, counts) for _, by, counts in rows]
    how = derived("verdict", list(names.values()), steps=figures_network.VERDICTS)
    columns.append(column("what it says", verdicts, wide=True, derive=how))
    return Table(
        "network-shares",
        "How much of its network link each storage uses",
        columns,
        "Line rate: the link's bits per second as GiB/s, times the number of client nodes;"
        f" protocols leave about 94 % of it.{HOW_SPREAD}",
        [not counts for *_, counts in rows],
        wrap=True,
        runs=behind,
        used="best",
    )


def clusters(runs):
    """Cluster to cluster: what was measured, and the medians of what counts."""
    title = "Cluster to cluster"
    if runs.empty:
        return text.no_runs(title)
    groups = [
        (name or "unknown", group, group[group["counts"]])
        for name, group in runs.groupby("cluster_name", sort=True)
    ]
    one = (
        " There is one cluster in the table, so nothing to compare it with."
        if len(groups) < 2
        else ""
    )
    return Table(
        "clusters",
        title,
        [
            column("cluster", [name for name, *_ in groups]),
            whole("nodes", [g["node_name"].nunique() for _, g, _ in groups],
                  derive=derived("distinct", "node")),
            whole("storages", [g["storage"].nunique() for _, g, _ in groups],
                  derive=derived("distinct", "storage")),
            whole("runs", [len(group) for _, group, _ in groups], derive=derived("runs")),
            whole("that count", [len(c) for *_, c in groups], derive=derived("runs that count")),
            *(
                spreads(title, [statistics.spread(c[of]) for *_, c in groups], of)
                for title, of in (
                    ("score", "score_total"),
                    ("bandwidth, GiB/s", "score_bandwidth"),
                    ("metadata, kIOPS", "score_iops"),
                )
            ),
            column("best storage by median score", [_best(c) for *_, c in groups],
                   derive=derived("best storage", "score_total")),
        ],
        "Medians with 95 % intervals over the runs that count. Clusters differ in which storages"
        " were benchmarked: compare like with like in the figure"
        f" above.{one}{tidy.engines_note(runs)}",
        runs=[list(group.index) for _, group, _ in groups],
    )  # fmt: skip


def _best(counting):
    if counting.empty:
        return ""
    medians = counting.groupby("storage")["score_total"].median()
    return f"{medians.idxmax()} ({units.number(medians.max())})"


def top_performers(runs):
    """The best node and storage for each kind of work, with the runner-up."""
    title = "The best node and storage for each kind of work"
    if runs.empty:
        return text.no_runs(title)
    counting = runs[runs["counts"]]
    if counting.empty:
        return text.none_count(title, "top performer")
    found = []
    for category, name, unit in CATEGORIES:
        medians = counting.groupby("target")[name].median().dropna()
        medians = medians[medians > 0].sort_values(ascending=False, kind="stable")
        if len(medians):
            found.append((f"{category}, {unit}" if unit else category, medians, name))
    if not found:
        return Missing(
            title, "The table has none of the measures that top performers are found by."
        )
    repeats = counting["target"].value_counts()
    lead = [m.iloc[0] / m.iloc[1] if len(m) > 1 else np.nan for _, m, _ in found]
    return Table(
        "top-performers",
        title,
        [
            column("category", [category for category, *_ in found]),
            column("best", [m.index[0] for _, m, _ in found], derive=derived("first")),
            measure("median", [m.iloc[0] for _, m, _ in found], derive=derived("first median")),
            whole("runs", [repeats[m.index[0]] for _, m, _ in found], derive=derived("first runs")),
            column("runner-up", [m.index[1] if len(m) > 1 else "" for _, m, _ in found],
                   derive=derived("second")),
            measure("its median", [m.iloc[1] if len(m) > 1 else np.nan for _, m, _ in found],
                    derive=derived("second median")),
            Column("lead", lead, [units.factor(value) for value in lead], numeric=True,
                   derive=derived("lead")),
        ],
        "Medians of each node and storage over the runs that count. Where a best one has fewer"
        f" than 3 runs, or a lead is near {units.TIMES}1, it is not"
        f" decided.{tidy.engines_note(counting)}",
        wrap=True,
        search=False,
        runs=[ALL] * len(found),
        of=[name for *_, name in found],
    )  # fmt: skip


def key_statistics(runs):
    """Each measure over all runs that count: extremes, quartiles, spread and outliers."""
    title = "Each measure over all runs that count"
    if runs.empty:
        return text.no_runs(title)
    counting = runs[runs["counts"]]
    if counting.empty:
        return text.none_count(title, "statistics")
    measures = [("score", "score_total", "")]
    measures += [
        ("bandwidth score", "score_bandwidth", "GiB/s"),
        ("metadata score", "score_iops", "kIOPS"),
    ]
    measures += [(phase.name, f"{phase.column}_value", phase.unit) for phase in SCORED]
    found = [(n, u, counting[c].dropna()) for n, c, u in measures if counting[c].notna().any()]
    of = {name: column_of for name, column_of, _ in measures}
    quantile = {q: [values.quantile(q) for *_, values in found] for q in (0, 0.25, 0.5, 0.75, 1)}
    ratio = [low and high / low for low, high in zip(quantile[0], quantile[1], strict=True)]
    return Table(
        "key-statistics",
        title,
        [
            column("measure", [name for name, *_ in found]),
            column("unit", [unit for _, unit, _ in found]),
            whole("runs", [len(values) for *_, values in found], derive=derived("values")),
            *(
                measure(title, quantile[share], derive=derived("quantile", share=share))
                for title, share in (
                    ("minimum", 0),
                    ("lower quartile", 0.25),
                    ("median", 0.5),
                    ("upper quartile", 0.75),
                    ("maximum", 1),
                )
            ),
            Column("max / min", ratio, [units.factor(value) for value in ratio], numeric=True,
                   derive=derived("range")),
        ],
        f"Over the {units.count(len(counting), 'run')} that count, all storages together: how"
        " wide the fleet is, not how noisy a storage is (the score table has that).",
        search=False,
        page=30,
        runs=[ALL] * len(found),
        of=[of[name] for name, *_ in found],
    )  # fmt: skip
