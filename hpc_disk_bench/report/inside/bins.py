"""Series with fewer points: the median, lowest and highest value of a bin, so that none hides."""

from __future__ import annotations

import math
import warnings

import numpy as np

DIGITS = 4  # that a point keeps


def size(count, most):
    """How many of `count` values stand for one point, if there may be `most` points."""
    return max(1, math.ceil(count / most))


def medians(values, per):
    return _of_bins(np.nanmedian, values, per)


def lowest(values, per):
    return _of_bins(np.nanmin, values, per)


def highest(values, per):
    return _of_bins(np.nanmax, values, per)


def middles(start, duration, per):
    """The time in the middle of each bin; start and duration: s of each interval."""
    start, end = np.asarray(start, float), np.asarray(start, float) + np.asarray(duration, float)
    return [round(float(low + high) / 2, 2)
            for low, high in zip(start[::per], [*end[per - 1 : -1 : per], end[-1]], strict=True)
            ] if len(start) else []  # fmt: skip


def rounded(values):
    """`values` with DIGITS significant digits, whole where they have no more; None for unknown."""
    return [_rounded(float(value)) for value in values]


def _rounded(value):
    if not math.isfinite(value):
        return None
    value = float(f"{value:.{DIGITS}g}")
    return int(value) if value.is_integer() else value


def _of_bins(function, values, per):
    values = np.asarray(values, float)
    if per == 1 or not len(values):
        return rounded(values)
    missing = -len(values) % per
    table = np.concatenate([values, np.full(missing, np.nan)]).reshape(-1, per)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a bin of which nothing is known
        return rounded(function(table, axis=1))
