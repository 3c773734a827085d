"""When a series of runs changed its level: found by ranks, so that one outlier is no change.

Each way to cut the series in two is judged by how far the ranks of the parts lie apart
(Mann-Whitney). The furthest cut is a change if at most 1 in 100 shuffled series have one as far,
and if the interval of the ratio of the medians leaves out 1. Where there is none, stretches in the
midst are judged in the same way: a drop that was mended later. Then the parts are looked at.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from hpc_disk_bench.comparison import statistics

SHUFFLES = 1999
RARE = 0.01  # the share of shuffled series that may have such a cut
SEED = 500
ROUNDING = 1e-9


class ChangePoint(NamedTuple):
    """Between `first - 1` and `first` of a series its level changed; `ratio` is after over before.

    `before` and `after` are the Spreads of the steady stretches on either side, `chance` the share
    of shuffled series that have a cut as far.
    """

    first: int
    before: statistics.Spread
    after: statistics.Spread
    ratio: statistics.Spread
    chance: float


def change_points(values):
    """The ChangePoints of `values`, positive figures in order of time, the first to the last."""
    values = np.asarray(values, dtype=float)
    chances = {}
    _cut(values, 0, len(values), chances)
    cuts = [0, *sorted(chances), len(values)]
    found = []
    for start, first, end in zip(cuts, cuts[1:], cuts[2:], strict=False):
        before, after = (
            statistics.spread(part) for part in (values[start:first], values[first:end])
        )
        ratio = statistics.ratio(values[first:end], values[start:first])
        if _changed(ratio):
            found.append(ChangePoint(first, before, after, ratio, chances[first]))
    return found


def _cut(values, start, end, chances):
    part = values[start:end]
    n = len(part)
    if n < 2 * statistics.ENOUGH or np.ptp(part) == 0:
        return
    ranks = _ranks(part)
    for midst in (False, True):
        furthest, first, last = _furthest(ranks, midst)
        shuffled = _shuffled(n, midst)
        as_far = len(shuffled) - np.searchsorted(shuffled, furthest - ROUNDING)
        chance = (1 + as_far) / (1 + len(shuffled))
        rest = np.concatenate([part[:first], part[last:]])
        if chance <= RARE and _changed(statistics.ratio(part[first:last], rest)):
            break
    else:
        return
    ends = [0, *sorted({first, last} - {0, n}), n]
    chances.update(dict.fromkeys((int(start + cut) for cut in ends[1:-1]), float(chance)))
    for low, high in zip(ends, ends[1:], strict=False):
        _cut(values, start + low, start + high, chances)


def _furthest(ranks, midst):
    """The stretch whose ranks lie furthest from the others': (how far, its start, its end)."""
    found = (0.0, 0, len(ranks))
    for starts, width, distances in _stretches(ranks[None, :], midst):
        k = int(np.argmax(distances[0]))
        if distances[0, k] > found[0] + ROUNDING:
            found = (distances[0, k], starts[k], starts[k] + width)
    return found


def _changed(ratio):
    return ratio.decidable and not ratio.low <= 1 <= ratio.high


def _stretches(ranks, midst):
    """How far the ranks of each stretch lie from those of the rest, in standard deviations: for
    each width the starts of its stretches, the width, and one row for each series in `ranks`.
    Stretches from the start, or those in the `midst` that leave 3 values or more on both sides."""
    n, least = ranks.shape[1], statistics.ENOUGH
    sums = np.concatenate([np.zeros((len(ranks), 1)), np.cumsum(ranks, axis=1)], axis=1)
    for width in range(least, n - (2 if midst else 1) * least + 1):
        starts = np.arange(least, n - width - least + 1) if midst else np.array([0])
        off = sums[:, starts + width] - sums[:, starts] - width * (n + 1) / 2
        yield starts, width, np.abs(off) / np.sqrt(width * (n - width) * (n + 1) / 12)


def _ranks(values):
    """Ranks from 1; equal values share the middle of theirs."""
    ordered = np.sort(values)
    low, high = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    return (low + high + 1) / 2


@cache
def _shuffled(n, midst):
    """The furthest stretch of each of many shuffled series of n values, rising."""
    draw = np.random.default_rng(SEED)
    ranks = draw.permuted(np.tile(np.arange(1.0, n + 1), (SHUFFLES, 1)), axis=1)
    furthest = np.zeros(SHUFFLES)
    for _, _, distances in _stretches(ranks, midst):
        np.maximum(furthest, distances.max(axis=1), out=furthest)
    return np.sort(furthest)
