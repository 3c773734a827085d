"""The form of a series of rates: level, sudden drop, decay, swell, or none of these.

All is judged on logarithms and by blocks of seconds, whose medians forget single slow seconds. A
storage's rate wanders by itself, so a change counts only if it is large against how far the blocks
lie apart where nothing changed; the figures are those of docs/findings.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

ENOUGH = 15  # intervals below which a series has no form
BLOCKS = 24  # at most
LEAST_BLOCK = 3  # intervals
LEAST_DROP = 0.05  # shares of the level before
LEAST_DECAY = 0.02
LEAST_SWELL = 0.2
SWELL_LATENCY = 1.5  # times the latency around it
SWELL_LONGEST = 0.5  # of the series; what lasts longer is a level of its own
# A change is clear from so many times the blocks' own spread on: more for few seconds, whose spread
# is badly known. Of series without a change, with neighbours that depend on each other as far as
# 0.5, 1 in 300 reaches that (benchmarks/findings.py).
CLEAR, CLEAR_OF_FEW = 3.0, 120.0
KENDALL = 3.0  # standard deviations of the count of pairs that follow a trend
SURE = 2.0  # times as much
TINY = 1e-3  # below which a spread is taken to be as much: figures are no more exact


class Form(NamedTuple):
    kind: str  # "steady", "drop", "decay", "swell", "rise", "short"
    level: float  # median rate; of a drop, before it; of a decay, its first steady part
    after: float  # of a drop, the level after it; of a decay, at its end; of a swell, within it
    at: float  # s: of a drop; of a swell, its begin
    until: float  # s: of a swell, its end
    spread: float  # how far rates lie from the form, median absolute deviation, share
    strength: float  # the change in units of what is a clear one: 1 and more

    @property
    def lost(self):
        """The share of the level that is lost."""
        return 1 - self.after / self.level if self.level > 0 else 0.0

    @property
    def confidence(self):
        return "high" if self.strength >= SURE else "medium"


def form(start, duration, rate, latency=None):
    """The Form of a series. start, duration: s; rate: any unit; latency: s, or None."""
    start, duration, rate = (np.asarray(values, float) for values in (start, duration, rate))
    known = np.isfinite(rate)
    if known.sum() < ENOUGH or np.median(rate[known]) <= 0:
        level = float(np.median(rate[known])) if known.any() else np.nan
        return Form("short", level, np.nan, np.nan, np.nan, np.nan, 0.0)
    start, duration, rate = start[known], duration[known], rate[known]
    # Seconds in which nothing ended: as slow as one operation would be, not minus infinity.
    values = np.log(np.maximum(rate, np.median(rate) * 1e-4))
    swell = _swell(start, duration, values, None if latency is None else np.asarray(latency)[known])
    if swell:
        return swell
    size = max(LEAST_BLOCK, int(np.ceil(len(values) / BLOCKS)))
    blocks = np.array([np.median(values[i : i + size]) for i in _edges(len(values), size)])
    noise = _within(values, size)
    step, line = _step(values, blocks, size, noise), _line(blocks, noise, len(values))
    level, spread = float(np.exp(np.median(values))), _deviation(values, np.median(values))
    if step and (not line or step.misfit <= line.misfit):
        before, after = np.median(values[: step.cut]), np.median(values[step.cut :])
        kind = "drop" if after < before else "rise"
        return Form(
            kind,
            float(np.exp(before)),
            float(np.exp(after)),
            float(start[step.cut]),
            np.nan,
            _deviation(values, np.where(np.arange(len(values)) < step.cut, before, after)),
            step.strength,
        )
    if line:
        first, last = line.first, line.last
        kind = "decay" if last < first else "rise"
        trend = np.linspace(first, last, len(values))
        return Form(
            kind,
            float(np.exp(first)),
            float(np.exp(last)),
            np.nan,
            np.nan,
            _deviation(values, trend),
            line.strength,
        )
    return Form("steady", level, np.nan, np.nan, np.nan, spread, 0.0)


class _Step(NamedTuple):
    cut: int  # index of the first value after it
    strength: float
    misfit: float


class _Line(NamedTuple):
    first: float
    last: float
    strength: float
    misfit: float


def _edges(n, size):
    """Begins of blocks of `size` values; a rest that is shorter joins the last one."""
    return range(0, max(1, n // size) * size, size)


def _within(values, size):
    """How far a block's median lies off by what its seconds differ; of few blocks some lie close
    together by chance."""
    rest = [
        part - np.median(part) for part in (values[i : i + size] for i in _edges(len(values), size))
    ]
    return _spread(np.concatenate(rest)) / np.sqrt(size / LEAST_BLOCK)


def _step(values, blocks, size, within):
    """The cut that leaves the two parts closest to their medians, if it is a clear one."""
    found = None
    for k in range(2, len(blocks) - 1):
        parts = blocks[:k], blocks[k:]
        rest = np.concatenate([part - np.median(part) for part in parts])
        misfit = float(np.abs(rest).mean())
        if found is None or misfit < found[0]:
            found = misfit, k, rest
    if found is None:
        return None
    misfit, k, rest = found
    change = abs(np.median(blocks[:k]) - np.median(blocks[k:]))
    clear = _clear(len(values)) * max(_spread(rest), within, TINY)
    # Most blocks before must lie on the other side of most blocks after.
    before, after = np.sort(blocks[:k]), np.sort(blocks[k:])
    if before.mean() < after.mean():
        before, after = after, before
    apart = before[len(before) // 4] > after[-1 - len(after) // 4]
    if change < -np.log1p(-LEAST_DROP) or change < clear or not apart:
        return None
    return _Step(_exact(values, k * size, size), change / clear, misfit)


def _clear(n):
    return CLEAR + CLEAR_OF_FEW / n


def _exact(values, near, size):
    """The cut within a block of the one found, value by value."""
    cuts = range(max(2, near - size), min(len(values) - 2, near + size) + 1)

    def misfit(cut):
        return sum(np.abs(part - np.median(part)).sum() for part in (values[:cut], values[cut:]))

    return min(cuts, key=misfit)


def _line(blocks, within, seconds):
    """The trend of the blocks (Theil and Sen), if it is a clear one."""
    n = len(blocks)
    i, j = np.triu_indices(n, 1)
    slope = np.median((blocks[j] - blocks[i]) / (j - i))
    level = np.median(blocks - slope * np.arange(n))
    rest = blocks - level - slope * np.arange(n)
    clear = _clear(seconds) * max(_spread(rest), within, TINY)
    change = abs(slope) * (n - 1)
    # Kendall: how many pairs of blocks follow the trend, more than by chance.
    follow = np.sign(blocks[j] - blocks[i]).sum() * np.sign(slope)
    chance = np.sqrt(n * (n - 1) * (2 * n + 5) / 18)
    if change < -np.log1p(-LEAST_DECAY) or change < clear or follow < KENDALL * chance:
        return None
    strength = change / clear
    return _Line(level, level + slope * (n - 1), strength, float(np.abs(rest).mean()))


def _swell(start, duration, values, latency):
    """The longest stretch of slow seconds with others before and after it, if it is a clear one."""
    n = len(values)
    level = np.median(values)
    clear = max(
        _clear(n) * max(_spread(np.diff(values)) / np.sqrt(2), TINY), -np.log1p(-LEAST_SWELL)
    )
    slow = values < level - clear
    best = None
    for begin, end in _stretches(slow):
        if slow[begin:end].sum() < LEAST_BLOCK or end - begin > SWELL_LONGEST * n:
            continue
        # Something fast must come before and after, else it is a drop or a late start.
        if begin < LEAST_BLOCK or n - end < LEAST_BLOCK:
            continue
        if best is None or end - begin > best[1] - best[0]:
            best = begin, end
    if best is None:
        return None
    begin, end = best
    inside = np.median(values[begin:end])
    rest = np.concatenate([values[:begin], values[end:]])
    if latency is not None:
        within, around = (
            np.nanmedian(latency[begin:end]),
            np.nanmedian(np.concatenate([latency[:begin], latency[end:]])),
        )
        if np.isfinite(within) and np.isfinite(around) and within < SWELL_LATENCY * around:
            return None
    level = np.median(rest)
    return Form(
        "swell",
        float(np.exp(level)),
        float(np.exp(inside)),
        float(start[begin]),
        float(start[end - 1] + duration[end - 1]),
        _deviation(rest, level),
        float((level - inside) / clear),
    )


def _stretches(flags):
    """(begin, end) of each stretch of set flags; single ones that are not are bridged."""
    bridged = flags.copy()
    bridged[1:-1] |= flags[:-2] & flags[2:]
    edges = np.flatnonzero(np.diff(np.concatenate([[0], bridged.astype(int), [0]])))
    return zip(edges[::2], edges[1::2], strict=True)


def _spread(rest):
    """A standard deviation that a few outliers do not move."""
    return float(1.4826 * np.median(np.abs(rest - np.median(rest))))


def _deviation(values, center):
    return float(np.median(np.abs(np.expm1(values - center))))
