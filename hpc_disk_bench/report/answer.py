"""The answer at the top of the page: which storage for what, and what to worry about."""

from __future__ import annotations

from hpc_disk_bench.comparison import statistics
from hpc_disk_bench.report import failures, history, text, tidy, units, uses
from hpc_disk_bench.report.charts import ALL, Column, Table, column, derived
from hpc_disk_bench.report.markup import escape, items, tag

MOST_WORRIES = 5
VERDICTS = {
    "clear": "yes",
    "noise": "no: it may be noise",
    "few": "not decidable: fewer than 3 runs on one side",
    "alone": "the only storage that was measured",
    "none": "not measured",
    "invalid": "no: no run counts, for orientation only",
}


NO_RUN_COUNTS = " No run counts: these are medians of the others, for orientation only."


def best(runs):
    """The best storage for each use, by how much, and whether that is more than noise."""
    title = "Which storage for which work"
    if runs.empty:
        return None
    counting = runs[runs["counts"]]
    none = counting.empty
    if none:  # quick runs, as a demo's, still say which way it goes
        counting = runs[runs[[use.column for use in uses.USES]].notna().any(axis=1)]
    if counting.empty:
        return text.none_count(title, "answer")
    rows = [_best_for(use, counting) for use in uses.USES]
    firsts = [statistics.spread(first) for _, first, _, _ in rows]
    ratios = [statistics.ratio(first, second) for _, first, _, second in rows]
    leads = [_lead_words(ratio) for ratio in ratios]
    verdicts = [
        VERDICTS["invalid"] if none else _verdict(first, second, ratio)
        for (first, _, second, _), ratio in zip(rows, ratios, strict=True)
    ]
    return Table(
        "answer",
        title,
        [
            column("for", [f"{use.name} ({use.unit})" for use in uses.USES]),
            column("use", [first for first, *_ in rows], derive=derived("use first")),
            Column("its median", [s.median for s in firsts], [_interval(s) for s in firsts],
                   numeric=True, derive=derived("use first spread")),
            column("next", [second for _, _, second, _ in rows], derive=derived("use second")),
            Column("times the next", [r.median for r in ratios], leads, numeric=True,
                   derive=derived("use lead")),
            column("is it sure?", verdicts, derive=derived("use verdict", words=VERDICTS)),
        ],
        "Medians of the runs that count, all nodes of a storage together, with 95 % intervals."
        f"{NO_RUN_COUNTS if none else ''} Judged by the"
        f" {'; the '.join(use.judged_by for use in uses.USES)}.{tidy.engines_note(counting)}",
        [none] * len(rows),
        wrap=True,
        used="best",
        search=False,
        runs=[ALL] * len(rows),
        of=[use.column for use in uses.USES],
    )  # fmt: skip


def _best_for(use, counting):
    """(best storage, its values, the next, its values) for one use; empty where there is none."""
    groups = {name: values.dropna() for name, values in counting.groupby("storage")[use.column]}
    medians = {name: values.median() for name, values in groups.items() if len(values)}
    order = sorted(medians, key=lambda name: -medians[name])
    found = [(name, groups[name]) for name in order[:2]]
    found += [("", [])] * (2 - len(found))
    return (*found[0], *found[1])


def _verdict(first, second, ratio):
    if not second:
        return VERDICTS["alone" if first else "none"]
    if not ratio.decidable:
        return VERDICTS["few"]
    return VERDICTS["clear" if ratio.low > 1 else "noise"]


def _interval(spread):
    if not spread.decidable:
        return units.number(spread.median)
    ends = units.DASH.join(units.number(end) for end in (spread.low, spread.high))
    return f"{units.number(spread.median)} [{ends}]"


def _lead_words(ratio):
    if not ratio.decidable:
        return units.factor(ratio.median)
    low, high = (units.number(end, 2) for end in (ratio.low, ratio.high))
    return f"{units.factor(ratio.median)} [{low}{units.DASH}{high}]"


def worries(runs, changes):
    """What a reader has to know before using a number, each with where to look."""
    if runs.empty:
        return None
    said = [*_failed(runs), *_suspect(runs), *_slower(changes), *_few(runs)]
    lines = [tag("a", escape(words), href=place) for place, words in said]
    good = tag("p", "Nothing: all runs count, none is suspect, nothing got slower.")
    return tag(
        "div",
        tag("p", "What to worry about", class_="hdb-title"),
        items(lines) if lines else good,
        class_="hdb-worries",
    )


def _failed(runs):
    hidden = runs[~runs["counts"]]
    for code, n in hidden["failure"].value_counts().head(MOST_WORRIES).items():
        yield "#figure-failures", f"{failures.title(code)}: {units.count(n, 'run')}"


def _suspect(runs):
    suspect = int((runs["counts"] & (runs["suspect"] != "")).sum())
    if suspect:
        yield "#table-score-table", f"{units.count(suspect, 'suspect run')}, ranked all the same"


def _slower(changes):
    slower = [change for change in changes if change.last and change.point.ratio.high < 1]
    for change in slower[:MOST_WORRIES]:
        measure = history.HALVES[change.column].split(",")[0]
        yield "#figure-history", f"{change.target}: {measure} {history.said(change)}"
    if len(slower) > MOST_WORRIES:
        yield "#table-changes", f"and {len(slower) - MOST_WORRIES} more that got slower"


def _few(runs):
    repeats = runs[runs["counts"]]["target"].value_counts()
    few = int((repeats < statistics.ENOUGH).sum())
    if few:
        said = units.count(few, "node and storage", "pairs of node and storage")
        yield "#advice", f"{said} with fewer than {statistics.ENOUGH} runs: no intervals there"
