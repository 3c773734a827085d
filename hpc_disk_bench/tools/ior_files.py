"""ior's summaries for programs: JSON (summaryFormat=JSON), CSV, and the CSV of its ranks."""

import csv
import re
from collections import Counter

from hpc_disk_bench.errors import UNPARSED, UserError
from hpc_disk_bench.files import parse_json
from hpc_disk_bench.tools import words
from hpc_disk_bench.tools.model import (
    BANDWIDTH,
    BYTES_IN_GIB,
    MIB_IN_GIB,
    NAIVE_SUM,
    OPERATIONS_IN_K,
    Iteration,
    Operation,
    Rank,
    Statistics,
    ToolRun,
    operation_of,
    scaled,
    whole,
)

CSV_HEAD = "access,bw(MiB/s),"
RANKS_HEAD = "access,rank,runtime-with-openclose,"
# printf writes what JSON does not have.
_NO_NUMBER = re.compile(r'(": )-?(?:nan|inf)\b')
_DETAILS = {
    "iops": ("rate", OPERATIONS_IN_K),
    "latency": ("latency", 1),
    "openTime": ("open_time", 1),
    "wrRdTime": ("transfer_time", 1),
    "closeTime": ("close_time", 1),
}
_CSV_NAMES = {
    "IOPS": "iops",
    "Latency": "latency",
    "open(s)": "openTime",
    "wr/rd(s)": "wrRdTime",
    "close(s)": "closeTime",
}


def parse_json_summary(path, text):
    """The ToolRuns of a JSON summary, one a test. UserError (exit code 5) where it is none."""
    try:
        content = parse_json(path, _NO_NUMBER.sub(r"\1null", text).encode("utf-8", "replace"))
    except UserError as error:
        raise UserError(f"{error}; a run that broke off leaves half of it", UNPARSED) from error
    tests = [test for test in _list(content.get("tests")) if isinstance(test, dict)]
    summaries = [row for row in _list(content.get("summary")) if isinstance(row, dict)]
    return [_test(content, test, number, summaries) for number, test in enumerate(tests)]


def _test(content, test, number, summaries):
    given, told = _object(test.get("Parameters")), _object(test.get("Options"))
    results = [row for row in _list(test.get("Results")) if isinstance(row, dict)]
    rows = {
        str(row.get("operation")): row for row in summaries if row.get("TestID") == test["TestID"]
    } if "TestID" in test else {}  # fmt: skip
    names = [
        name
        for name in ("write", "read")
        if name in rows or any(row.get("access") == name for row in results)
    ]
    operations = [_operation(name, results, rows.get(name)) for name in names]
    expected = whole(given.get("repetitions")) or 1
    command = _text(content.get("Command line"))
    direct = given.get("useO_DIRECT")
    return ToolRun(
        tool="ior",
        form="json",
        version=_text(content.get("Version")),
        command=command,
        test=number,
        machine=_text(content.get("Machine")),
        started=words.date(test.get("StartTime")),
        finished=words.date(content.get("Finished")),
        ranks=whole(told.get("tasks")),
        nodes=whole(told.get("nodes")),
        options={
            "api": _text(told.get("api", given.get("api"))),
            "direct_io": bool(direct) or words.direct(command, "ior"),
            "access": _text(told.get("access")),
            "type": _text(told.get("type")),
            "order": _text(told.get("ordering in a file")),
            "transfer_bytes": whole(given.get("transferSize")),
            "block_bytes": whole(given.get("blockSize")),
            "segments": whole(given.get("segmentCount")),
            "total_bytes": words.size(told.get("aggregate filesize", "")),
            "stonewall": scaled(given.get("deadlineForStonewall"), 1) or None,
            "path": _text(told.get("test filename", given.get("testFileName"))),
        },
        operations=tuple(operations),
        partial=any(one.computed or len(one.iterations) < expected for one in operations),
    )


def _operation(name, results, summary):
    iterations = [
        _iteration(row, number)
        for number, row in enumerate(row for row in results if row.get("access") == name)
    ]
    errors = sum(_errors(row) for row in results if row.get("access") == name)
    reasons = wrong_data(max(errors, _errors(summary or {})))
    if summary is None:
        return operation_of(name, BANDWIDTH, iterations, reasons=reasons)
    keys = ("bwMaxMIB", "bwMinMIB", "bwMeanMIB", "bwStdMIB")
    figures = Statistics(*(scaled(summary.get(key), MIB_IN_GIB) for key in keys))
    count = whole(summary.get("repetitions")) or len(iterations)
    if figures.mean is None:
        reasons += ("its mean is no number",)
    time = scaled(summary.get("MeanTime"), 1)
    return Operation(name, BANDWIDTH, count, figures, False, tuple(iterations), time, reasons)


