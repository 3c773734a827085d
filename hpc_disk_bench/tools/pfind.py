"""What pfind prints where it was asked for its rate (-D rates), and its file of results (-r)."""

import re

from hpc_disk_bench.tools.model import (
    OPERATIONS_IN_K,
    RATE,
    Iteration,
    ToolRun,
    collect,
    operation_of,
    scaled,
    whole,
)

START = re.compile(r"\[DONE\] rate: ")
FILE_HEAD = re.compile(r"runtime: (?P<time>\S+) rate: (?P<rate>\S+)$")
_DONE = re.compile(
    r"\[DONE\] rate: (?P<rate>\S+) kiops time: (?P<time>[\d.]+)s"
    r"(?: found: \d+ \(scanned (?P<scanned>\d+) files)?"
)
_RANK = re.compile(r"\[\d+\] rate: ")
_MATCHED = re.compile(r"MATCHED (?P<found>\d+)/(?P<scanned>\d+)")
_STOPPED = re.compile(r"WARNING: stopped after \d+ s")
_FAILED = re.compile(r"WARNING: \d+ directories or files could not be looked at")


def parse(lines, before=()):
    """[ToolRun] of one call; lines: from the one that START matches on; before: those above it."""
    done = _DONE.match(lines[0])
    if not done:
        return []
    matched = next(filter(None, map(_MATCHED.match, lines)), None)
    failures = [line for line in lines if _FAILED.match(line)]
    stopped = [line for line in lines if _STOPPED.match(line)]
    ranks = 0
    while ranks < len(before) and _RANK.match(before[-1 - ranks]):
        ranks += 1
    scanned = whole((matched or done)["scanned"] or "")
    details = {"items": scanned, "found": whole(matched["found"]) if matched else None}
    rate, time = scaled(done["rate"], 1), scaled(done["time"], 1)
    row = Iteration(0, rate, time, details)
    operation = operation_of("find", RATE, [row], reasons=collect(failures))
    return [
        ToolRun(
            "pfind",
            "text",
            ranks=ranks or None,
            options={"items": scanned},
            operations=(operation,),
            partial=matched is None or bool(stopped),
            warnings=collect([*stopped, *failures]),
        )
    ]


def parse_file(lines):
    """[ToolRun] of a file that -r wrote, as IO500's find.csv is one."""
    head = FILE_HEAD.match(lines[0].strip())
    names = [name.strip() for name in lines[1].split(",")] if len(lines) > 1 else []
    rows = [
        dict(zip(names, (cell.strip() for cell in line.split(","))))
        for line in lines[2:]
        if line.count(",") + 1 == len(names)
    ]
    items, found, errors = (
        sum(whole(row.get(name, "")) or 0 for row in rows) for name in ("total", "found", "errors")
    )
    rate, time = scaled(head["rate"], OPERATIONS_IN_K), scaled(head["time"], 1)
    row = Iteration(0, rate, time, {"items": items, "found": found})
    reasons = (f"{errors} directories or files could not be looked at",) if errors else ()
    operation = operation_of("find", RATE, [row], reasons=reasons)
    options = {"items": items}
    return [
        ToolRun("pfind", "csv", ranks=len(rows) or None, options=options, operations=(operation,))
    ]
