"""Reads the files of one run into one row. What is not what it should be is left empty and said."""

from __future__ import annotations

import json
import math
import os
import re
from dataclasses import dataclass, field
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
        self.notes = []  # (the node's place below the root, what is wrong)

    def values(self, run):
        """The values of NODE_COLUMNS for the node of `run`."""
        path = run.node_metadata
        if path is None:
            return [None] * len(NODE_COLUMNS)
        if path not in self._known:
            self._known[path] = self._read(path, run.node_at)
        return self._known[path]

    def _read(self, path, relative):
        notes = []
        try:
            values = _values(read(path), NODE_COLUMNS, "", NODE_METADATA, notes)
        except Skipped as error:
            values = [None] * len(NODE_COLUMNS)
            notes.append(f"{error}: the hardware columns of this node's runs stay empty")
        self.notes += [(relative, note) for note in notes]
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
        *_values(metadata, IDENTITY, "", RUN_METADATA, notes),
        *nodes.values(run),
        *_values(metadata, RUN_COLUMNS, "", RUN_METADATA, notes),
        *_values(_object(storage), STORAGE_COLUMNS, "storage_", RUN_METADATA, notes),
        text(metadata.get("warnings")) or None,
        state,
        run.relative or ".",
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
        order=(*where, timestamp, run.relative),
        node="/".join(where[:2]),
        node_known=run.node_metadata is not None,
        target="/".join(part for part in where if part),
        run_dir=run.relative or ".",
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
            figures = [_figure(value.get(part), f"{key}.{part}", notes) for part in parts]
            scores[key] = Score(*figures, value.get("valid") is True and None not in figures)
        elif "value" in value:
            name = re.sub(r"[^0-9A-Za-z]+", "-", key)
            phases[name] = _phase(name, value, notes)
            if "valid" not in value:
                unmarked.append(name)
    if unmarked:
        notes.append(
            f"{RESULTS}: of an older shape, without marks of validity, so nothing in it counts "
            "as valid: reprocess the run"
        )
    return phases, scores


def _phase(name, value, notes):
    rate = _figure(value.get("value"), name, notes)
    known = BY_NAME.get(name)
    scored = value.get("scored", known is None or known.group is not None)
    return Measured(
        rate,
        text(value.get("unit")),
        _figure(value.get("time"), f"{name}.time", notes),
        value.get("valid") is True and rate is not None,
        text(value.get("reasons")) or None,
        scored is not False,
    )


def _figure(value, name, notes):
    number = _number(value)
    if number is None and value is not None and not isinstance(value, float):
        notes.append(f"{RESULTS}: {name} is {json.dumps(value)[:40]}, not a number: left empty")
    return number


def _number(value):
    """A finite number, also one written as text; else None."""
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


def text(value):
    """Any JSON value as text: null stays None, a list is joined by `; `."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        return "; ".join(text(item) or "" for item in value)
    return json.dumps(value, ensure_ascii=False)


def _values(source, columns, prefix, name, notes):
    values = []
    for column in columns:
        raw = source.get(column.name[len(prefix) :])
        if column.kind is NUMBER:
            value = _number(raw)
        elif column.kind is TRUTH:
            value = raw if isinstance(raw, bool) else None
        else:
            value = text(raw)
        if value is None and raw is not None:
            shown = json.dumps(raw)[:40]
            notes.append(f"{name}: {column.name} is {shown}, not a {column.kind}: left empty")
        values.append(value)
    return values


def _object(value):
    return value if isinstance(value, dict) else {}


def _objects(value):
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
