"""Reads the files of one run into one row. What is not what it should be is left empty and said."""

from __future__ import annotations

import json
import os
import re
from functools import cache, partial
from math import isfinite
from operator import itemgetter
from typing import NamedTuple

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.files import parse_json
from hpc_disk_bench.phases import BY_NAME
from hpc_disk_bench.result_file import QUANTILES
from hpc_disk_bench.status import ended_by_force
from hpc_disk_bench.table_columns import (
    IDENTITY,
    NODE_COLUMNS,
    NUMBER,
    RUN_COLUMNS,
    SCORED_NAMES,
    SCORES,
    STORAGE_COLUMNS,
    TEXT,
    TRUTH,
)
from hpc_disk_bench.table_scan import NODE_METADATA, RESULTS, RUN_METADATA

MISSING_RESULTS = f"missing {RESULTS}"
STILL_RUNNING = f"{MISSING_RESULTS} (still running)"
ENDED_BADLY = ("failed", "interrupted")
BY_FORCE = "HDB028"
RUNNING = {"running": "running", "preparing": "running"}
TARGET = ("cluster_name", "node_name", "storage_type", "storage_volume", "device_type")
BIG = 2**63  # no whole number of a table is larger
# Never waits for the other end of a pipe that took a file's place.
_READING = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


_parse = json.JSONDecoder().scan_once


class Measured(NamedTuple):
    """One phase: as in results.json, with None for what is not there."""

    value: float | None
    unit: str | None
    time: float | None
    valid: bool
    reasons: str | None
    scored: bool
    latency: dict | None  # operation to {"p50": seconds, ...}


class Score(NamedTuple):
    bandwidth: float | None
    iops: float | None
    total: float | None
    valid: bool
    reasons: str | None


class Row(NamedTuple):
    """One run of the table."""

    base: list  # the values of table_columns.BASE, in its order
    phases: dict[str, Measured]
    scores: dict[str, Score]
    where: list[str]  # TARGET and the timestamp
    started: str | None  # start_epoch as text
    state: str
    diagnosis: str | None
    notes: list[str]


def stamp(status):
    """Of an os.stat, what tells one state of a file or directory from another."""
    if status is None:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


class Skipped(Exception):
    """A run directory that gives no row. The text says why."""


class Files:
    """Reads the JSON files of a tree. `seen` has the stamp of each, as it was when it was read."""

    def __init__(self, seen=None):
        self.seen = {} if seen is None else seen

    def read(self, path):
        """The JSON object in `path`, or Skipped with the reason and the file's bare name."""
        try:
            handle = os.open(path, _READING)
            try:
                status = os.fstat(handle)
                self.seen[path] = stamp(status)
                content = os.read(handle, status.st_size + 1)
                if len(content) != status.st_size:  # it grew, or it comes in pieces
                    while more := os.read(handle, 1 << 20):
                        content += more
            finally:
                os.close(handle)
        except OSError as error:
            self.seen[path] = None
            text = f"{os.path.basename(path)}: cannot be read: {error.strerror}"
            raise Skipped(text) from error
        # The common case without the detours of json.loads; parse_json says what is wrong.
        try:
            text = content.decode()
            value, end = _parse(text, 0)
            if value.__class__ is dict and not text[end:].strip(" \t\r\n"):
                return value
        except (ValueError, StopIteration, RecursionError):
            pass
        try:
            return parse_json(path, content)
        except UserError as error:
            raise Skipped(str(error).replace(path, os.path.basename(path), 1)) from error


class NodeMetadata:
    """node_metadata.json of each node, read once; what is wrong with one is noted once, too."""

    def __init__(self, files):
        self._files = files
        self._known = {}
        self.notes = []  # (the node's place, what is wrong)

    def values(self, run):
        """The values of NODE_COLUMNS for the node of `run`."""
        if run.node is None:
            return (None,) * len(NODE_COLUMNS)
        if run.node not in self._known:
            self._known[run.node] = self._read(run.node, run.node_place)
        return self._known[run.node]

    def _read(self, directory, place):
        notes = []
        try:
            content = self._files.read(os.path.join(directory, NODE_METADATA))
            values = OF_THE_NODE.values(content, notes)
        except Skipped as error:
            values = (None,) * len(NODE_COLUMNS)
            notes.append(f"{error}: the hardware columns of this node's runs stay empty")
        self.notes += [(place, note) for note in notes]
        return values


