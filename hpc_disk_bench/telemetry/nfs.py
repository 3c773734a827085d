"""The NFS client's counters of one mount, from /proc/self/mountstats (statvers 1.1).

Per operation: calls, transmissions, timeouts, bytes sent, bytes received, milliseconds queued,
of round trip, of execution (nfs-utils' mountstats(8)).
"""

import os
from typing import NamedTuple

from hpc_disk_bench.mounts import decode
from hpc_disk_bench.telemetry.counters import Rates, Source, numbers

BUSIEST = 3


class Call(NamedTuple):
    calls: int
    sent_again: int
    round_trip_ms: int
    execution_ms: int


class Nfs:
    def __init__(self, mount_point, proc="/proc"):
        self._mount_point = mount_point
        self._file = Source(os.path.join(proc, "self/mountstats"))
        self._rates = Rates()

    def sample(self, seconds):
        """The columns of this source for an interval of so many seconds."""
        moved, calls = parse(self._file.read(), self._mount_point)
        row = {}
        grown = self._rates.grown("bytes", moved) if moved else None
        if grown:
            row["nfs_read_bytes_per_s"] = grown[0] / seconds
            row["nfs_written_bytes_per_s"] = grown[1] / seconds
        differences = {}
        for name, counters in calls.items():
            since = self._rates.grown(name, counters)
            if since:
                differences[name] = Call(*since)
        if differences:
            row.update(_rates(differences, seconds))
        return row


def parse(text, mount_point):
    """((bytes read, bytes written) or None, {operation: Call}) of a mount, from mountstats."""
    moved, calls = None, {}
    ours = listing = False
    for line in text.splitlines():
        if line.startswith(b"device "):
            where = line.partition(b" mounted on ")[2].partition(b" with fstype ")[0]
            ours, listing = decode(os.fsdecode(where)) == mount_point, False
            if ours:
                # Mounted over another: the last one is what is seen.
                moved, calls = None, {}
        elif ours and line.startswith(b"\tbytes:"):
            counters = numbers(line.partition(b":")[2])
            if len(counters) >= 6:
                moved = (counters[4], counters[5])
        elif ours and line.startswith(b"\tper-op statistics"):
            listing = True
        elif listing and b":" in line:
            name, _, rest = line.strip().partition(b":")
            counters = numbers(rest)
            if len(counters) >= 8:
                sent_again = max(0, counters[1] - counters[0])
                calls[name.decode("ascii", "replace")] = Call(
                    counters[0], sent_again, counters[6], counters[7]
                )
    return moved, calls


def _rates(calls, seconds):
    total = sum(call.calls for call in calls.values())
    row = {
        "nfs_operations_per_s": total / seconds,
        "nfs_retransmissions_per_s": sum(call.sent_again for call in calls.values()) / seconds,
    }
    if total:
        row["nfs_round_trip_ms"] = sum(call.round_trip_ms for call in calls.values()) / total
        row["nfs_execution_ms"] = sum(call.execution_ms for call in calls.values()) / total
        busiest = sorted(calls.items(), key=lambda item: (-item[1].calls, item[0]))[:BUSIEST]
        row["nfs_busiest"] = "; ".join(
            f"{name} {call.calls / seconds:.0f}/s {call.execution_ms / call.calls:.1f} ms"
            for name, call in busiest
            if call.calls
        )
    return row
