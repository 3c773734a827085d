"""The answer at the top of the page: which storage for what, and what to worry about."""

from __future__ import annotations

from hpc_disk_bench.comparison import statistics
from hpc_disk_bench.report import failures, history, quality, sure, text, tidy, units, uses
from hpc_disk_bench.report.charts import ALL, Column, Table, column, derived
from hpc_disk_bench.report.markup import escape, items, tag

MOST_WORRIES = 5
VERDICTS = {
    sure.CLEAR: "yes",
    sure.NOISE: "no: it may be noise",
    sure.FEW: "not decidable: fewer than 3 runs on one side",
    sure.ENGINES: "no: runs of different engines or versions are compared",
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
    leaders = [uses.leader(counting, use) for use in uses.USES]
    firsts = [statistics.spread(one.values.get(one.first, [])) for one in leaders]
    leads = [_lead_words(one.ratio) for one in leaders]
    verdicts = [VERDICTS["invalid" if none else _verdict(one)] for one in leaders]
    return Table(
        "answer",
        title,
        [
            column("for", [f"{use.name} ({use.unit})" for use in uses.USES]),
            column("use", [one.first for one in leaders], derive=derived("use first")),
            Column("its median", [s.median for s in firsts], [_interval(s) for s in firsts],
                   numeric=True, derive=derived("use first spread")),
            column("next", [one.second for one in leaders], derive=derived("use second")),
            Column("times the next", [one.ratio.median for one in leaders], leads,
                   numeric=True, derive=derived("use lead")),
            column("is it sure?", verdicts, derive=derived("use verdict", words=VERDICTS)),
        ],
        "Medians of the runs that count, all nodes of a storage together, with 95 % intervals."
        f"{NO_RUN_COUNTS if none else ''} Judged by the"
        f" {'; the '.join(use.judged_by for use in uses.USES)}.{tidy.engines_note(counting)}",
        [none] * len(leaders),
        wrap=True,
        used="best",
        search=False,
        runs=[ALL] * len(leaders),
        of=[use.column for use in uses.USES],
    )  # fmt: skip


def _verdict(one):
    if not one.second:
        return "alone" if one.first else "none"
    return sure.verdict(one.ratio, one.runs)


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
    few = int((quality.repeats(runs) < statistics.ENOUGH).sum())
    if few:
        said = units.count(few, "node and storage", "pairs of node and storage")
        least = f"fewer than {statistics.ENOUGH} runs that count"
        yield "#advice", f"{said} with {least}: no intervals there"
