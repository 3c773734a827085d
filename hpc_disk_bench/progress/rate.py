"""At what rate the ranks of this node move data now, by the kernel's counters of each."""

import collections

from hpc_disk_bench import processes
from hpc_disk_bench.phases import BY_NAME

WINDOW = 10  # seconds that a rate is of
FILE = 3901  # bytes of each file that mdtest-hard writes and reads
GIB = 2**30


class LiveRate:
    """Call sample() now and then; rate() is of the last WINDOW seconds."""

    def __init__(self):
        self._samples = collections.deque()  # (time, {pid: Counters})

    def restart(self):
        self._samples.clear()

    def sample(self, now, ranks):
        """ranks: the processes.Ranks on this node."""
        found = {rank.pid: processes.counters(rank.pid) for rank in ranks}
        self._samples.append((now, found))
        while len(self._samples) > 2 and now - self._samples[1][0] >= WINDOW:
            self._samples.popleft()

    def rate(self, phase):
        """(value, unit) of a phase, or None where counters say nothing of it.

        Opening, looking up and removing files moves no bytes; there is no counter of that.
        """
        known = BY_NAME.get(phase)
        if known is None or len(self._samples) < 2:
            return None
        (before, first), (now, last) = self._samples[0], self._samples[-1]
        kind = "written" if known.operation == "write" else "read"
        moved = sum(
            getattr(last[pid], kind) - getattr(first[pid], kind)
            for pid in first.keys() & last.keys()
            if first[pid] and last[pid] and None not in (last[pid].read, first[pid].read)
        )
        if not moved or now - before < 1:
            return None
        if phase.startswith("ior"):
            return moved / GIB / (now - before), "GiB/s"
        if phase in ("mdtest-hard-write", "mdtest-hard-read"):
            return moved / FILE / 1000 / (now - before), "kIOPS"
        return None
