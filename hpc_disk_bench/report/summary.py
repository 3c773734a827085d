"""The top of the page: may these numbers be trusted, and what was measured."""

from __future__ import annotations

from collections import Counter

from hpc_disk_bench.phases import SCORED
from hpc_disk_bench.report import quality, text, units
from hpc_disk_bench.report.emit import render
from hpc_disk_bench.report.markup import escape, items, tag

MOST_REASONS = 8
TO_DO = {
    "invalid": (
        "Invalid runs: most often a write phase ended before the stonewall. Raise blockSize or n"
        " in the configuration, and use one that is made for measuring, not the quick one."
    ),
    "failed": "Failed runs: status.json in the run's directory has the line that says why.",
    "partial": "Partial runs: repeat them; what they measured is shown and not ranked.",
}


def banner(runs):
    """How many runs count, and why the others do not: the first thing on the page."""
    if runs.empty:
        return render(text.no_runs("No runs"))
    total, counting = len(runs), int(runs["counts"].sum())
    suspect = runs[runs["counts"] & (runs["suspect"] != "")]
    hidden = runs[~runs["counts"]]
    parts = [tag("p", escape(_lead(total, counting)), class_="hdb-lead")]
    if len(hidden):
        by_state = hidden["state"].replace("complete", "incomplete").value_counts()
        kinds = ", ".join(f"{n} {state}" for state, n in by_state.items())
        parts.append(
            tag("p", f"{escape(kinds)}. They are shown hollow or hatched, and not ranked.")
        )
        parts += [_invalid_phases(hidden), _reasons(_hidden_reasons(hidden))]
    if len(suspect):
        one = len(suspect) == 1
        said = "1 run that counts is" if one else f"{len(suspect)} runs that count are"
        parts += [tag("p", f"{said} suspect:"), _reasons("; ".join(suspect["suspect"]).split("; "))]
    advice = [TO_DO[state] for state in TO_DO if (hidden["state"] == state).any()]
    parts += [tag("p", escape(sentence)) for sentence in advice]
    good = "hdb-allgood" if not len(hidden) and not len(suspect) else "hdb-somebad"
    kind = good if counting else "hdb-allbad"
    return tag("div", *parts, class_=f"hdb-banner {kind}", role="status")


def _lead(total, counting):
    if counting == total:
        return f"✓ All {total} runs count." if total > 1 else "✓ The one run counts."
    if total == 1:
        return "✗ The one run does not count: read its numbers with care."
    if not counting:
        return f"✗ None of the {total} runs counts: read their numbers with care."
    return f"! {total - counting} of {total} runs do not count."


def _hidden_reasons(hidden):
    """Why runs do not count, without what differs from run to run: the sentences to count."""
    found = []
    for run in hidden.to_dict("records"):
        if run["state"] == "failed" and run["evidence"]:
            found.append(f"failed: {run['evidence']}")
        elif run["state"] not in ("invalid", "failed", "interrupted", "partial", "running"):
            found.append(run["why"])
    return found


def _invalid_phases(hidden):
    """A line for each reason of the benchmark, with the phases and runs that it holds for."""
    marked = [
        (phase.name, quality.phase_reasons(run, phase))
        for run in hidden[hidden["state"] == "invalid"].to_dict("records")
        for phase in SCORED
        if run[f"{phase.column}_valid"] is False
    ]
    common = Counter(reason for _, reasons in marked for reason in reasons)
    by_reason = {}
    for name, reasons in marked:  # of several reasons for one phase the usual one is enough
        by_reason.setdefault(quality.usual(reasons, common), Counter())[name] += 1
    lines = []
    for reason, names in by_reason.items():
        listed = ", ".join(f"{name} ({units.count(n, 'run')})" for name, n in names.items())
        lines.append(escape(f"{reason}: {listed}"))
    return items(lines) if lines else ""


def _reasons(reasons):
    """The reasons, most frequent first, each with the number of runs it holds for."""
    counts = Counter(reasons).most_common()
    lines = [f"{escape(reason)} ({units.count(n, 'run')})" for reason, n in counts[:MOST_REASONS]]
    rest = len(counts) - MOST_REASONS
    if rest > 0:
        lines.append(f"and {units.count(rest, 'other reason')}: see the score table")
    return items(lines) if lines else ""


def tiles(runs):
    """The extent of what was measured, in numbers."""
    if runs.empty:
        return ""
    storages = ", ".join(sorted(runs["storage"].unique())[:8])
    networked = int(runs["networked"].sum())
    engines = sorted(runs["made_by"].unique())
    facts = [
        ("runs", f"{len(runs)}", _counting(runs)),
        ("nodes", f"{runs['node'].nunique()}", f"in {units.count(_clusters(runs), 'cluster')}"),
        ("storages", f"{runs['storage'].nunique()}", storages),
        ("local / networked", f"{len(runs) - networked} / {networked}", "runs"),
        ("engines", f"{len(engines)}", "; ".join(engines[:4])),
        ("period", *_period(runs)),
    ]
    made = [
        tag("div", tag("dt", escape(name)), tag("dd", escape(value), tag("small", escape(more))),
            class_="hdb-tile")
        for name, value, more in facts
    ]  # fmt: skip
    return tag("dl", *made, class_="hdb-tiles")


def _clusters(runs):
    return runs["cluster_name"].nunique()


def _counting(runs):
    counting = int(runs["counts"].sum())
    return "all count" if counting == len(runs) else f"{counting or 'none'} of them count"


def _period(runs):
    """How many days the runs span, and from when to when."""
    started = runs["started"].dropna()
    if started.empty:
        return "unknown", ""
    first, last = started.min(), started.max()
    days = units.count((last.normalize() - first.normalize()).days + 1, "day")
    dates = (
        f"{first:%Y-%m-%d}"
        if first.date() == last.date()
        else f"{first:%Y-%m-%d} to {last:%Y-%m-%d}"
    )
    seconds = (runs["end_epoch"] - runs["start_epoch"]).sum()
    took = f"; {units.duration(seconds)} of benchmarking" if seconds > 0 else ""
    return days, dates + took
