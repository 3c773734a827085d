"""What the nodes saw when the rate of a phase changed: the telemetry before and after it.

Only what speaks for a cause is looked at, and only in the direction that does: with a rate that
fell, calls that take longer, or CPUs that were busy with something else. That fewer bytes reach the
disk when fewer are written says nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

WINDOW = 30.0  # s on either side: what is further away has to do with something else
EDGE = 1.0  # s around a change, in which samples are of both sides
LEAST, TOGETHER = 5, 12  # samples on either side, and on both
FACTOR = 1.5  # between before and after, of what is no share
APART = 0.85  # of all pairs of a sample before and one after
CLEAR = 10.0  # times the spread of a difference between means of so many samples
NEAR = 3  # samples beside a sudden change, which must differ by half of it: else it was on its way
MOST = 3  # changes that are said
STILL_BUSY = 0.9  # of what the CPUs did before
BUSY = ("cpu_user", "cpu_system")
RANKS = ("ranks_cpu",)
ROUND_TRIPS = ("nfs_round_trip_ms",)


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
    _Sight(ROUND_TRIPS, "NFS round trips", "ms", 0.2),
    _Sight(("disk_await_ms",), "the disk's requests", "ms", 0.2),
    _Sight(("nfs_retransmissions_per_s",), "NFS calls sent again", "1/s", 1, total=True),
    _Sight(("network_drops_per_s",), "dropped packets", "1/s", 1, total=True),
    _Sight(("cpu_steal",), "CPU taken by the hypervisor", "share", 0.1),
    _Sight(RANKS, "what the ranks got of the CPUs", "CPUs", 0.2, -1, total=True),
    _Sight(("pressure_cpu",), "the time in which a process waited for a CPU", "share", 0.1),
    _Sight(BUSY, "busy CPUs", "share", 0.1),
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


def changes(phase, shape):
    """The Changes of the nodes that go with a Form, the most telling first; [] where none is clear,
    and without telemetry."""
    if not len(phase.nodes.means):
        return []
    samples = _Samples(phase, shape)
    found = []
    for sight in SIGHTS:
        change = _change(sight, samples)
        if change and (sight.columns != RANKS or _taken(samples)):
            found.append(change)
        if sight.columns == ROUND_TRIPS:
            found += _call(samples)
    return found[:MOST]


class _Samples:
    """The telemetry of the time before and after a change.

    sudden: whether there is one second of the change; way: 1 where the phase became slower, else
    -1.
    """

    def __init__(self, phase, shape):
        self._nodes = phase.nodes
        self._sides = _sides(phase, shape)
        self._times = [phase.nodes.means.index[side] for side in self._sides]
        self.sudden = np.isfinite(shape.at) and np.isnan(shape.until)
        self.way = 1 if shape.after < shape.level else -1

    def both(self, sight):
        """[before, after] of a sight, one value a second; empty where it is not known."""
        means = self._nodes.means
        if not all(column in means for column in sight.columns):
            return [np.empty(0)] * 2
        nodes = len(self._nodes.names) if sight.total else 1
        values = nodes * sum(means[column].to_numpy(float) for column in sight.columns)
        known = ~np.isnan(values)
        return [values[side & known] for side in self._sides]

    def calls(self):
        """(kind of NFS call, how many a second, [ms before, ms after]) of each."""
        for name, table in self._nodes.calls.items():
            sides = [table[table.index.isin(times)] for times in self._times]
            often = np.concatenate([side["per_s"].dropna() for side in sides])
            if len(often):
                took = [side["ms"].dropna().to_numpy(float) for side in sides]
                yield name, float(np.median(often)), took


def _sides(phase, shape):
    """[before, after]: which rows of the nodes' means are of that side of a change."""
    part = phase.whole
    end = float(phase.start[part][-1] + phase.duration[part][-1])
    means = phase.nodes.means
    ended = means.index.to_numpy(float) - phase.epoch
    begun = ended - means.get("interval_s", 1.0)

    def between(first, last):
        return (begun >= max(first, -EDGE / 4)) & (ended <= min(last, end + EDGE / 4))

    at, until = shape.at, shape.until
    if np.isnan(at):  # all the time
        before, after = between(0, end / 3), between(2 * end / 3, end)
    elif np.isnan(until):
        before = between(at - EDGE - WINDOW, at - EDGE)
        after = between(at + EDGE, at + EDGE + WINDOW)
    else:
        before = between(at - EDGE - WINDOW, at - EDGE)
        before |= between(until + EDGE, until + EDGE + WINDOW)
        after = between(at + EDGE, until - EDGE)
    return [np.asarray(side) for side in (before, after)]


def _change(sight, samples):
    pair = _clear(sight, samples, *samples.both(sight))
    return pair and Change("+".join(sight.columns), sight.what, sight.unit, *pair)


def _call(samples):
    """The Change of the kind of NFS call that adds the most time, as a list."""
    found = []
    for name, often, parts in samples.calls():
        sight = _Sight(("nfs_busiest",), f"an NFS {name}", "ms", 0.2)
        pair = _clear(sight, samples, *parts)
        if pair:
            added = abs(pair[1] - pair[0]) * often
            found.append((added, Change(*sight.columns, sight.what, sight.unit, *pair)))
    return [max(found, key=lambda one: one[0])[1]] if found else []


def _taken(samples):
    """Whether the CPUs stayed busy when the ranks used less of them. Else the ranks left them idle,
    and waited for storage."""
    before, after = samples.both(_Sight(BUSY, "", "share", 0))
    if not len(before) or not len(after):
        return False
    fewer, more = (after, before) if samples.way > 0 else (before, after)
    return bool(np.median(fewer) >= STILL_BUSY * np.median(more))


def _clear(sight, samples, before, after):
    """(median before, median after) where the change is a clear one, else None."""
    if min(len(before), len(after)) < LEAST or len(before) + len(after) < TOGETHER:
        return None
    pair = float(np.median(before)), float(np.median(after))
    direction = samples.way * sight.slower
    if (pair[1] - pair[0]) * direction < sight.least:
        return None
    if sight.unit != "share":
        if max(pair) < FACTOR * min(pair):
            return None
        # From nothing to something is a change, too.
        before, after = (np.log(np.maximum(part, 0.1 * sight.least)) for part in (before, after))
    middles = np.median(before), np.median(after)
    change = (middles[1] - middles[0]) * direction
    rest = np.concatenate([before - middles[0], after - middles[1]])
    wanders = 1.4826 * np.median(np.abs(rest)) * np.sqrt(1 / len(before) + 1 / len(after))
    if change < CLEAR * wanders:
        return None
    beside = (np.median(after[:NEAR]) - np.median(before[-NEAR:])) * direction
    if samples.sudden and beside < change / 2:
        return None
    apart = (np.sign(np.subtract.outer(after, before) * direction) + 1).mean() / 2
    return pair if apart >= APART else None
