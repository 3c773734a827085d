"""Medians, their intervals and outliers, for small numbers of repeats and numbers of any size.

Rates of storage vary by factors, not by differences, so outliers are judged on logarithms. Samples
are drawn with a fixed seed: the same table gives the same report.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

ENOUGH = 3  # repeats below which a median has no interval
ENOUGH_FOR_OUTLIERS = 5
OUTLIER_SCORE = 3.5  # modified z-score, after Iglewicz and Hoaglin
SAMPLES = 1000
CONFIDENCE = 0.95


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
    values = _finite(values)
    if not len(values):
        return Spread(0, np.nan, np.nan, np.nan)
    median = float(np.median(values))
    if len(values) < ENOUGH:
        return Spread(len(values), median, np.nan, np.nan)
    low, high = np.quantile(_resampled_medians(values), _TAILS)
    return Spread(len(values), median, float(low), float(high))


def ratio(over, under):
    """The ratio of two groups' medians, with its interval where both have enough values."""
    over, under = _finite(over), _finite(under)
    n = min(len(over), len(under))
    if not n or np.median(under) == 0:
        return Spread(n, np.nan, np.nan, np.nan)
    middle = float(np.median(over) / np.median(under))
    if n < ENOUGH:
        return Spread(n, middle, np.nan, np.nan)
    below = _resampled_medians(under, seed=1)
    sampled = _resampled_medians(over)[below > 0] / below[below > 0]
    low, high = np.quantile(sampled, _TAILS)
    return Spread(n, middle, float(low), float(high))


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


_TAILS = ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)


def _finite(values):
    values = np.asarray(values, dtype=float)
    return values[np.isfinite(values)]


def _resampled_medians(values, seed=0):
    drawn = np.random.default_rng(seed).integers(0, len(values), (SAMPLES, len(values)))
    return np.median(values[drawn], axis=1)
