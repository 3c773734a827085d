"""What the nodes saw when the rate of a phase changed: the telemetry before and after it.

Only what speaks for a cause is looked at, and only in the direction that does: with a rate that
fell, calls that take longer, or CPUs that were busy with something else. That fewer bytes reach the
disk when fewer are written says nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import pandas as pd

WINDOW = 30.0  # s on either side: what is further away has to do with something else
EDGE = 1.0  # s around a change, in which samples are of both sides
LEAST = 4  # samples on either side
FACTOR = 1.5  # between before and after, of what is no share
APART = 0.95  # of all pairs of a sample before and one after
NOISE = 3.0  # times the spread of the samples
MOST = 3  # changes that are said
CALL = re.compile(r"(\w+) (\d+)/s ([\d.]+) ms")


class Change(NamedTuple):
    column: str  # of telemetry.csv; several are added with "+"
    what: str  # in words
    unit: str  # as in docs/telemetry.md
    before: float  # median of the samples
    after: float  # of a swell: within it


class _Sight(NamedTuple):
    columns: tuple  # added
    what: str
    unit: str
    least: float  # change that is worth a word, in the unit
    slower: int = 1  # with a lower rate there is more of it (1) or less (-1)
    total: bool = False  # of all nodes together, else their mean


# The first ones are nearest to a cause.
SIGHTS = (
    _Sight(("nfs_round_trip_ms",), "NFS round trips", "ms", 0.2),
    _Sight(("disk_await_ms",), "the disk's requests", "ms", 0.2),
    _Sight(("nfs_retransmissions_per_s",), "NFS calls sent again", "1/s", 1, total=True),
    _Sight(("network_drops_per_s",), "dropped packets", "1/s", 1, total=True),
    _Sight(("cpu_steal",), "CPU taken by the hypervisor", "share", 0.1),
    _Sight(("ranks_cpu",), "what the ranks got of the CPUs", "CPUs", 0.2, -1, total=True),
    _Sight(("pressure_cpu",), "the time in which a process waited for a CPU", "share", 0.1),
    _Sight(("cpu_user", "cpu_system"), "busy CPUs", "share", 0.1),
    _Sight(("pressure_memory",), "the time in which a process waited for memory", "share", 0.1),
    _Sight(("disk_busy",), "the disk's busy time", "share", 0.1),
    _Sight(("disk_queue",), "the disk's queue", "requests", 1),
    _Sight(("cpu_iowait",), "CPUs idle for I/O", "share", 0.1),
    _Sight(("pressure_io",), "the time in which a process waited for I/O", "share", 0.1),
    _Sight(
        ("memory_dirty_bytes", "memory_writeback_bytes"), "dirty memory", "bytes", 2**26, total=True
    ),
    _Sight(
        ("network_received_bytes_per_s", "network_sent_bytes_per_s"),
        *("network traffic", "bytes/s", 10 * 2**20),
        total=True,
    ),
    _Sight(
        ("disk_read_bytes_per_s", "disk_written_bytes_per_s"),
        *("the disk's traffic", "bytes/s", 10 * 2**20),
        total=True,
    ),
)
BUSY = ("cpu_user", "cpu_system")


def changes(phase, shape):
    """The Changes of the nodes that go with a Form, the most telling first; [] where none is clear,
    and without telemetry."""
    if not len(phase.nodes):
        return []
    sides = _sides(phase, shape)
    way = 1 if shape.after < shape.level else -1
    found = []
    for sight in SIGHTS:
        change = _change(sight, phase.nodes, sides, way)
        if change and not (sight.columns == ("ranks_cpu",) and _idle(phase.nodes, sides, change)):
            found.append(change)
        if sight.columns == ("nfs_round_trip_ms",):
            found += _call(phase.nodes, sides, way)
    return found[:MOST]


def _sides(phase, shape):
    """For each row of the telemetry whether it is of the time before (-1), after (1), or neither."""
    part = phase.whole
    end = float(phase.start[part][-1] + phase.duration[part][-1])
    ended = phase.nodes["time_epoch"].to_numpy(float) - phase.epoch
    begun = ended - (phase.nodes["interval_s"].to_numpy(float) if "interval_s" in phase.nodes else 1)

    def between(first, last):
        return (begun >= max(first, -EDGE / 4)) & (ended <= min(last, end + EDGE / 4))

    if np.isnan(shape.at):  # all the time
        before, after = between(0, end / 3), between(2 * end / 3, end)
    elif np.isnan(shape.until):
        before = between(shape.at - EDGE - WINDOW, shape.at - EDGE)
        after = between(shape.at + EDGE, shape.at + EDGE + WINDOW)
    else:
        before = between(shape.at - EDGE - WINDOW, shape.at - EDGE)
        before |= between(shape.until + EDGE, shape.until + EDGE + WINDOW)
        after = between(shape.at + EDGE, shape.until - EDGE)
    return np.where(before, -1, np.where(after, 1, 0))


def _change(sight, nodes, sides, way):
    if not set(sight.columns) <= set(nodes):
        return None
    values = nodes[list(sight.columns)].sum(axis=1, min_count=len(sight.columns))
    pair = _clear(_both(values, nodes, sides, sight.total), sight, way)
    return pair and Change("+".join(sight.columns), sight.what, sight.unit, *pair)


def _call(nodes, sides, way):
    """The change of the kind of NFS call that adds the most time, as a list."""
    if "nfs_busiest" not in nodes:
        return []
    names, lasted, often = {}, {}, {}
    texts = nodes["nfs_busiest"].astype(object).fillna("")
    for row, text in zip(nodes.index, texts, strict=True):
        for name, count, milliseconds in CALL.findall(text):
            lasted.setdefault(name, {})[row] = float(milliseconds)
            often.setdefault(name, {})[row] = float(count)
    found = []
    for name, values in lasted.items():
        sight = _Sight(("nfs_busiest",), f"an NFS {name}", "ms", 0.2)
        series = pd.Series(values).reindex(nodes.index)
        pair = _clear(_both(series, nodes, sides, total=False), sight, way)
        if pair:
            calls = np.median(list(often[name].values()))
            found.append((abs(pair[1] - pair[0]) * calls, Change("nfs_busiest", *sight[1:3], *pair)))
    return [max(found, key=lambda one: one[0])[1]] if found else []


def _idle(nodes, sides, change):
    """Whether ranks that used less of the CPUs left them idle: then they waited for storage."""
    if not set(BUSY) <= set(nodes):
        return True
    busy = [np.median(part) if len(part) else np.nan
            for part in _both(nodes[list(BUSY)].sum(axis=1), nodes, sides, total=False)]  # fmt: skip
    fewer, more = (busy[1], busy[0]) if change.after < change.before else (busy[0], busy[1])
    return not fewer >= 0.9 * more


def _both(values, nodes, sides, total):
    """(before, after): one value a second of all nodes, as arrays."""
    parts = []
    for side in (-1, 1):
        here = (sides == side) & values.notna().to_numpy()
        seconds = nodes["time_epoch"][here].round()
        means = values[here].groupby(seconds).mean().to_numpy(float)
        parts.append(means * (nodes["node"].nunique() if total else 1))
    return parts


def _clear(parts, sight, way):
    """(median before, median after) where the change is a clear one, else None."""
    before, after = parts
    if min(len(before), len(after)) < LEAST:
        return None
    pair = float(np.median(before)), float(np.median(after))
    direction = way * sight.slower
    change = (pair[1] - pair[0]) * direction
    if change < sight.least:
        return None
    if sight.unit != "share" and max(pair) < FACTOR * min(pair):
        return None
    rest = np.concatenate([before - pair[0], after - pair[1]])
    if change < NOISE * 1.4826 * np.median(np.abs(rest)):
        return None
    apart = (np.sign(np.subtract.outer(after, before) * direction) + 1).mean() / 2
    return pair if apart >= APART else None
