"""Medians, their intervals and outliers, for small numbers of repeats and numbers of any size.

Rates of storage vary by factors, not by differences, so outliers are judged on logarithms.

The intervals are those of the percentile bootstrap, without drawing samples: how often the median
of a resample is which of the values, or the mean of which two, can be said exactly. What a thousand
samples approach is reached, the same on every machine.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

ENOUGH = 3  # repeats below which a median has no interval
ENOUGH_FOR_OUTLIERS = 5
OUTLIER_SCORE = 3.5  # modified z-score, after Iglewicz and Hoaglin
CONFIDENCE = 0.95
TAIL = (1 - CONFIDENCE) / 2
# The median of a resample of n is, but for less than 1e-20, no further than so many times the root
# of n from the middle, in ranks; its two middle values are no further than NEIGHBOURS apart.
REACH, NEIGHBOURS = 5, 50
ROUNDING = 1e-9  # of sums of probabilities
HALVINGS = 60


class Spread(NamedTuple):
    """A median of `n` values; `low` and `high` bound it with 95 % confidence, nan where n < 3."""

    n: int
    median: float
    low: float
    high: float

    @property
    def decidable(self):
        return self.n >= ENOUGH


def spread(values):
    """The Spread of `values`; what is not finite is left out."""
    values = _finite(values)
    if not len(values):
        return Spread(0, np.nan, np.nan, np.nan)
    median = float(np.median(values))
    if len(values) < ENOUGH:
        return Spread(len(values), median, np.nan, np.nan)
    medians, shares = resampled_medians(values)
    low = medians[np.searchsorted(np.cumsum(shares), TAIL - ROUNDING)]
    high = medians[::-1][np.searchsorted(np.cumsum(shares[::-1]), TAIL - ROUNDING)]
    return Spread(len(values), median, float(low), float(high))


def ratio(over, under):
    """The Spread of the ratio of two groups' medians; `n` is that of the smaller group."""
    over, under = _finite(over), _finite(under)
    n = min(len(over), len(under))
    if not n or np.median(under) <= 0:
        return Spread(n, np.nan, np.nan, np.nan)
    middle = float(np.median(over) / np.median(under))
    if n < ENOUGH:
        return Spread(n, middle, np.nan, np.nan)
    above, below = resampled_medians(over), resampled_medians(under)
    low = _ratio_at(above, below, TAIL)
    high = _ratio_at(above, below, 1 - TAIL)
    return Spread(n, middle, low, high)


def resampled_medians(values):
    """Which medians resamples of `values` have, rising, and how often: (medians, shares of 1)."""
    values = np.sort(_finite(values))
    n = len(values)
    near = int(REACH * math.sqrt(n)) + 1
    ranks = np.arange(max(1, n // 2 - near), min(n, n // 2 + 1 + near) + 1)
    middle = (n + 1) // 2
    at = np.diff(_at_least(n, middle, ranks), prepend=0.0)  # how often the middle has this rank
    if n % 2:
        return values[ranks - 1], at / at.sum()
    # Of an even number the middle and the one after it count: of ranks i < j where all below the
    # middle are at most i and all above it at least j.
    ways = math.exp(_log_choose(n, middle) - n * math.log(2))
    below = (2 * ranks / n) ** middle - (2 * (ranks - 1) / n) ** middle
    above = (2 * (n - ranks + 1) / n) ** middle - (2 * (n - ranks) / n) ** middle
    same = at - ways * below * (2 * (n - ranks) / n) ** middle
    medians, shares = [values[ranks - 1]], [same]
    for apart in range(1, min(NEIGHBOURS, len(ranks) - 1) + 1):
        medians.append((values[ranks[:-apart] - 1] + values[ranks[apart:] - 1]) / 2)
        shares.append(ways * below[:-apart] * above[apart:])
    medians, shares = np.concatenate(medians), np.maximum(np.concatenate(shares), 0)
    order = np.argsort(medians, kind="stable")
    return medians[order], shares[order] / shares.sum()


def outliers(values):
    """A flag for each of `values` that is far from the median, for how far most are."""
    values = np.asarray(values, dtype=float)
    flags = np.zeros(len(values), dtype=bool)
    usable = np.isfinite(values) & (values > 0)
    if usable.sum() < ENOUGH_FOR_OUTLIERS:
        return flags
    logs = np.log(values[usable])
    distance = np.abs(logs - np.median(logs))
    typical = np.median(distance)
    if typical > 0:
        flags[usable] = 0.6745 * distance / typical > OUTLIER_SCORE
    return flags


def relative_spread(values):
    """The median absolute deviation as a share of the median; nan below 3 values."""
    values = _finite(values)
    if len(values) < ENOUGH or np.median(values) == 0:
        return np.nan
    return float(np.median(np.abs(values - np.median(values))) / np.median(values))


def geometric_mean(values):
    """The geometric mean of positive values; nan when one is missing or 0."""
    values = np.asarray(values, dtype=float)
    if not len(values) or not np.all(values > 0):
        return np.nan
    return float(np.exp(np.mean(np.log(values))))


def _finite(values):
    values = np.asarray(values, dtype=float)
    return values[np.isfinite(values)]


def _log_choose(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _at_least(n, wanted, ranks):
    """How often `wanted` or more of `n` draws are among the lowest `ranks` of n: one share each."""
    last = min(n, wanted + 4 * REACH * int(math.sqrt(n) + 1))
    counts = np.arange(wanted, last + 1)
    ways = np.array([_log_choose(n, k) for k in counts])
    inside = np.minimum(ranks, n - 0.5) / n  # the whole is 1, set below
    each = counts * np.log(inside)[:, None] + (n - counts) * np.log1p(-inside)[:, None]
    shares = np.exp(ways + each).sum(axis=1)
    return np.where(ranks == n, 1.0, np.minimum(shares, 1.0))


def _ratio_at(above, below, share):
    """The ratio that `share` of all pairs of resampled medians do not exceed."""
    tops, weights = above
    reached = np.concatenate([[0.0], np.cumsum(weights)])
    bottoms, often = (part[below[0] > 0] for part in below)
    often = often / often.sum()
    positive = tops[tops > 0]
    if not len(positive):
        return 0.0
    low = math.log(positive[0] / bottoms[-1]) - 1e-9
    high = math.log(positive[-1] / bottoms[0]) + 1e-9
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        found = np.searchsorted(tops, math.exp(middle) * bottoms, side="right")
        if often @ reached[found] >= share - ROUNDING:
            high = middle
        else:
            low = middle
    return math.exp(high)
