"""What the table does not have and a run's directory may: the stonewall, and how writing ended.

The report is often made far from the results, so everything here may be missing. Directories are
looked for below $IO500_RESULTS_DIR, beside the table and in ./io500_results.
"""

from __future__ import annotations

import csv
import io
import math
import os
import statistics
from pathlib import Path
from typing import NamedTuple

from hpc_disk_bench.configuration import Template
from hpc_disk_bench.phases import SCORED
from hpc_disk_bench.result_file import parse_result_file

BY_THE_RULES = 300.0  # seconds that the rules of IO500 ask of each write phase
MOST_BYTES = 1 << 22
WRITES = tuple(phase for phase in SCORED if phase.stonewalled)


class Ending(NamedTuple):
    """How a write phase ended; nan for what is not known."""

    at_stonewall: float  # the rate until the stonewall, GiB/s or kIOPS
    close: float  # seconds that closing took, of the slowest rank
    slowest: float  # the slowest rank's time over that of the median rank


def directories(runs):
    """{run: its directory} for the runs whose directory is within reach."""
    source = Path(runs.attrs.get("source") or ".").parent
    roots = [os.environ.get("IO500_RESULTS_DIR"), source, source / "io500_results", "io500_results"]
    roots = [Path(root) for root in roots if root]
    found = {}
    for run, place in runs["run_dir"].items():
        inside = place and not os.path.isabs(place) and ".." not in Path(place).parts
        for root in roots if inside else ():
            if (root / place / "run_metadata.json").is_file():
                found[run] = root / place
                break
    return found


def stonewall(directory):
    """The stonewall that the run was given, in seconds; that of the rules where it says none."""
    given = Template("", _read(directory / "io500.ini"), "").setting("debug", "stonewall-time")
    seconds = _number(given)
    return seconds if seconds > 0 else BY_THE_RULES


def endings(directory):
    """{phase name: Ending} of the write phases of one run."""
    said = parse_result_file(_read(directory / "result.txt")).sections
    ranks = _rows(directory / "ranks.csv")
    found = {}
    for phase in WRITES:
        if phase.name not in said:
            continue
        values = said[phase.name].values
        rate = values.get("throughput-stonewall", values.get("rate-stonewall"))
        own = [row for row in ranks if row.get("phase") == phase.name]
        if own:
            last = [_number(row.get("last_s")) for row in own]
            close = max((_number(row.get("close_s")) for row in own), default=math.nan)
        else:  # upstream's, and older versions of the embedded engine, for ior alone
            rows = _rows(directory / f"{phase.name}.csv") if phase.group == "bandwidth" else []
            last = [_number(row.get("runtime")) for row in rows]
            whole = [_number(row.get("runtime-with-openclose")) for row in rows]
            close = max(whole) - max(last) if rows else math.nan
        known = [value for value in last if value > 0]
        slowest = max(known) / statistics.median(known) if len(known) > 1 else math.nan
        found[phase.name] = Ending(_number(rate), close, slowest)
    return found


def _read(path):
    """The text of a file of a run, as far as it is of a sound size; empty where there is none."""
    try:
        with open(path, "rb") as file:
            return file.read(MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _rows(path):
    return list(csv.DictReader(io.StringIO(_read(path))))


def _number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return math.nan
