"""One run of a tool, whichever tool and format it was read from.

Bandwidth is in GiB/s, rates in kIOPS, times in seconds; None is what is not told, or no number.
"""

from math import isfinite, sqrt
from typing import NamedTuple, Optional

from hpc_disk_bench.engines import EMBEDDED, engine_of
from hpc_disk_bench.summary import number_of, shorten

BANDWIDTH, RATE, TIME, NAIVE_SUM = "bandwidth", "rate", "time", "naive sum"
UNITS = {BANDWIDTH: "GiB/s", NAIVE_SUM: "GiB/s", RATE: "kIOPS", TIME: "s"}
COMPLETE, INVALID, PARTIAL = "complete", "invalid", "partial"
MIB_IN_GIB, BYTES_IN_GIB, OPERATIONS_IN_K = 1024, 2**30, 1000
MOST_LINES = 20  # of errors or warnings that are kept of one run
# How far a printed mean may lie from that of the printed iterations: four digits are printed.
ROUNDING = 1e-3


class Rank(NamedTuple):
    """What one rank did. value: GiB/s; time: s."""

    rank: int
    host: Optional[str]
    value: Optional[float]
    time: Optional[float]
    bytes: Optional[int]


class Iteration(NamedTuple):
    """One repetition of an operation, counted from 0. value is in the operation's unit, time in s.

    details: further figures that the tool prints of it, by name; times in s, rates in kIOPS.
    """

    number: int
    value: Optional[float]
    time: Optional[float] = None
    details: Optional[dict] = None
    ranks: tuple[Rank, ...] = ()


class Statistics(NamedTuple):
    max: Optional[float]
    min: Optional[float]
    mean: Optional[float]
    stddev: Optional[float]


class Operation(NamedTuple):
    """One operation of a run and what was measured of it."""

    name: str  # in the tool's own words: write, File creation, benchmark
    metric: str  # one of UNITS
    count: int  # iterations behind the statistics
    statistics: Statistics
    computed: bool  # from the iterations, because the tool did not come to print them
    iterations: tuple[Iteration, ...] = ()  # as far as they are told one by one
    time: Optional[float] = None  # mean of an iteration, s
    reasons: tuple[str, ...] = ()  # why it does not count

    def as_json(self):
        entry = {
            "operation": self.name,
            "metric": self.metric,
            "unit": UNITS[self.metric],
            "count": self.count,
            **self.statistics._asdict(),
            "computed": self.computed,
            "time": self.time,
            "valid": not self.reasons,
            "iterations": [_iteration(one) for one in self.iterations],
        }
        if self.reasons:
            entry["reasons"] = list(self.reasons)
        return entry


class ToolRun(NamedTuple):
    """One run of a tool; of an ior script, one of its tests."""

    tool: str  # ior, mdtest, stream, pfind or mdworkbench
    form: str  # text, json, csv
    version: Optional[str] = None
    command: Optional[str] = None
    test: int = 0  # which of the tests of one call
    machine: Optional[str] = None
    started: Optional[str] = None  # local time of the node, ISO 8601
    finished: Optional[str] = None
    ranks: Optional[int] = None
    nodes: Optional[int] = None
    options: Optional[dict] = None  # of OPTIONS, in any order
    operations: tuple[Operation, ...] = ()
    partial: bool = False
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def state(self):
        """complete, invalid (an operation does not count) or partial (it ended early)."""
        if self.partial:
            return PARTIAL
        return INVALID if any(one.reasons for one in self.operations) else COMPLETE

    @property
    def engine(self):
        """embedded or upstream, by the version; None where no version is told."""
        return engine_of(self.version) if self.version else None

    def as_json(self, file):
        """The object of one run in tool_results.json; file: the name of what it was read from."""
        given = self.options or {}
        return {
            "file": file,
            "tool": self.tool,
            "format": self.form,
            "version": self.version,
            "engine": self.engine,
            "command": self.command,
            "test": self.test,
            "machine": self.machine,
            "started": self.started,
            "finished": self.finished,
            "num_procs": self.ranks,
            "node_count": self.nodes,
            "options": {name: given.get(name) for name in OPTIONS},
            "state": self.state,
            "operations": [one.as_json() for one in self.operations],
            "errors": list(self.errors),
            "warnings": list(self.warnings),
        }


# What of a tool's options decides whether two runs can be compared.
OPTIONS = (
    "api",
    "direct_io",
    "access",
    "type",
    "order",
    "transfer_bytes",
    "block_bytes",
    "segments",
    "total_bytes",
    "items",
    "stonewall",
    "path",
)


def is_embedded(version):
    """Whether the tool is this project's own."""
    return bool(version) and engine_of(version) == EMBEDDED


def scaled(value, divisor):
    """A printed number, or one of JSON, divided; None where it is no finite number."""
    if isinstance(value, str):
        value = number_of(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        value = value / divisor
    except OverflowError:  # a whole number of hundreds of digits
        return None
    return value if isfinite(value) else None


def whole(value):
    """A count, from text or JSON; None where it is none."""
    if isinstance(value, str):
        value = int(value) if value.isascii() and value.isdigit() and len(value) < 19 else None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        return None
    return value


def statistics_of(values, sample=False):
    """Statistics of what is a number in values; the deviation divides by n, or by n - 1."""
    values = [value for value in values if value is not None]
    if not values:
        return Statistics(None, None, None, None)
    mean = sum(values) / len(values)
    degrees = len(values) - 1 if sample else len(values)
    try:
        square = sum((value - mean) ** 2 for value in values)
    except OverflowError:
        return Statistics(max(values), min(values), scaled(mean, 1), None)
    deviation = sqrt(square / degrees) if degrees else 0.0
    return Statistics(max(values), min(values), scaled(mean, 1), scaled(deviation, 1))


def operation_of(name, metric, iterations, *, sample=False, reasons=()):
    """An Operation whose statistics come from its iterations, because nothing else tells them."""
    told = [one for one in iterations if one.value is not None]
    figures = statistics_of([one.value for one in told], sample)
    time = statistics_of([one.time for one in told]).mean
    why = () if told else ("no figure of it is a number",)
    return Operation(
        name, metric, len(told), figures, True, tuple(iterations), time, (*reasons, *why)
    )


def doubts(operation):
    """Sentences about printed statistics that their own iterations do not give."""
    values = [one.value for one in operation.iterations]
    rounded = operation.computed or operation.metric == TIME
    if rounded or len(values) != operation.count or None in values:
        return []
    found = []
    for name in ("max", "min", "mean"):
        printed = getattr(operation.statistics, name)
        own = getattr(statistics_of(values), name)
        if printed is None or own is None or abs(printed - own) > ROUNDING * abs(own):
            found.append(
                f"{operation.name}: the {name} that is printed is not that of its iterations"
            )
    return found


def collect(lines):
    """Messages of a tool, each once (every rank may have said it), and not too many."""
    different = list(dict.fromkeys(shorten(line.strip(), 300) for line in lines))
    more = len(different) - MOST_LINES
    return (*different[:MOST_LINES], *([f"and {more} more like these"] if more > 0 else ()))


def _iteration(one):
    entry = {"iteration": one.number, "value": one.value, "time": one.time, **(one.details or {})}
    if one.ranks:
        entry["ranks"] = [rank._asdict() for rank in one.ranks]
    return entry