def read_row(run, files, nodes):
    """The row of one run (a table_scan.Found), or Skipped."""
    if not run.has_metadata:
        raise Skipped(f"missing {RUN_METADATA}")
    notes = []
    metadata = files.read(f"{run.path}/{RUN_METADATA}")
    status = _status(run, files, notes)
    ended, diagnosis = status.get("state"), _object(status.get("diagnosis")).get("code")
    if ended in RUNNING:
        if ended_by_force(status):
            ended, diagnosis = "interrupted", BY_FORCE
        else:
            # What becomes of it may show in no file: to be looked at again next time.
            files.seen[run.status] = None
    if run.results is None and ended not in ENDED_BADLY:
        raise Skipped(STILL_RUNNING if ended in RUNNING else MISSING_RESULTS)
    results = files.read(run.results) if run.results else {"partial": True}

    phases, scores = _measured(results, notes)
    state = _state(ended, results, phases, scores)
    diagnosis = text(diagnosis) or None
    evidence = status.get("evidence")
    base = [
        *OF_THE_RUNS_NAME.values(metadata, notes),
        *nodes.values(run),
        *OF_THE_RUN.values(metadata, notes),
        *OF_THE_STORAGE.values(_object(metadata.get("storage")), notes),
        text(metadata.get("warnings")) or None,
        state,
        diagnosis,
        run.place,
        len([1 for name, one in phases.items() if name in SCORED_NAMES and one[0] is not None]),
        _number(status.get("exit_code")),
        text(status.get("last_phase")),
        text([item.get("text") for item in _objects(evidence)]) or None if evidence else None,
    ]
    where = [text(metadata.get(key)) or "" for key in (*TARGET, "timestamp")]
    started = text(metadata.get("start_epoch"))
    return Row(base, phases, scores, where, started, state, diagnosis, notes)


def _status(run, files, notes):
    if run.status is None:
        return {}
    try:
        return files.read(run.status)
    except Skipped as error:
        notes.append(f"{error}: the state is taken from {RESULTS}")
        return {}


def _state(ended, results, phases, scores):
    """status.json says whether the run ended by itself; results.json whether its figures count."""
    if ended in ENDED_BADLY:
        return ended
    if ended in RUNNING:
        return RUNNING[ended]
    score = scores.get("score")
    if results.get("partial") or not score or not phases:
        return "partial"
    if not score.valid or [1 for one in phases.values() if one.scored and not one.valid]:
        return "invalid"
    if SCORED_NAMES - phases.keys():
        return "partial"
    return "complete"


_PARTS = itemgetter("value", "unit", "time", "valid")
_measure = partial(tuple.__new__, Measured)
_USUALLY = {name: phase.group is not None for name, phase in BY_NAME.items()}


def _measured(results, notes):
    phases, scores, unmarked = {}, {}, []
    for key, value in results.items():
        if value.__class__ is not dict:
            continue
        # Nearly every phase has just these keys, and nothing in them that wants a closer look.
        scored = _USUALLY.get(key)
        latency = value.get("latency")
        if scored is not None and len(value) == (4 if scored else 5) + (latency is not None):
            try:
                rate, unit, time, valid = _PARTS(value)
                if (
                    rate.__class__ is time.__class__ is float
                    and unit.__class__ is str
                    and valid.__class__ is bool
                    and isfinite(rate + time)
                    and (scored or value["scored"] is False)
                ):
                    told = latency and _latencies(latency)
                    phases[key] = _measure((rate, unit, time, valid, None, scored, told))
                    continue
            except KeyError:
                pass
        if key in SCORES:
            parts = ("bandwidth", "iops", "total")
            figures = [_figure(value.get(part), key, notes) for part in parts]
            valid = value.get("valid") is True and None not in figures
            scores[key] = Score(*figures, valid, text(value.get("reasons")) or None)
        elif "value" in value:
            name = phase_name(key)
            phases[name] = _phase(name, value, notes)
            if "valid" not in value:
                unmarked.append(name)
    if unmarked:
        notes.append(
            f"{RESULTS}: of an older shape, without marks of validity, so nothing in it counts "
            "as valid: reprocess the run"
        )
    return phases, scores


