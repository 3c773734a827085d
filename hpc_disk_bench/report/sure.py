"""How sure it is that one group of runs is better than another: the one rule of the report.

The answer at the top and the recommendations both ask here; "use verdict" of assets/cells.js is its
twin, for the runs that a filter leaves.
"""

from __future__ import annotations

DIFFERENT_ENGINES = "Runs of different engines or versions are compared."
ENGINES, FEW, NOISE, CLEAR = "engines", "few", "noise", "clear"


def verdict(ratio, runs):
    """What the Spread of a ratio of two groups is worth; `runs` are those of both groups."""
    if engines_differ(runs):
        return ENGINES
    if not ratio.decidable:
        return FEW
    return CLEAR if ratio.low > 1 else NOISE


def engines_differ(runs):
    """True where runs of different engines or versions are compared."""
    return runs["made_by"].nunique() > 1
