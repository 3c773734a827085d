"""Which runs count, and why the others do not. The only place where that is decided.

A run counts when it is complete, the benchmark called its score valid, and every scored phase has a
value. All others are shown, marked, and stay out of medians, rankings and recommendations.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pandas as pd

from hpc_disk_bench.phases import BANDWIDTH, SCORED
from hpc_disk_bench.report import units

STATES = ("complete", "invalid", "partial", "failed", "interrupted", "running", "unknown")
# How far a printed score may be from the one recomputed from its parts: half a unit of the three
# decimals that the oldest versions print, for the smallest scores that such a version printed.
SCORE_TOLERANCE = 0.01


def judge(runs, known):
    """Add state, measured, counts, why and suspect. `known`: the scored phases the table has."""
    values = runs[[f"{phase.column}_value" for phase in known]]
    runs["measured"] = (values > 0).sum(axis=1) if known else 0
    runs["state"] = _states(runs, known)
    whole = runs["measured"] == len(known)
    runs["counts"] = (runs["state"] == "complete") & runs["score_valid"].eq(True) & whole
    runs["counts"] &= runs["score_total"] > 0
    runs["why"] = ["" if row["counts"] else _why(row, known) for row in runs.to_dict("records")]
    runs["suspect"] = [_suspect(row) for row in runs.to_dict("records")]
    return runs


def _states(runs, known):
    """The table's state, and for tables without one what the numbers say."""
    guessed = np.select(
        [
            runs["measured"].eq(0) & runs["score_total"].isna(),
            runs["measured"].lt(len(known)),
            runs["score_valid"].eq(True),
            runs["score_valid"].eq(False),
        ],
        ["failed", "partial", "complete", "invalid"],
        "unknown",
    )
    said = runs["state"].str.lower()
    states = said.where(said.isin(STATES), pd.Series(guessed, index=runs.index))
    # A complete run that the benchmark marked is an invalid one, whatever wrote the state.
    contradicted = states.eq("complete") & runs["score_valid"].eq(False)
    return states.mask(contradicted, "invalid").astype(object)


def _why(run, known):
    """Why the run does not count: one clause in the words of who can mend it."""
    if run["state"] == "running":
        return "still running when the table was made"
    missing = [phase.name for phase in known if not run[f"{phase.column}_value"] > 0]
    done = f"{len(known) - len(missing)} of {len(known)} scored phases measured"
    if run["state"] in ("failed", "interrupted"):
        where = f" in {run['last_phase']}" if run["last_phase"] else ""
        return "; ".join(filter(None, [f"{run['state']}{where}", done, run["evidence"]]))
    if run["state"] == "partial":
        return done
    marked = [phase for phase in SCORED if run[f"{phase.column}_valid"] is False]
    if run["state"] == "invalid" and marked:
        return _shortest_words(run, marked)
    if missing:
        return f"{done}, without {', '.join(missing)}"
    if run["state"] == "invalid":
        return "marked INVALID by the benchmark"
    if not run["score_total"] > 0:
        return "it has no score"
    return "the table does not say whether it is valid"


def phase_reasons(run, phase):
    """The benchmark's own reasons for calling one phase invalid, without their numbers.

    The numbers differ from run to run, and the time of the phase, which is shown, says the same.
    """
    said = [reason.strip() for reason in run[f"{phase.column}_reasons"].split(";")]
    plain = [re.sub(r"\d+(\.\d+)?", "...", reason) for reason in said if reason]
    return plain or ["marked INVALID by the benchmark"]


def _shortest_words(run, phases):
    """The reason that most of `phases` share, the phases, and how long they took."""
    reasons = Counter(reason for phase in phases for reason in phase_reasons(run, phase))
    named = []
    for phase in phases:
        time = run[f"{phase.column}_time"]
        took = f" ({units.duration(time)})" if np.isfinite(time) else ""
        named.append(f"{phase.name}{took}")
    return f"{usual(reasons, reasons)}: {', '.join(named)}"


def usual(reasons, counts):
    """Of several reasons the one given most often; among equals one that had no numbers."""
    return max(reasons, key=lambda reason: (counts[reason], "..." not in reason))


def _suspect(run):
    """What makes a run's numbers doubtful although they stand: empty where nothing does."""
    doubts = [run["warnings"].rstrip(".")] if run["warnings"] else []
    bandwidth, iops, total = run["score_bandwidth"], run["score_iops"], run["score_total"]
    if total > 0 and bandwidth > 0 and iops > 0:
        expected = (bandwidth * iops) ** 0.5
        if abs(total / expected - 1) > SCORE_TOLERANCE:
            doubts.append(
                f"the printed score {units.number(total)} is not the root of bandwidth x IOPS,"
                f" {units.number(expected)}"
            )
    fast = over_the_wire(run)
    if fast:
        doubts.append(f"{', '.join(fast)} faster than the network link: read from a cache")
    return "; ".join(doubts)


def repeats(runs):
    """How many runs count of each node and storage that was tried; 0 where none does."""
    return runs.groupby("target")["counts"].sum()


def failures(runs):
    """What to count the runs by that do not count: a code of docs/diagnoses/, else the state."""
    words = runs["state"].replace("complete", "incomplete")
    return runs["diagnosis"].where(runs["diagnosis"] != "", words).where(~runs["counts"], "")


def over_the_wire(run):
    """The read phases of one run that were faster than its network link can carry."""
    if not run["networked"] or not run["wire"] > 0:
        return []
    reads = [phase for phase in BANDWIDTH if phase.operation == "read"]
    return [phase.name for phase in reads if run[f"{phase.column}_value"] > run["wire"]]