@cache
def phase_name(key):
    """The name of a phase as it can start a column's name: other signs than letters become -."""
    return re.sub(r"[^0-9A-Za-z]+", "-", key)


def _phase(name, value, notes):
    rate = _figure(value.get("value"), name, notes)
    return Measured(
        rate,
        text(value.get("unit")),
        _figure(value.get("time"), name, notes),
        value.get("valid") is True and rate is not None,
        text(value.get("reasons")) or None,
        value.get("scored", _USUALLY.get(name, True)) is not False,
        _latencies(value.get("latency")),
    )


def _latencies(value):
    """Operation to quantiles, as far as they are numbers; None where there are none."""
    found = {}
    for operation, quantiles in _object(value).items():
        told = {name: _number(_object(quantiles).get(name)) for name in QUANTILES}
        if None not in told.values():
            found[operation] = told
    return found or None


def _figure(value, name, notes):
    number = _number(value)
    if number is None and value is not None and not isinstance(value, float):
        shown = json.dumps(value)[:40]
        notes.append(f"{RESULTS}: {name} has {shown} where a number belongs: left empty")
    return number


def _number(value):
    """A finite number, also one written as text; else None."""
    if type(value) is float:  # nearly all of them
        return value if isfinite(value) else None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, int):
        return value if abs(value) < BIG else None
    return value if isfinite(value) else None


def text(value):
    """Any JSON value as text: null stays None, a list is joined by `; `."""
    if isinstance(value, str):
        return value
    if value is None:
        return None
    if isinstance(value, list):
        return "; ".join([text(item) or "" for item in value])
    return json.dumps(value, ensure_ascii=False)


def _truth(value):
    return value if isinstance(value, bool) else None


class Fields:
    """Takes the values of some columns out of a JSON object, in their order."""

    CONVERT = {NUMBER: _number, TEXT: text, TRUTH: _truth}  # noqa: RUF012
    SOUND = {NUMBER: (int, float), TEXT: (str,), TRUTH: (bool,)}  # noqa: RUF012

    def __init__(self, columns, file, prefix=""):
        self._file = file
        self._fields = [(c.name.removeprefix(prefix), c.kind) for c in columns]
        self._all = itemgetter(*(key for key, _ in self._fields))
        self._known = {}  # the types of a whole object that are right -> where its numbers are

    def values(self, source, notes):
        """One value for each column, None where there is none; what is wrong goes to `notes`."""
        try:
            values = self._all(source)
        except KeyError:
            return self._each(source, notes)
        types = tuple(map(type, values))
        if types not in self._known:
            self._known[types] = self._numbers(types)
        numbers = self._known[types]
        if numbers is None or not all(-BIG < values[k] < BIG for k in numbers):
            return self._each(source, notes)
        return values

    def _numbers(self, types):
        for kind, (_, wanted) in zip(types, self._fields, strict=True):
            if kind not in (type(None), *self.SOUND[wanted]):
                return None
        return [k for k, kind in enumerate(types) if kind in (int, float)]

    def _each(self, source, notes):
        values = []
        for key, kind in self._fields:
            raw = source.get(key)
            value = None if raw is None else self.CONVERT[kind](raw)
            if value is None and raw is not None:
                shown = json.dumps(raw)[:40]
                notes.append(f"{self._file}: {key} is {shown}, not a {kind}: left empty")
            values.append(value)
        return values


OF_THE_RUNS_NAME = Fields(IDENTITY, RUN_METADATA)
OF_THE_NODE = Fields(NODE_COLUMNS, NODE_METADATA)
OF_THE_RUN = Fields(RUN_COLUMNS, RUN_METADATA)
OF_THE_STORAGE = Fields(STORAGE_COLUMNS, RUN_METADATA, "storage_")


def _object(value):
    return value if isinstance(value, dict) else {}


def _objects(value):
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
