"""What a rule is, and the advice it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from hpc_disk_bench.report import sure

HIGH, MEDIUM, LOW = "high", "medium", "low"


@dataclass
class Advice:
    headline: str
    numbers: list[str]  # a line for each, with the threshold they were held against
    confidence: str
    because: str  # why the confidence is what it is
    runs: list[str]  # the directories of the runs behind the numbers


class Rule(NamedTuple):
    id: str
    condition: str
    find: Callable  # runs that count -> advice
    of_all: bool  # it takes all runs: it asks what no run counts of


RULES: list[Rule] = []


def rule(identifier, condition, of_all=False):
    """Register the decorated function as the rule `identifier`; `condition` says when it speaks."""

    def register(find):
        RULES.append(Rule(identifier, condition, find, of_all))
        return find

    return register


MOST_LINES = 8


class Case(NamedTuple):
    """One thing a rule speaks of: a storage or a node, and the median it was judged by."""

    name: str
    spread: object  # statistics.Spread
    clear: bool  # the whole interval is beyond the threshold
    text: str  # its number with its unit
    runs: object  # the runs behind it, a frame
    compared: object = None  # where runs are held against each other: all of them, a frame


def together(cases, headline, explanation):
    """One Advice about all `cases`; `headline` takes their names, the strongest first."""
    names = [case.name for case in cases]
    named = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    lines = [f"{c.name}: {c.text}, n = {c.spread.n}" for c in cases[:MOST_LINES]]
    if len(cases) > MOST_LINES:
        lines.append(f"and {len(cases) - MOST_LINES} more")
    decidable = sum(case.spread.decidable for case in cases)
    clear = sum(case.clear for case in cases)
    confidence = HIGH if clear == len(cases) else MEDIUM if decidable else LOW
    of = f"of {len(cases)}" if len(cases) > 1 else ""
    because = f"{decidable} {of} with the 3 runs that an interval takes".replace("  ", " ")
    because += f"; {clear} with the whole interval beyond the threshold." if decidable else "."
    if any(case.compared is not None and sure.engines_differ(case.compared) for case in cases):
        confidence, because = LOW, sure.DIFFERENT_ENGINES
    runs = list(dict.fromkeys(run for case in cases for run in directories(case.runs)))
    return Advice(headline.format(named), [explanation, *lines], confidence, because, runs)


def directories(runs):
    return list(runs["run_dir"])
