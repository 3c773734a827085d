"""Reads the files of one run into one row. What is not what it should be is left empty and said."""

from __future__ import annotations

import json
import math
import os
import re
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.files import read_json
from hpc_disk_bench.phases import BY_NAME
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
ENDED_BADLY = ("failed", "interrupted")
RUNNING = {"running": "running", "preparing": "running"}
TARGET = ("cluster_name", "node_name", "storage_type", "storage_volume", "device_type")


class Measured(NamedTuple):
    """One phase: as in results.json, with None for what is not there."""

    value: float | None
    unit: str | None
    time: float | None
    valid: bool
    reasons: str | None
    scored: bool


class Score(NamedTuple):
    bandwidth: float | None
    iops: float | None
    total: float | None
    valid: bool
    reasons: str | None


@dataclass(slots=True)
class Row:
    """One run of the table."""

    base: list  # the values of table_columns.BASE, in its order
    phases: dict[str, Measured]
    scores: dict[str, Score]
    identity: tuple  # equal for two copies of one run
    order: tuple
    node: str  # cluster/node
    node_known: bool  # whether there is a node_metadata.json for it
    target: str  # cluster/node/storage[/volume]/device
    run_dir: str
    state: str
    depth: int
    notes: list[str] = field(default_factory=list)


class Skipped(Exception):
    """A run directory that gives no row. The text says why."""


class NodeMetadata:
    """node_metadata.json of each node, read once; what is wrong with one is noted once, too."""

    def __init__(self):
        self._known = {}
        self.notes = []  # (the node's place, what is wrong)

    def values(self, run):
        """The values of NODE_COLUMNS for the node of `run`."""
        if run.node is None:
            return [None] * len(NODE_COLUMNS)
        if run.node not in self._known:
            self._known[run.node] = self._read(run.node, run.node_place)
        return self._known[run.node]

    def _read(self, directory, place):
        notes = []
        try:
            content = read(os.path.join(directory, NODE_METADATA))
            values = _values(content, FIELDS_OF_NODE, NODE_METADATA, notes)
        except Skipped as error:
            values = [None] * len(NODE_COLUMNS)
            notes.append(f"{error}: the hardware columns of this node's runs stay empty")
        self.notes += [(place, note) for note in notes]
        return values


def read(path):
    """Read a JSON object, or raise Skipped with the reason and the file's bare name."""
    try:
        return read_json(path)
    except UserError as error:
        raise Skipped(str(error).replace(str(path), os.path.basename(path), 1)) from error
    except ValueError as error:  # an integer of thousands of digits
        raise Skipped(f"{os.path.basename(path)}: {error}") from error


def read_row(run, nodes):
    """The row of one run (a table_scan.Found), or Skipped."""
    if not run.has_metadata:
        raise Skipped(f"missing {RUN_METADATA}")
    notes = []
    metadata = read(os.path.join(run.path, RUN_METADATA))
    status = _status(run, notes)
    ended = status.get("state")
    if run.results is None and ended not in ENDED_BADLY:
        raise Skipped(f"{MISSING_RESULTS} (still running)" if ended in RUNNING else MISSING_RESULTS)
    results = read(run.results) if run.results else {"partial": True}

    phases, scores = _measured(results, notes)
    state = _state(ended, results, phases, scores)
    storage = metadata.get("storage")
    base = [
        *_values(metadata, FIELDS_OF_IDENTITY, RUN_METADATA, notes),
        *nodes.values(run),
        *_values(metadata, FIELDS_OF_RUN, RUN_METADATA, notes),
        *_values(_object(storage), FIELDS_OF_STORAGE, RUN_METADATA, notes),
        text(metadata.get("warnings")) or None,
        state,
        run.place,
        sum(name in SCORED_NAMES and p.value is not None for name, p in phases.items()),
        _number(status.get("exit_code")),
        text(status.get("last_phase")),
        text([item.get("text") for item in _objects(status.get("evidence"))]) or None,
    ]
    where = [text(metadata.get(key)) or "" for key in TARGET]
    timestamp = text(metadata.get("timestamp")) or ""
    return Row(
        base=base,
        phases=phases,
        scores=scores,
        identity=(*where, timestamp, text(metadata.get("start_epoch")), run.name),
        order=(*where, timestamp, run.place),
        node="/".join(where[:2]),
        node_known=run.node is not None,
        target="/".join(part for part in where if part),
        run_dir=run.place,
        state=state,
        depth=run.depth,
        notes=notes,
    )


def _status(run, notes):
    if run.status is None:
        return {}
    try:
        return read(run.status)
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
    if not score.valid or any(p.scored and not p.valid for p in phases.values()):
        return "invalid"
    if SCORED_NAMES - phases.keys():
        return "partial"
    return "complete"


def _measured(results, notes):
    phases, scores, unmarked = {}, {}, []
    for key, value in results.items():
        if not isinstance(value, dict):
            continue
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
    known = BY_NAME.get(name)
    return Measured(
        rate,
        text(value.get("unit")),
        _figure(value.get("time"), name, notes),
        value.get("valid") is True and rate is not None,
        text(value.get("reasons")) or None,
        value.get("scored", known is None or known.group is not None) is not False,
    )


def _figure(value, name, notes):
    number = _number(value)
    if number is None and value is not None and not isinstance(value, float):
        shown = json.dumps(value)[:40]
        notes.append(f"{RESULTS}: {name} has {shown} where a number belongs: left empty")
    return number


def _number(value):
    """A finite number, also one written as text; else None."""
    if type(value) is float:  # nearly all of them
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, int):
        return value if abs(value) < 2**63 else None
    return value if math.isfinite(value) else None


# Units, names and mount options are the same in thousands of runs; kept once, they save a third.
_KNOWN_TEXTS = {}


def text(value):
    """Any JSON value as text: null stays None, a list is joined by `; `."""
    if isinstance(value, str):
        return _KNOWN_TEXTS.setdefault(value, value)
    if value is None:
        return None
    if isinstance(value, list):
        return "; ".join(text(item) or "" for item in value)
    return json.dumps(value, ensure_ascii=False)


def _truth(value):
    return value if isinstance(value, bool) else None


CONVERT = {NUMBER: _number, TEXT: text, TRUTH: _truth}


def _fields(columns, prefix=""):
    """What to read for `columns`: (key in the JSON object, converter, kind)."""
    return [(c.name.removeprefix(prefix), CONVERT[c.kind], c.kind) for c in columns]


def _values(source, fields, file, notes):
    values = []
    for key, convert, kind in fields:
        raw = source.get(key)
        value = None if raw is None else convert(raw)
        if value is None and raw is not None:
            notes.append(f"{file}: {key} is {json.dumps(raw)[:40]}, not a {kind}: left empty")
        values.append(value)
    return values


FIELDS_OF_IDENTITY = _fields(IDENTITY)
FIELDS_OF_NODE = _fields(NODE_COLUMNS)
FIELDS_OF_RUN = _fields(RUN_COLUMNS)
FIELDS_OF_STORAGE = _fields(STORAGE_COLUMNS, "storage_")


def _object(value):
    return value if isinstance(value, dict) else {}


def _objects(value):
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
