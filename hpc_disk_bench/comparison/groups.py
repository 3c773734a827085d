"""Two groups of runs, measure by measure: better, worse, noise, or not decidable."""

from __future__ import annotations

import math
from typing import NamedTuple

from hpc_disk_bench.comparison import statistics
from hpc_disk_bench.phases import SCORED

BETTER, WORSE, NOISE, UNDECIDED = "better", "worse", "noise", "not decidable"


class Measure(NamedTuple):
    """Something that runs are compared by. All measures are rates: more is better."""

    name: str
    column: str  # of the table
    unit: str


MEASURES = (
    Measure("score", "score_total", ""),
    Measure("bandwidth score", "score_bandwidth", "GiB/s"),
    Measure("metadata score", "score_iops", "kIOPS"),
    *(Measure(phase.name, f"{phase.column}_value", phase.unit) for phase in SCORED),
)


class Compared(NamedTuple):
    """One measure of group A and group B; `ratio` is B over A."""

    measure: Measure
    a: statistics.Spread
    b: statistics.Spread
    ratio: statistics.Spread
    verdict: str  # B against A


def compare(a, b, measures=MEASURES):
    """Each measure that both groups have. `a`, `b`: by column the values of the runs that count.

    A frame of the table's rows is such a mapping. Whoever calls leaves out runs that do not count.
    """
    found = []
    for measure in measures:
        sides = [side[measure.column] for side in (a, b)]
        spreads = [statistics.spread(values) for values in sides]
        if all(spread.n for spread in spreads):
            ratio = statistics.ratio(sides[1], sides[0])
            found.append(Compared(measure, *spreads, ratio, verdict(ratio)))
    return found


def verdict(ratio, least=1.0):
    """What the Spread of a ratio says: it is better when all of its interval is above `least`.

    With `least` 1.1 changes that may be smaller than 10 % are called noise as well.
    """
    if not ratio.decidable or math.isnan(ratio.low):
        return UNDECIDED
    if ratio.low > least:
        return BETTER
    if ratio.high < 1 / least:
        return WORSE
    return NOISE
