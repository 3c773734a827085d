"""What mdtest prints, of versions 1.9 to 4: tables of rates and times; and the CSV of its ranks.

The lines an iteration of upstream's -v tell what rank 0 did, not all ranks: they are no figures of
the run and are passed over. Those of this project's own mdtest are of all ranks.
"""

import csv
import re
from collections import Counter

from hpc_disk_bench.tools import words
from hpc_disk_bench.tools.model import (
    OPERATIONS_IN_K,
    RATE,
    TIME,
    Iteration,
    Operation,
    Statistics,
    ToolRun,
    collect,
    operation_of,
    scaled,
    whole,
)

START = re.compile(r"-- started at (?P<date>.+?) --")
RANKS_HEAD = "rank,items,rate-"
_LAUNCH = re.compile(
    r"mdtest-(?P<version>\S+) was launched with (?P<ranks>\d+) total task\(s\)"
    r" on (?P<nodes>\d+) node"
)
_COMMAND = re.compile(r"Command line used: (?P<text>.*)")
_PATH = re.compile(r"Path\s*: (?P<text>.*)")
_API = re.compile(r"(?:^|\s)'?-a'?[ =]'?(?P<api>\w+)")
_END = re.compile(r"-- finished at (?P<date>.+?) --")
_ITEMS = re.compile(r"\d+ tasks, (?P<items>\d+) (?:files|directories)")
_COUNT = re.compile(r"\(of (?P<count>\d+) iterations\)")
_KINDS = ("Directory", "File", "Tree")
_OPERATIONS = ("creation", "stat", "read", "rename", "removal")
_OWN_ROW = re.compile(r"V-1: (?P<name>[A-Z]\w+ \w+) +(?P<time>[\d.]+) s +(?P<rate>[\d.]+) ops/sec")
# Upstream counts operations that failed as done; its own words are the only trace.
_FAILED = re.compile(r"WARNING: .*(?:unable to|\bfailed\b|wrong data|incorrect)", re.IGNORECASE)
_OWN_FAILED = re.compile(r"WARNING: (?P<name>[A-Z]\w+ \w+): \d+ operations failed")


def parse(lines):
    """[ToolRun] of one call of mdtest; lines: from the one that START matches on."""
    found, tables, own, failures = {}, [], {}, []
    for line in lines:
        if line.startswith("SUMMARY"):
            tables.append((line, []))
        elif row := _row(line) if tables else None:
            tables[-1][1].append(row)
        elif row := _OWN_ROW.match(line):
            own.setdefault(row["name"], []).append(row)
        elif _FAILED.match(line):
            failures.append(line)
        elif line[:1].isalnum() or line.startswith("-- "):
            for key, pattern in _SINGLE.items():
                if match := pattern.match(line):
                    found.setdefault(key, match)
    launch = found.get("launch")
    command = found["command"]["text"].strip() if "command" in found else None
    errors, warnings = words.messages(lines)
    operations = [one for title, rows in tables for one in _table(title, rows, own, failures)]
    ended = bool(tables) and "end" in found
    if not tables:
        operations = [
            operation_of(
                name,
                RATE,
                _own_iterations(rows, RATE),
                sample=True,
                reasons=_reasons(name, failures),
            )
            for name, rows in own.items()
        ]
    return [
        ToolRun(
            tool="mdtest",
            form="text",
            version=launch and launch["version"],
            command=command,
            started=words.date(START.match(lines[0])["date"]),
            finished=words.date(found["end"]["date"]) if "end" in found else None,
            ranks=launch and whole(launch["ranks"]),
            nodes=launch and whole(launch["nodes"]),
            options={
                "api": _api(command),
                "direct_io": words.direct(command),
                "items": whole(found["items"]["items"]) if "items" in found else None,
                "path": found["path"]["text"].strip() if "path" in found else None,
            },
            operations=tuple(operations),
            partial=not ended,
            errors=collect(errors),
            warnings=collect(warnings),
        )
    ]


def _api(command):
    """POSIX where the command names no other; None where it is unknown."""
    if not command:
        return None
    named = _API.search(command)
    return named["api"] if named else "POSIX"


_SINGLE = {"launch": _LAUNCH, "command": _COMMAND, "path": _PATH, "items": _ITEMS, "end": _END}


