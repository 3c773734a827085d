"""What to do, found by rules: each with an id, its condition, the numbers, the threshold, how sure.

Only the numbers of runs that count enter. A rule is a function of those runs that returns the
advice it gives, and nothing where its condition does not hold.
"""

from __future__ import annotations

from hpc_disk_bench.report import rules_storage, rules_trust, text, units
from hpc_disk_bench.report.markup import escape, items, tag
from hpc_disk_bench.report.rule import RULES

__all__ = ["RULES", "find", "rules_storage", "rules_trust", "section"]


def find(runs):
    """All advice for `runs`: (rule, advice) in the order of the rules."""
    counting = runs[runs["counts"]]
    if counting.empty:
        return []
    return [
        (rule, advice) for rule in RULES for advice in rule.find(runs if rule.of_all else counting)
    ]


def section(runs):
    """The advice as markup, or the sentence that says why there is none."""
    title = "Recommendations"
    if runs.empty:
        return text.no_runs(title)
    if not runs["counts"].any():
        return text.none_count(title, "recommendation")
    found = find(runs)
    if not found:
        said = f"None of the {units.count(len(RULES), 'rule')} finds its condition met."
        return tag("p", escape(said))
    return "\n".join(_card(rule, advice) for rule, advice in found)


def _card(rule, advice):
    named = [tag("code", escape(run)) for run in advice.runs if run][:200]
    runs = tag(
        "details",
        tag("summary", f"{rule.id} · {escape(units.count(len(advice.runs), 'run'))}"),
        tag("p", f"Rule: {escape(rule.condition)}"),
        items(named),
        class_="hdb-rule",
    )
    return tag(
        "section",
        tag("h4", escape(advice.headline)),
        tag("p", escape(advice.numbers[0])),
        items(map(escape, advice.numbers[1:])) if advice.numbers[1:] else "",
        tag("p", tag("strong", f"Confidence: {advice.confidence}."), f" {escape(advice.because)}"),
        runs,
        class_="hdb-advice",
        data_rule=rule.id,
    )
