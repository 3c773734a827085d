"""Notices that a run no longer moves, and writes down where each rank stood.

Progress is: a file of the results grows, a rank on this node moves bytes, or a rank uses the
processor while it calls for files. Using the processor alone is none: ranks that wait for another
one do that all the time.
"""

import contextlib
import datetime
import os

from hpc_disk_bench import processes
from hpc_disk_bench.files import write_text

HUNG = "hung.txt"
# What is written there by others than the benchmark.
NOT_ITS_OWN = ("status.json", "run_metadata.json", HUNG, "telemetry")
LEAST_BYTES = 65536  # fewer are a launcher's own chatter
LEAST_CPU = 0.02  # s
DEEPEST = 2


class HangWatch:
    """seconds: without progress that count as hung; 0 for never."""

    def __init__(self, run, seconds, now):
        self._run, self._seconds = run, seconds
        self._files, self._ranks = None, ()
        self._begin(now)

    def _begin(self, now):
        self._since = now
        self._before = {rank.pid: processes.counters(rank.pid) for rank in self._ranks}
        self._calling = set()  # pids that were seen in a call for a file

    def hung(self, now, ranks):
        """Seconds without progress where they are too many, else None. To be asked every second.

        ranks: the processes.Ranks on this node; where there are none, nobody can tell.
        """
        if not self._seconds:
            return None
        files = _sizes(self._run)
        if files != self._files or ranks != self._ranks or self._moves(ranks):
            self._files, self._ranks = files, ranks
            self._begin(now)
        waited = now - self._since
        return waited if ranks and waited >= self._seconds else None

    def _moves(self, ranks):
        moved, spent, told = 0, {}, True
        for rank in ranks:
            pid = rank.pid
            before, now = self._before.get(pid), processes.counters(pid)
            if before is None or now is None:
                return True
            if None not in (now.read, now.written, before.read, before.written):
                moved += now.read - before.read + now.written - before.written
            spent[pid] = now.cpu - before.cpu
            call = processes.storage_call(pid)
            if call:
                self._calling.add(pid)
            told = told and call is not False
        if moved >= LEAST_BYTES:
            return True
        if not told:
            # Who may not see the calls can only tell that a rank stands still.
            return bool(spent) and all(cpu >= LEAST_CPU for cpu in spent.values())
        return any(spent[pid] >= LEAST_CPU for pid in self._calling & spent.keys())

    def record(self, phase, waited):
        """Write hung.txt; returns one sentence on the rank that it waits for."""
        standings = [processes.standing(rank) for rank in self._ranks]
        spent = {
            one.rank.pid: one.counters.cpu - self._before[one.rank.pid].cpu
            for one in standings
            if one.counters and self._before.get(one.rank.pid)
        }
        when = datetime.datetime.now(datetime.timezone.utc)
        lines = [f"{when:%Y-%m-%dT%H:%M:%SZ} no progress for {waited:.0f} s in {phase}", ""]
        for one in standings:
            lines += [*_told(one, spent.get(one.rank.pid)), ""]
        with contextlib.suppress(OSError):
            write_text(os.path.join(self._run, HUNG), "\n".join(lines))
        # The others wait for the one that does nothing.
        stillest = sorted(standings, key=lambda one: (spent.get(one.rank.pid, 0), one.rank.pid))
        where = f": {_name(stillest[0])}" if stillest else ""
        return f"no progress for {waited:.0f} s in {phase}{where}; {HUNG} has every rank"


def _name(one):
    state = f" in state {one.counters.state}" if one.counters else " is gone"
    place = ", ".join(filter(None, (one.call, one.waits_in)))
    number = "a rank" if one.rank.rank is None else f"rank {one.rank.rank}"
    return f"{number} (process {one.rank.pid}){state}{f' in {place}' if place else ''}"


def _told(one, spent):
    yield _name(one)
    if one.counters:
        read, written = one.counters.read, one.counters.written
        yield (
            f"  read {read} B, written {written} B, {one.counters.cpu:.2f} s of CPU,"
            f" {spent or 0:.2f} s of it since the last progress"
        )
    for name in one.files:
        yield f"  open: {name}"
    for line in one.stack:
        yield f"  kernel: {line}"


def _sizes(run):
    """{path: (size, time of change)} of the benchmark's own files below the run's directory."""
    found, todo = {}, [(os.fspath(run), 0)]
    while todo:
        path, depth = todo.pop()
        with contextlib.suppress(OSError), os.scandir(path) as entries:
            for entry in entries:
                if entry.name.startswith((".", *NOT_ITS_OWN)):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if depth < DEEPEST:
                        todo.append((entry.path, depth + 1))
                    continue
                status = entry.stat(follow_symlinks=False)
                found[entry.path] = status.st_size, status.st_mtime_ns
    return found
