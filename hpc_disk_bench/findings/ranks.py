"""Ranks that kept the others waiting, and what of a phase came after the stonewall."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

LEAST_WAIT = 0.1  # of the phase
LEAST_SECONDS = 2.0
MUCH = 0.25  # of the phase, from which there is no doubt
FEW = 3  # ranks below which "the others" are one


class Straggler(NamedTuple):
    rank: int
    host: str
    waited: float  # share of the phase that the other ranks, by their median, waited for it
    seconds: float  # the same in s
    slower: float  # its rate before the stonewall to the median of the others'; nan if not known
    confidence: str


class Tail(NamedTuple):
    share: float  # of the phase, after the stonewall
    seconds: float
    slowest: float  # operations of the slowest rank at the stonewall to those of the fastest
    confidence: str


def straggler(ranks):
    """The Straggler of a phase by its rows of ranks.csv, or None: a rank alone keeps nobody
    waiting, and where many are late there is no straggler."""
    if len(ranks) < 2:
        return None
    ended = ranks["last_s"].to_numpy(float)
    if not np.isfinite(ended).all():
        return None
    late = int(np.argmax(ended))
    others = np.delete(ended, late)
    waited = ended[late] - np.median(others)
    # Half of the others late as well would be a spread of all ranks.
    second = ended[late] - others.max()
    if waited < max(LEAST_WAIT * ended[late], LEAST_SECONDS) or second < 0.5 * waited:
        return None
    row = ranks.iloc[late]
    share = float(waited / ended[late])
    return Straggler(
        int(row["rank"]),
        str(row["host"]),
        share,
        float(waited),
        _slower(ranks, late),
        "high" if share >= MUCH and len(ranks) >= FEW else "medium",
    )


def tail(ranks):
    """The Tail of a phase that a stonewall ended, or None."""
    if len(ranks) < 2 or "stonewall_operations" not in ranks:
        return None
    stonewall = ranks["stonewall_s"].to_numpy(float)
    done = ranks["stonewall_operations"].to_numpy(float)
    ended = ranks["last_s"].to_numpy(float)
    if not (np.isfinite(stonewall) & np.isfinite(done) & np.isfinite(ended)).all():
        return None
    # Ranks that reached it before the others went on had done all there was to do.
    seconds = ended.max() - stonewall.max()
    if seconds < max(LEAST_WAIT * ended.max(), LEAST_SECONDS) or done.max() <= 0:
        return None
    share = float(seconds / ended.max())
    slowest = float(done.min() / done.max())
    return Tail(share, float(seconds), slowest, "high" if share >= MUCH else "medium")


def _slower(ranks, late):
    done = ranks.get("stonewall_operations", ranks["operations"]).to_numpy(float)
    until = ranks.get("stonewall_s", ranks["last_s"]).to_numpy(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = done / until
    others = np.median(np.delete(rates, late))
    return float(rates[late] / others) if others > 0 else float("nan")
