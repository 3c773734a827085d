"""check_regressions.py: has something got slower? For cron and CI: silent where nothing has.

Each measure of each node and storage is a test, so there are many: some would come out by chance.
A regression is called only where the ranks of the runs say so after Benjamini and Hochberg's
correction over all tests, and the interval of the ratio lies below what is tolerated.
"""

from __future__ import annotations

import json
import math
from functools import cache
from typing import NamedTuple

import numpy as np

from hpc_disk_bench.commandline import Parser, say
from hpc_disk_bench.compare import print as tables
from hpc_disk_bench.compare.alike import groups
from hpc_disk_bench.compare.counting import TOO_FEW, counting, reasons
from hpc_disk_bench.compare.select import HELP, moment, select
from hpc_disk_bench.comparison.groups import WORSE, Compared, compare, verdict
from hpc_disk_bench.comparison.statistics import ENOUGH
from hpc_disk_bench.errors import DONE, UserError

FOUND = 1
RECENT, THRESHOLD = 3, 5.0
FALSE_SHARE = 0.1  # of the regressions that are called, expected to be none, at most
DESCRIPTION = "Say which nodes and storages have got slower, against runs of before."
EPILOG = (
    HELP
    + f"""
The baseline is what --baseline names, all runs before a date (--since), or, where neither is given,
all runs of the same node and storage but the last ones (--recent). Runs that do not count are left
out on both sides. Runs of another engine, configuration (the stonewall is in it) or number of ranks
are another matter, and compared only with --any-configuration.

A regression: the ratio of the medians, with its 95 % interval, lies below 1 by more than the
threshold, and Mann-Whitney's test says so after Benjamini and Hochberg's correction over all tests
(of the regressions called, {FALSE_SHARE:.0%} at most are expected to be none). What the interval
alone says is "possible", which fails with --strict alone. Each side needs {ENOUGH} runs or more.

Nothing is printed where nothing is found; --verbose says what was looked at and left out. Where a
node and storage has runs of several configurations, what tells them apart stands in brackets.
Exit codes: 0 none, 1 regressions, 2 usage or a table that cannot be read, 4 too few runs to decide
anything.
"""
)


class Test(NamedTuple):
    """One measure of one node and storage."""

    target: str
    group: str  # what sets these runs apart from others of that node and storage, or nothing
    compared: Compared  # of what came before (A) and the recent runs (B)
    chance: float  # Mann-Whitney, one-sided
    sure: bool  # after the correction


def main(arguments):
    """Print the regressions; returns the exit code."""
    options = _arguments(arguments)
    least = 1 / (1 - options.threshold / 100)
    sides, left_out = _sides(options)
    tests, too_few, pairs = [], [], 0
    for target, group, before, recent in _pairs(sides, options):
        if min(len(before), len(recent)) < ENOUGH:
            too_few.append(f"{_named(target, group)}: {len(before)} before, {len(recent)} recent")
            continue
        pairs += 1
        for compared in compare(before, recent):
            column = compared.measure.column
            chance = mann_whitney(_values(recent, column), _values(before, column))
            compared = compared._replace(verdict=verdict(compared.ratio, least))
            tests.append(Test(target, group, compared, chance, False))
    tests = _corrected(tests)
    worse = [test for test in tests if test.compared.verdict == WORSE]
    regressions = [test for test in worse if test.sure]
    possible = [test for test in worse if not test.sure]
    if options.json:
        say(json.dumps([_as_json(test) for test in worse], indent=2))
    else:
        _tell(options, regressions, possible, too_few, left_out, tests, pairs)
    if regressions or (options.strict and possible):
        return FOUND
    return DONE if pairs else TOO_FEW


