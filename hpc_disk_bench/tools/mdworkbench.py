"""What md-workbench prints: a line a step and iteration, with rates and quantiles of latencies."""

import re

from hpc_disk_bench.tools import words
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

START = re.compile(r"Args: (?P<command>.*)")
_HEAD = re.compile(r"MD-Workbench total objects: \d+ .*\(version: (?P<version>[^)]+)\)(?P<rest>.*)")
_TIME = re.compile(r"time: (?P<date>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)")
_STEP = re.compile(
    r"(?P<step>precreate|benchmark|cleanup) process max:(?P<time>[\d.]+)s .*?"
    r"rate:(?P<rate>\S+) iops/s"
)
_OBJECTS = re.compile(r"objects:(?P<objects>\d+)")
_ERRORS = re.compile(r"\((?P<errors>\d+) errs\)")
_LATENCY = re.compile(r" (?P<operation>read|stat|create|delete)\((?P<figures>[^()]*)\)")
_QUANTILES = ("min", "p25", "p50", "p75", "p90", "p99", "max")


def parse(lines):
    """[ToolRun] of one call; lines: from the one that START matches on."""
    steps, failed, found = {}, {}, {}
    for line in lines:
        # A rank's own line (--process-reports) starts with its number.
        if step := _STEP.match(line):
            iterations = steps.setdefault(step["step"], [])
            iterations.append(_iteration(step, line, len(iterations)))
            errors = _ERRORS.search(line)
            if errors and int(errors["errors"][:18]):
                failed[step["step"]] = failed.get(step["step"], 0) + int(errors["errors"][:18])
        elif head := _HEAD.match(line):
            found["version"] = head["version"]
            found["started"] = _date(head["rest"])
        elif line.startswith("Nodemap: "):
            found["nodemap"] = line[len("Nodemap: ") :].strip()
        elif line.startswith("Total runtime:"):
            found["finished"] = _date(line)
    errors, warnings = words.messages(lines)
    command = START.match(lines[0])["command"].strip()
    ranks = found.get("nodemap", "")
    return [
        ToolRun(
            tool="mdworkbench",
            form="text",
            version=found.get("version"),
            command=command,
            started=found.get("started"),
            finished=found.get("finished"),
            ranks=len(ranks) or None,
            # A 1 for each rank on the first one's node.
            nodes=1 if ranks and set(ranks) == {"1"} else None,
            options={"api": "POSIX", "direct_io": words.direct(command)},
            operations=tuple(
                operation_of(name, RATE, rows, reasons=_reasons(failed.get(name)))
                for name, rows in steps.items()
            ),
            partial="finished" not in found,
            errors=collect(errors),
            warnings=collect(warnings),
        )
    ]


def _iteration(step, line, number):
    objects = _OBJECTS.search(line)
    latencies = {one["operation"]: _quantiles(one["figures"]) for one in _LATENCY.finditer(line)}
    details = {"items": whole(objects["objects"]) if objects else None, "latency": latencies}
    value = scaled(step["rate"], OPERATIONS_IN_K)
    return Iteration(number, value, scaled(step["time"], 1), details)


def _quantiles(text):
    figures = [scaled(figure.strip().rstrip("s"), 1) for figure in text.split(",")]
    return dict(zip(_QUANTILES, figures)) if len(figures) == len(_QUANTILES) else {}


def _reasons(failed):
    return (f"{failed} operations failed",) if failed else ()


def _date(text):
    found = _TIME.search(text)
    return words.date(found["date"]) if found else None
