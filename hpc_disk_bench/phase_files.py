"""The figures of single phases from the files that each phase leaves: ior-*.txt, mdtest-*.txt, ...

The last resort, where result_summary.txt and result.txt are both lost. Each phase prints its figure
when it is done, so what is there was measured to its end; what a mark of invalidity said is gone.
"""

import os
import re

from hpc_disk_bench.result_file import UNSCORED
from hpc_disk_bench.summary import PhaseResult, measured

# In the order of an extended run; a standard one leaves some out.
ORDER = (
    *("ior-easy-write", "ior-rnd4K-write", "mdtest-easy-write", "ior-rnd1MB-write"),
    *("mdworkbench-create", "find-easy", "ior-hard-write", "mdtest-hard-write", "find"),
    *("ior-rnd4K-read", "ior-rnd1MB-read", "find-hard", "mdworkbench-bench", "ior-easy-read"),
    *("mdtest-easy-stat", "ior-hard-read", "mdtest-hard-stat", "mdworkbench-delete"),
    *("mdtest-easy-delete", "mdtest-hard-read", "mdtest-hard-delete", "ior-rnd4K-easy-read"),
)
NAMES = frozenset(f"{phase}{'.csv' if phase.startswith('find') else '.txt'}" for phase in ORDER)
# How far below its run directory the benchmark's files may lie and still belong to it.
DEEPEST = 3
VERDICT_LOST = "whether the benchmark marked it invalid is lost with result.txt"
OPERATIONS = {"write": "creation", "stat": "stat", "read": "read", "delete": "removal"}
FIND = re.compile(r"runtime: (?P<time>\S+) rate: (?P<rate>\S+)$")
MDWORKBENCH = re.compile(r"(?:precreate|benchmark|cleanup) process .*? rate:(?P<rate>\S+) iops/s")


def read_phase_files(read):
    """Name to PhaseResult of the phases that were measured, in run order.

    read(name) returns the text of a file of the run, or None where there is none. A time is that
    of the operations alone, without what the phase does around them (mdtest: about a second).
    """
    found = {}
    for name in ORDER:
        figures = _figures(name, lambda ending, name=name: _lines(read(name + ending)))
        if figures is None:
            continue
        rate, unit, time = figures
        value, unit, step = measured(rate, unit)
        if value is not None:
            seconds = None if time is None else measured(time, "")[0]
            scored, reasons = name not in UNSCORED, (VERDICT_LOST,)
            found[name] = PhaseResult(name, value, unit, seconds, False, scored, reasons, step)
    return found


def directory_of_phase_files(directory):
    """Where files of single phases lie: the deepest such directory below, else `directory`."""
    found, top = [], os.fspath(directory).rstrip(os.sep)
    for path, below, files in os.walk(top):
        depth = path[len(top) :].count(os.sep)
        below[:] = [name for name in below if not name.startswith(".") and depth < DEEPEST]
        if NAMES.intersection(files):
            found.append((depth, path))
    return max(found)[1] if found else os.fspath(directory)


def _figures(name, lines):
    """(printed rate, its unit, printed seconds or None) of one phase, or None.

    lines(ending) are the lines of the phase's file with that ending.
    """
    kind, _, operation = name.partition("-")
    if kind == "ior":
        return _ior(lines(".txt"))
    if kind == "mdtest":
        return _mdtest(f"File {OPERATIONS[operation.rpartition('-')[2]]}", lines)
    if kind == "mdworkbench":
        # The last one counts, where the phase went through several rounds.
        rounds = [MDWORKBENCH.match(line) for line in lines(".txt")]
        rounds = [match for match in rounds if match]
        return (rounds[-1]["rate"], "iops", None) if rounds else None
    first = FIND.match((lines(".csv") or [""])[0])
    return first and (first["rate"], "iops", first["time"])


def _ior(lines):
    """Of the table below "Results:", whose columns differ between versions of IOR."""
    columns, row = [], None
    for line in lines:
        words = line.split()
        if words[:2] == ["access", "bw(MiB/s)"]:
            columns = words
        elif words and words[0] in ("write", "read") and len(words) == len(columns):
            row = dict(zip(columns, words))
    return row and (row["bw(MiB/s)"], "MiB/s", row.get("total(s)"))


def _mdtest(operation, lines):
    """Of the table of rates, which is rounded as the summary is, else of the ranks' CSV."""
    rate = time = None
    columns, every = ([*line.split(",")] for line in [*lines(".csv"), "", ""][:2])
    if every[0] == "all" and len(every) == len(columns):
        row = dict(zip(columns, every))
        rate, time = row.get(f"rate-{operation}"), row.get(f"time-{operation}")
    inside = False
    for line in lines(".txt"):
        if line.startswith("SUMMARY"):
            inside = line.startswith("SUMMARY rate")
        elif inside and line.strip().startswith(operation):
            figures = line.strip()[len(operation) :].replace(":", " ").split()
            rate = figures[0] if len(figures) >= 3 else rate
    return (rate, "iops", time or None) if rate else None


def _lines(text):
    # Every line is written whole with its line end: a last one without has lost digits.
    return re.split("\r\n|\r|\n", text)[:-1] if text else []