def _iteration(row, number):
    details = {
        name: scaled(row.get(key), divisor)
        for key, (name, divisor) in _DETAILS.items()
        if key in row
    }
    value, time = scaled(row.get("bwMiB"), MIB_IN_GIB), scaled(row.get("totalTime"), 1)
    return Iteration(number, value, time, details)


def _errors(row):
    """Transfers with wrong data; upstream does not tell them."""
    return whole(row.get("errors")) or 0


def wrong_data(errors):
    """Why an operation with so many such transfers does not count."""
    return (f"{errors} transfers with wrong data",) if errors else ()


def parse_csv_summary(lines):
    """The ToolRuns of a CSV summary; the iterations of a further test start from 0 again."""
    tests, ranks, errors = [], [], []
    for row in csv.DictReader(lines):
        access, number = row.get("access"), whole(row.get("iter") or "")
        if access not in ("write", "read") or number is None:
            continue
        if not tests or any(one.number >= number for one in tests[-1].get(access, ())):
            tests.append({})
            ranks.append(whole(row.get("numTasks") or ""))
            errors.append(Counter())
        errors[-1][access] += _errors(row)
        renamed = {name: row.get(column) for column, name in _CSV_NAMES.items()}
        renamed.update(bwMiB=row.get("bw(MiB/s)"), totalTime=row.get("total(s)"))
        sizes = {key: _kib(row.get(column)) for key, column in _SIZES.items()}
        tests[-1].setdefault(access, []).append(_iteration(renamed, number))
        tests[-1].setdefault(None, sizes)
    return [
        ToolRun(
            "ior",
            "csv",
            test=number,
            ranks=ranks[number],
            options=test.pop(None),
            operations=tuple(
                operation_of(name, BANDWIDTH, test[name], reasons=wrong_data(errors[number][name]))
                for name in test
            ),
        )
        for number, test in enumerate(tests)
    ]


_SIZES = {"transfer_bytes": "xfer(KiB)", "block_bytes": "block(KiB)"}


def _kib(text):
    value = scaled(text or "", 1)
    return None if value is None or not 0 <= value < 2**50 else round(value * 1024)


def parse_ranks(lines):
    """The one ToolRun of a CSV with a row a rank: bandwidths of single ranks, and their sum.

    When ranks started is not in it, so that what they reached together cannot be known.
    """
    found, errors = {}, Counter()  # operation to iterations, each rank number to Rank
    for row in csv.DictReader(lines):
        access, rank = row.get("access"), whole(row.get("rank") or "")
        if row.get("rank") == "errors":
            errors[access] += whole(row.get("runtime-with-openclose")) or 0
        if access not in ("write", "read") or rank is None:
            continue
        iterations = found.setdefault(access, [{}])
        if rank in iterations[-1]:
            iterations.append({})
        value = scaled(row.get("throughput-withopenclose") or "", BYTES_IN_GIB)
        time = scaled(row.get("runtime-with-openclose") or "", 1)
        iterations[-1][rank] = Rank(rank, None, value, time, None)
    return naive_sums("ior", found, errors)


def naive_sums(tool, found, errors):
    """[ToolRun] of what single ranks reached. found: operation to a list of {rank: Rank}.

    errors: operation to its transfers with wrong data.
    """
    operations = []
    for name, iterations in found.items():
        rows = [
            Iteration(
                number,
                _sum(one.value for one in ranks.values()),
                max((one.time for one in ranks.values() if one.time is not None), default=None),
                None,
                tuple(ranks.values()),
            )
            for number, ranks in enumerate(iterations)
        ]
        operations.append(operation_of(name, NAIVE_SUM, rows, reasons=wrong_data(errors[name])))
    most = max((len(ranks) for rows in found.values() for ranks in rows), default=0)
    return [ToolRun(tool, "csv", ranks=most, operations=tuple(operations))] if operations else []


def _sum(values):
    values = list(values)
    return None if None in values else sum(values)


def _list(value):
    return value if isinstance(value, list) else []


def _object(value):
    return value if isinstance(value, dict) else {}


def _text(value):
    return value if isinstance(value, str) else None