def _row(line):
    """(name, [max, min, mean, deviation]) of a row of a table, or None."""
    fields = line.replace(":", " ").split()
    if len(fields) != 6 or fields[0] not in _KINDS or fields[1] not in _OPERATIONS:
        return None
    return " ".join(fields[:2]), fields[2:]


def _table(title, rows, own, failures):
    """The Operations of one table. One that was not asked for has zeros, and no failures."""
    metric = TIME if "time" in title.partition("(of")[0].lower() else RATE
    count = _COUNT.search(title)
    count = (whole(count["count"]) if count else None) or 1
    for name, fields in rows:
        figures = Statistics(*(scaled(field, _DIVISORS[metric]) for field in fields))
        failed = any(_OWN_FAILED.match(line) and _names(line, name) for line in failures)
        if not failed and all(figure == 0 for figure in figures):
            continue
        reasons = _reasons(name, failures)
        if figures.mean is None:
            reasons += ("its mean is no number",)
        iterations = _own_iterations(own.get(name, ()), metric)
        time = figures.mean if metric == TIME else None
        yield Operation(name, metric, count, figures, False, iterations, time, reasons)


# The title of the table of times says ms/op; its figures are the seconds of a whole operation.
_DIVISORS = {RATE: OPERATIONS_IN_K, TIME: 1}


def _reasons(name, failures):
    """Why an operation does not count: what is said of it, or of nobody in particular."""
    told = [line for line in failures if _names(line, name)]
    return collect(told)[:3]


def _names(line, name):
    own = _OWN_FAILED.match(line)
    return not own or own["name"] == name


def _own_iterations(rows, metric):
    key = "time" if metric == TIME else "rate"
    return tuple(
        Iteration(number, scaled(row[key], _DIVISORS[metric]), scaled(row["time"], 1))
        for number, row in enumerate(rows)
    )


def parse_ranks(lines):
    """[ToolRun] of the CSV with a row a rank and iteration.

    Upstream writes a row for all ranks of the first iteration alone, so that of the others the
    slowest rank's time is taken, and what all of them did in it.
    """
    names, everything, iterations, items, errors = [], {}, [], None, Counter()
    for row in csv.DictReader(lines):
        names = names or [key[5:] for key in row if key and key.startswith("rate-")]
        rank = whole(row.get("rank") or "")
        if row.get("rank") == "all":
            everything[len(iterations)] = row
            items = whole(row.get("items") or "") if items is None else items
        elif row.get("rank") == "errors":  # this project's own mdtest tells them
            errors.update({name: whole(row.get(f"rate-{name}")) or 0 for name in names})
        elif rank is not None:
            if rank == 0 or not iterations:
                iterations.append({})
            iterations[-1][rank] = row
    if items is None or not iterations:
        return []
    ranks = max(map(len, iterations))
    operations = [
        operation_of(name, RATE, rows, sample=True, reasons=_failed(errors[name]))
        for name in names
        if (rows := _csv_iterations(name, everything, iterations, items, errors[name]))
    ]
    options = {"items": items * ranks}
    return [
        ToolRun("mdtest", "csv", ranks=ranks, options=options, operations=tuple(operations))
    ] if operations else []  # fmt: skip


def _failed(errors):
    return (f"{errors} operations failed or found wrong data",) if errors else ()


def _csv_iterations(name, everything, iterations, items, errors):
    found = []
    for number, ranks in enumerate(iterations):
        all_ranks = everything.get(number)
        times = [scaled(row.get(f"time-{name}") or "", 1) for row in ranks.values()]
        slowest = max((time for time in times if time), default=None)
        # What no rank has a time for was not done; trees are told for all ranks together only,
        # as many as there are ranks, which the rate in mdtest's own table does not count.
        if slowest is None or (not all_ranks and None in times):
            continue
        if all_ranks:
            time = scaled(all_ranks.get(f"time-{name}") or "", 1)
            rate = scaled(all_ranks.get(f"rate-{name}") or "", OPERATIONS_IN_K)
        else:
            time, rate = slowest, items * len(ranks) / slowest / OPERATIONS_IN_K
        if rate or errors:
            found.append(Iteration(number, rate, time))
    return found
