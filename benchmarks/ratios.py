"""Ratios of what was measured in turns."""

import math
import statistics


def turned(kinds, number):
    """The kinds in the order of this round: each is the first in turn."""
    first = number % len(kinds)
    return kinds[first:] + kinds[:first]


def median_ratio(above, below):
    """The median of the ratios within a round; both: a figure a round."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def interval(above, below):
    """(low, high) between which the true median lies with 95 %, by the ranks of the ratios; below 6
    rounds all of them are between.
    """
    ratios = sorted(a / b for a, b in zip(above, below, strict=True))
    outside, count, found = 0, len(ratios), (ratios[0], ratios[-1])
    for left_out in range(count // 2):
        outside += math.comb(count, left_out) / 2 ** (count - 1)
        if outside > 0.05:
            break
        found = ratios[left_out], ratios[-left_out - 1]
    return found
