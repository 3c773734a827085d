"""compare_results.py A B: two groups of runs, what differs between them, and their numbers."""

from __future__ import annotations

import json
import math

from hpc_disk_bench.commandline import Parser, say
from hpc_disk_bench.compare import print as tables
from hpc_disk_bench.compare.counting import TOO_FEW, counting, reasons
from hpc_disk_bench.compare.select import HELP, select
from hpc_disk_bench.comparison.differences import differences
from hpc_disk_bench.comparison.groups import UNDECIDED, WORSE, compare
from hpc_disk_bench.errors import DONE, UserError

SLOWER = 1
DESCRIPTION = "Compare two groups of runs, B against A, phase by phase, with what else differs."
EPILOG = (
    HELP
    + """
Ratios are B over A, of medians; the interval holds with 95 %. better, worse: all of it is above or
below 1; noise: it includes 1; not decidable: fewer than 3 runs on one side. Runs that are invalid,
partial or failed are left out and counted. Of two equal groups about 1 measure in 20 is called
different by chance, with 3 runs a side 1 in 12: look at the neighbours of a single one.
Where both groups have several nodes or storages, each that both have is compared by itself.

Exit codes: 0 nothing is worse, 1 something is, 2 usage or a table that cannot be read, 4 nothing
could be decided.
"""
)


def main(arguments):
    """Print the comparison; returns the exit code."""
    options = _arguments(arguments)
    named = (options.a, options.b)
    sides = [select(text) for text in named]
    counts = [counting(*one, options.invalid) for one in zip(sides, named, strict=True)]
    parts = _parts(*counts, options)
    found = [
        (target, differences(*map(_rows, part)), compare(*part), part) for target, part in parts
    ]
    if options.json:
        say(json.dumps([_as_json(*one[:3]) for one in found], indent=2))
    else:
        _tell(options, sides, counts, found)
    verdicts = [one.verdict for _, _, compared, _ in found for one in compared]
    if WORSE in verdicts:
        return SLOWER
    return TOO_FEW if set(verdicts) <= {UNDECIDED} else DONE


def _parts(a, b, options):
    """[(target or None, (runs of A, runs of B))]."""
    one = a["target"].nunique() == 1 or b["target"].nunique() == 1
    if one or options.pool:
        return [(None, (a, b))]
    both = sorted(set(a["target"]) & set(b["target"]))
    if not both:
        raise UserError(
            f"{options.a} and {options.b} have no node and storage in common:"
            " name one on each side, or compare all of them together with --pool"
        )
    return [(one, (a[a["target"] == one], b[b["target"] == one])) for one in both]


def _tell(options, sides, counts, found):
    for letter, text, runs, those in zip("AB", (options.a, options.b), sides, counts, strict=True):
        left_out = len(runs) - len(those)
        out = f", {left_out} left out ({reasons(runs, those)})" if left_out else ""
        marked = int((~those["counts"]).sum())
        marked = f", {marked} of them marked INVALID" if marked else ""
        say(f"{letter}  {text}: {tables.runs(len(those))}{marked}{out}")
    for target, different, compared, (a, b) in found:
        say("", f"{target or 'all'}   A {tables.runs(len(a))}, B {tables.runs(len(b))}")
        for difference in different:
            say(
                f"  differs: {difference.field.title}: {_mix(difference.a)} -> {_mix(difference.b)}"
            )
        rows = [
            (
                one.measure.name,
                tables.number(one.a.median),
                tables.number(one.b.median),
                one.measure.unit,
                tables.number(one.ratio.median),
                tables.interval(one.ratio),
                one.verdict,
            )
            for one in compared
        ]
        header = ("", "median A", "median B", "", "B/A", "interval", "")
        say(*(f"  {line}" for line in tables.lines(header, rows)))


def _mix(values):
    """io500-isc25 (12), io500-sc24 (3)"""
    if len(values) == 1:
        return next(iter(values)) or "unknown"
    return ", ".join(f"{value or 'unknown'} ({count})" for value, count in values.items())


def _rows(runs):
    return runs.to_dict("records")


def _as_json(target, different, compared):
    return {
        "target": target,
        "differences": [{"field": one.field.column, "a": one.a, "b": one.b} for one in different],
        "measures": [
            {
                "name": one.measure.name,
                "unit": one.measure.unit,
                "a": _spread(one.a),
                "b": _spread(one.b),
                "ratio": _spread(one.ratio),
                "verdict": one.verdict,
            }
            for one in compared
        ],
    }


def _spread(spread):
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in spread._asdict().items()
    }


def _arguments(arguments):
    parser = Parser("compare_results.py", DESCRIPTION, EPILOG)
    parser.add_argument("a", metavar="A", help="the runs to compare with: SOURCE[:CONDITIONS]")
    parser.add_argument("b", metavar="B", help="the runs that are compared: SOURCE[:CONDITIONS]")
    parser.add_argument("--invalid", action="store_true", help="with runs marked INVALID")
    parser.add_argument("--pool", action="store_true", help="all nodes and storages together")
    parser.add_argument("--json", action="store_true", help="as JSON")
    return parser.parse_args(arguments)