def mann_whitney(low, high):
    """The chance that values as alike as these come out with `low` as far below `high`, exactly
    where no two are equal (normal approximation from 20 values a side on)."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    above = (high[:, None] > low[None, :]).sum() + 0.5 * (high[:, None] == low[None, :]).sum()
    n, m = len(low), len(high)
    if max(n, m) > 20:
        spread = math.sqrt(n * m * (n + m + 1) / 12)
        return 0.5 * math.erfc((above - 0.5 - n * m / 2) / spread / math.sqrt(2))
    ways = _ways(n, m)
    return sum(ways[math.ceil(above) :]) / sum(ways)


@cache
def _ways(n, m):
    """In how many orders of n and m values there are so many pairs, one of each, in order."""
    if n == 0 or m == 0:
        return (1,)
    ways = [0] * (n * m + 1)
    # The largest value is one of the n, or one of the m and then above all n.
    for pairs, count in enumerate(_ways(n - 1, m)):
        ways[pairs] += count
    for pairs, count in enumerate(_ways(n, m - 1)):
        ways[pairs + n] += count
    return tuple(ways)


def _corrected(tests):
    """Benjamini and Hochberg: `sure` where the share of false ones stays below FALSE_SHARE."""
    ordered = sorted(range(len(tests)), key=lambda k: tests[k].chance)
    last = 0
    for rank, k in enumerate(ordered, start=1):
        if tests[k].chance <= FALSE_SHARE * rank / len(tests):
            last = rank
    sure = set(ordered[:last])
    return [test._replace(sure=k in sure) for k, test in enumerate(tests)]


def _sides(options):
    """([runs that count of what is named, the baseline's, where one is], those left out)."""
    sides, left_out = [], []
    for text in filter(None, (options.runs, options.baseline)):
        runs = select(text)
        counts = counting(runs, text, options.invalid)
        if len(counts) < len(runs):
            number = tables.runs(len(runs) - len(counts))
            left_out.append(f"{text}: {number} that do not count: {reasons(runs, counts)}")
        sides.append(counts)
    return sides, left_out


def _pairs(sides, options):
    """(target, group, runs before, recent runs) of all that are to be looked at."""
    since = moment(options.since, "--since") if options.since else None
    for target, group, (runs, *base) in groups(sides, options.any_configuration):
        if base:
            if not runs.empty:
                yield target, group, base[0], runs
        elif since is not None:
            yield target, group, runs[runs["started"] < since], runs[runs["started"] >= since]
        else:
            cut = max(0, len(runs) - options.recent)
            yield target, group, runs.iloc[:cut], runs.iloc[cut:]


def _values(runs, column):
    values = runs[column].to_numpy(float)
    return values[np.isfinite(values)]


def _tell(options, regressions, possible, too_few, left_out, tests, pairs):
    for kind, found in (("regression", regressions), ("possible", possible)):
        for test in found:
            compared = test.compared
            measure = compared.measure
            lost = 100 * (1 - compared.ratio.median)
            unit = f" {measure.unit}" if measure.unit else ""
            say(
                f"{kind}  {_named(test.target, test.group)}  {measure.name}:"
                f" {tables.number(compared.a.median)} ->"
                f" {tables.number(compared.b.median)}{unit}, -{lost:.0f} %"
                f" (ratio {tables.interval(compared.ratio)}; {compared.a.n} runs before,"
                f" {compared.b.n} recent; chance {test.chance:.2g})"
            )
    if too_few and not pairs:
        say(f"too few runs to decide anything: {ENOUGH} are needed before, and {ENOUGH} recent")
    if options.verbose or not pairs:
        for kind, lines in (("too few", too_few), ("left out", left_out)):
            for line in lines:
                say(f"{kind}  {line}")
    if options.verbose:
        say(
            f"{len(tests)} tests of {pairs} nodes and storages: {len(regressions)} regressions,"
            f" {len(possible)} possible, {len(too_few)} with too few runs"
        )


def _named(target, group):
    return f"{target} ({group})" if group else target


def _as_json(test):
    compared = test.compared
    return {
        "target": test.target,
        "group": test.group,
        "measure": compared.measure.name,
        "unit": compared.measure.unit,
        "before": compared.a.median,
        "recent": compared.b.median,
        "ratio": compared.ratio.median,
        "low": compared.ratio.low,
        "high": compared.ratio.high,
        "chance": test.chance,
        "verdict": "regression" if test.sure else "possible",
    }


def _arguments(arguments):
    parser = Parser("check_regressions.py", DESCRIPTION, EPILOG)
    default = "aggregated_results.csv"
    parser.add_argument("runs", nargs="?", default=default, help=f"SOURCE[:CONDITIONS] ({default})")
    parser.add_argument("--baseline", metavar="RUNS", help="what to compare with, likewise")
    parser.add_argument("--since", metavar="DATE", help="runs before it are the baseline")
    parser.add_argument("--recent", type=int, default=RECENT, help=f"the last N runs ({RECENT})")
    threshold = f"percent that may be lost ({THRESHOLD:g})"
    parser.add_argument("--threshold", type=float, default=THRESHOLD, help=threshold)
    parser.add_argument("--strict", action="store_true", help="fail for possible ones as well")
    parser.add_argument("--invalid", action="store_true", help="with runs marked INVALID")
    parser.add_argument("--any-configuration", action="store_true", help="compare all with all")
    parser.add_argument("--verbose", action="store_true", help="say what was looked at")
    parser.add_argument("--json", action="store_true", help="as JSON")
    options = parser.parse_args(arguments)
    if not 0 <= options.threshold < 100:
        raise UserError(f"--threshold {options.threshold:g}: a share from 0 to 100 % is needed")
    if options.recent < 1:
        raise UserError(f"--recent {options.recent}: at least one run is needed")
    return options
