"""The rules about how far to trust what was measured: gaps, noise, repeats, slow nodes."""

from __future__ import annotations

from hpc_disk_bench.comparison import statistics
from hpc_disk_bench.phases import BANDWIDTH
from hpc_disk_bench.report import history, quality, units
from hpc_disk_bench.report.rule import HIGH, Advice, Case, directories, rule, together

WIDE_GAP = 10.0  # the factor from hard to easy from which the way of writing decides
NOISY = 0.15  # median deviation of a target's scores, as a share of their median
SLOW_NODE = 0.5  # of the other nodes' median
ENOUGH_NODES = 3


@rule("REC30", f"ior-easy-write is at least {WIDE_GAP:.0f} times ior-hard-write")
def gap_from_hard_to_easy(runs):
    columns = {p.difficulty: f"{p.column}_value" for p in BANDWIDTH if p.operation == "write"}
    cases = []
    for storage, group in runs.groupby("storage"):
        spread = statistics.spread(group[columns["easy"]] / group[columns["hard"]])
        if spread.median >= WIDE_GAP:
            text = f"{units.number(spread.median, 2)} times"
            cases.append(Case(storage, spread, spread.low >= WIDE_GAP, text, group))
    if cases:
        explanation = (
            f"Easy writes over hard ones, medians; threshold {WIDE_GAP:.0f}. Small unaligned writes"
            " into one shared file lose that factor."
        )
        cases.sort(key=lambda case: -case.spread.median)
        yield together(cases, "Write large blocks and one file per rank on {}", explanation)


@rule(
    "REC40",
    f"a node and storage has fewer than {statistics.ENOUGH} runs that count",
    of_all=True,
)
def too_few_repeats(runs):
    counts = quality.repeats(runs)
    few = counts[counts < statistics.ENOUGH]
    if len(few):
        named = ", ".join(f"{target} ({n or 'none'})" for target, n in few.head(5).items())
        named += " and others" if len(few) > 5 else ""
        yield Advice(
            f"Repeat the runs on {units.count(len(few), 'target')} of {len(counts)}",
            [
                f"Fewer than {statistics.ENOUGH} runs that count, so differences there cannot be"
                f" told from noise: {named}."
            ],
            HIGH,
            "It is a count.",
            directories(runs[runs["target"].isin(few.index)]),
        )


@rule(
    "REC41",
    f"scores of a node and storage scatter by more than {100 * NOISY:.0f} % around their median",
)
def noisy_targets(runs):
    cases = []
    for target, group in runs.groupby("target"):
        scatter = statistics.relative_spread(group["score_total"])
        if scatter > NOISY:
            spread = statistics.spread(group["score_total"])
            certain = spread.n >= statistics.ENOUGH_FOR_OUTLIERS
            cases.append((scatter, Case(target, spread, certain, units.percent(scatter), group)))
    if cases:
        explanation = (
            "Half of the runs are further from their median score than this share of it;"
            f" threshold {units.percent(NOISY)}. Other jobs on the storage, a failing disk or a"
            " rebuild are usual causes."
        )
        ordered = [case for _, case in sorted(cases, key=lambda pair: -pair[0])]
        yield together(ordered, "Find out what disturbs {}", explanation)


@rule(
    "REC42",
    f"a node reaches less than {SLOW_NODE} times the other nodes' median bandwidth on one networked"
    f" storage, over links of one speed, with at least {ENOUGH_NODES} other nodes",
)
def slow_nodes(runs):
    networked = runs[runs["networked"]]
    cases = []
    for (storage, _), group in networked.groupby(["storage", "wire"], dropna=False):
        medians = group.groupby("node")["score_bandwidth"].median()
        for node, value in medians.items():
            others = medians.drop(node)
            if len(others) >= ENOUGH_NODES and value < SLOW_NODE * others.median():
                own = group[group["node"] == node]
                spread = statistics.spread(own["score_bandwidth"])
                clear = spread.decidable and spread.high < SLOW_NODE * others.median()
                text = f"{units.number(value)} GiB/s against {units.number(others.median())} GiB/s"
                cases.append(
                    (
                        value / others.median(),
                        Case(f"{node} on {storage}", spread, clear, text, own, group),
                    )
                )
    if cases:
        explanation = (
            "Median bandwidth score against that of the other nodes with the same link; threshold"
            f" {SLOW_NODE} of it."
        )
        ordered = [case for _, case in sorted(cases, key=lambda pair: pair[0])]
        yield together(ordered, "Look at {}: slower than the other nodes", explanation)


@rule("REC50", "the latest level of a node and storage is below the one before it")
def got_slower(runs):
    slower = [change for change in history.changes(runs) if change.last and _fell(change)]
    if slower:
        slower.sort(key=lambda change: change.point.ratio.median)
        stretches = [change.runs.iloc[change.start : change.end] for change in slower]
        cases = [
            Case(
                f"{change.target}, {history.HALVES[change.column].split(',')[0]}",
                change.point.ratio,
                True,
                f"{history.said(change)}, from {units.number(change.point.before.median)} to"
                f" {units.number(change.point.after.median)}",
                runs,
                runs,
            )
            for change, runs in zip(slower, stretches, strict=True)
        ]
        explanation = (
            f"Changes among {history.LEAST} runs or more; threshold: at most 1 in 100 shuffled"
            " histories have one as clear. See what changed then: engine, configuration, kernel,"
            " fill level, other users."
        )
        yield together(cases, "Find out why {} got slower", explanation)


def _fell(change):
    return change.point.ratio.high < 1
