"""All findings of a run, phase by phase."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hpc_disk_bench.findings import meanwhile, ranks, words
from hpc_disk_bench.findings.shape import Form, form

# A drop counts as a cache that was full from here on.
FILLED = 0.2  # share lost
FLAT = 0.25  # that dirty memory may lie below its highest after the drop
A_CACHE = 2**26  # bytes of dirty memory on a node: no kernel stops writers for less


class Finding(NamedTuple):
    """kind: cache-fill, drop, decay, swell, rise, straggler, tail."""

    phase: str
    kind: str
    text: str  # in words, with the figures
    confidence: str  # "high" or "medium"
    at: float | None  # s from the phase's zero, where it has a place
    until: float | None
    figures: dict  # name to number, the unit in the name
    meanwhile: tuple = ()  # meanwhile.Change: what the nodes saw of it


class Verdict(NamedTuple):
    """What can be said of one phase."""

    phase: str
    form: Form
    findings: list
    text: str  # its form in words, also where nothing was found


def verdicts(phases):
    """A Verdict for each series.Phase."""
    return [_verdict(phase) for phase in phases]


def _verdict(phase):
    part = phase.whole
    latency = phase.latency.get("p99")
    shape = form(
        phase.start[part],
        phase.duration[part],
        phase.rate[part],
        None if latency is None or phase.operation == "entry" else latency[part],
    )
    found = [*_of_form(phase, shape), *_of_ranks(phase)]
    return Verdict(
        phase.name, shape, found, words.verdict(shape, phase.unit, len(phase.rate[part]))
    )


def _of_form(phase, shape):
    if shape.kind in ("steady", "short"):
        return
    figures = {"level": shape.level, "after": shape.after, "lost_share": shape.lost}
    kind = shape.kind
    if kind == "drop" and _cache_filled(phase, shape):
        kind = "cache-fill"
        amount = phase.rate * phase.duration
        figures["bytes_before"] = float(np.nansum(amount[phase.start < shape.at]))
    at, until = (None if np.isnan(value) else value for value in (shape.at, shape.until))
    seen = tuple(meanwhile.changes(phase, shape))
    text = words.of_form(kind, shape, phase.unit, figures) + words.meanwhile(seen)
    yield Finding(phase.name, kind, text, shape.confidence, at, until, figures, seen)


def _cache_filled(phase, shape):
    """Whether a drop of a writing phase is the page cache's: much lost, and dirty memory, which
    grew to something worth it until then, stays about where it was. Without telemetry there is no
    such claim."""
    if phase.operation not in ("write", "create") or shape.lost < FILLED:
        return False
    nodes = phase.nodes.together
    if "memory_dirty_bytes" not in nodes or not len(nodes):
        return False
    dirty = (nodes["memory_dirty_bytes"] + nodes.get("memory_writeback_bytes", 0)).dropna()
    seconds = dirty.index.to_numpy(float) - phase.epoch
    before = dirty[seconds <= shape.at + 1]
    after = dirty[(seconds > shape.at) & (seconds <= phase.start[-1])]
    if len(before) < 2 or len(after) < 2 or before.max() < A_CACHE:
        return False
    grew = before.iloc[0] < 0.5 * before.max()
    return bool(grew and after.median() > (1 - FLAT) * before.max())


def _of_ranks(phase):
    late = ranks.straggler(phase.ranks)
    if late:
        figures = {
            "rank": late.rank,
            "waited_share": late.waited,
            "waited_s": late.seconds,
            "rate_to_others": late.slower,
        }
        text = words.straggler(late, len(phase.ranks))
        yield Finding(phase.name, "straggler", text, late.confidence, None, None, figures)
        return
    rest = ranks.tail(phase.ranks)
    if rest:
        figures = {"tail_share": rest.share, "tail_s": rest.seconds, "slowest_share": rest.slowest}
        at = float(phase.ranks["stonewall_s"].max())
        yield Finding(phase.name, "tail", words.tail(rest), rest.confidence, at, None, figures)
