"""What ior prints by default: its options, a row an iteration and operation, a summary at the end.

The layouts of versions 3 and 4 differ in titles and columns, so that both are read by their names.
"""

import re

from hpc_disk_bench.tools import words
from hpc_disk_bench.tools.model import (
    BANDWIDTH,
    MIB_IN_GIB,
    OPERATIONS_IN_K,
    Iteration,
    Operation,
    Statistics,
    ToolRun,
    collect,
    operation_of,
    scaled,
    whole,
)

START = re.compile(r"IOR-(?P<version>[^\s:]+): .*MPI Coordinated Test of Parallel I/O")
_PAIR = re.compile(r"\s*(?P<key>[A-Za-z][^:=]{0,40}?)\s*[:=]\s*(?P<value>.*)$")
_TEST = re.compile(r"TestID\s*:|Test \d+ started:")
_OPERATIONS = ("write", "read")
_WRONG_DATA = re.compile(r"WARNING: .*(?:incorrect data|errors found)", re.IGNORECASE)
_COLUMNS = {  # of a row of "Results:", and what they are called here
    "IOPS": ("rate", OPERATIONS_IN_K),
    "Latency(s)": ("latency", 1),
    "open(s)": ("open_time", 1),
    "wr/rd(s)": ("transfer_time", 1),
    "close(s)": ("close_time", 1),
}
_STATISTICS = ("Max(MiB)", "Min(MiB)", "Mean(MiB)", "StdDev")


def parse(lines):
    """The ToolRuns of one call of ior, one a test; lines: from the one that START matches on."""
    head, tests, rows = {}, [], {}
    current, columns, summary = _Test(head), [], []
    for line in lines:
        fields = line.split()
        first = fields[0] if fields else ""
        if first == "Operation" and "Max(MiB)" in fields:
            summary = fields
        elif summary and first in _OPERATIONS and len(fields) == len(summary):
            row = _row(summary, fields)
            rows.setdefault(whole(row.get("Test#")) or 0, {})[first] = row
        elif fields[:2] == ["access", "bw(MiB/s)"]:
            columns = fields
        elif first in _OPERATIONS and len(fields) == len(columns):
            current.rows.append(_row(columns, fields))
        elif _TEST.match(line):
            current = _Test({**head})
            tests.append(current)
        if pair := _PAIR.match(line):
            current.told.setdefault(pair["key"], pair["value"].strip())
        current.lines.append(line)
    ended = any(key.lower().endswith("finished") for one in tests for key in one.told)
    return [
        one.run(lines[0], number, rows.get(number, {}), ended) for number, one in enumerate(tests)
    ]


class _Test:
    """One test of a call, while its lines come in."""

    def __init__(self, told):
        """told: what was told before it of all tests, and then of this one, by key."""
        self.told, self.rows, self.lines = told, [], []

    def run(self, start, number, summary, ended):
        errors, warnings = words.messages(self.lines)
        told, any_row = self.told, next(iter(summary.values()), {})
        operations = [
            self._operation(name, summary.get(name))
            for name in _OPERATIONS
            if name in summary or any(row["access"] == name for row in self.rows)
        ]
        expected = _count(told.get("repetitions")) or 1
        broken_off = any(0 < len(one.iterations) < expected or one.computed for one in operations)
        command = told.get("Command line", told.get("Command line used"))
        began = told.get("StartTime", told.get(f"Test {number} started", told.get("Began", "")))
        return ToolRun(
            tool="ior",
            form="text",
            version=START.match(start)["version"],
            command=command,
            test=number,
            machine=told.get("Machine"),
            started=words.date(began),
            finished=words.date(_last(told, "finished")),
            ranks=_count(told.get("tasks", told.get("clients")))
            or whole(any_row.get("#Tasks", "")),
            nodes=_count(told.get("nodes")),
            options=_options(told, any_row, command),
            operations=tuple(operations),
            partial=broken_off or not ended,
            errors=collect(errors),
            warnings=collect(warnings),
        )

    def _operation(self, name, summary):
        iterations = [
            _iteration(row, number)
            for number, row in enumerate(one for one in self.rows if one["access"] == name)
        ]
        reasons = _wrong_data(name, self.lines)
        if summary is None:
            return operation_of(name, BANDWIDTH, iterations, reasons=reasons)
        figures = Statistics(*(scaled(summary.get(key, ""), MIB_IN_GIB) for key in _STATISTICS))
        if figures.mean is None:
            reasons = (*reasons, "its mean is no number")
        count = whole(summary.get("reps", "")) or len(iterations)
        time = scaled(summary.get("Mean(s)", ""), 1)
        return Operation(
            name, BANDWIDTH, count, figures, False, tuple(iterations), time, tuple(reasons)
        )


def _last(told, ending):
    return next((value for key, value in told.items() if key.lower().endswith(ending)), "")


def _wrong_data(name, lines):
    """What is said of it: what -W finds is of writing, all else of reading."""
    told = (line for line in lines if _WRONG_DATA.match(line))
    return collect(line for line in told if (" on write " in line) == (name == "write"))


def _row(columns, fields):
    """A row by the names of its columns; of two with one name the first (MiB/s before OPs)."""
    return dict(reversed([*zip(columns, fields)]))


def _iteration(row, number):
    details = {
        name: scaled(row[column], divisor)
        for column, (name, divisor) in _COLUMNS.items()
        if column in row
    }
    value, time = scaled(row["bw(MiB/s)"], MIB_IN_GIB), scaled(row.get("total(s)", ""), 1)
    return Iteration(number, value, time, details)


def _count(text):
    """The number that "16" or "16 (8 per node)" starts with."""
    return whole(text.split(" ")[0]) if text else None


def _options(given, row, command):
    """Exact sizes stand in the summary alone; the options round them."""
    total = scaled(row.get("aggs(MiB)", row.get("aggsize", "")), 1)
    stonewall = given.get("stonewallingTime")
    return {
        "api": given.get("api"),
        "direct_io": words.direct(command, "ior"),
        "access": given.get("access"),
        "type": given.get("type"),
        "order": given.get("ordering in a file"),
        "transfer_bytes": whole(row.get("xsize", "")) or words.size(given.get("xfersize", "")),
        "block_bytes": whole(row.get("blksiz", "")) or words.size(given.get("blocksize", "")),
        "segments": whole(row.get("segcnt", "")) or _count(given.get("segments")),
        "total_bytes": words.size(given.get("aggregate filesize", ""))
        or (total and round(total * 2**20)),
        "stonewall": scaled(stonewall, 1) if stonewall else None,
        "path": given.get("test filename"),
    }
