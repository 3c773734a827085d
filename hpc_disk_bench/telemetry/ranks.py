"""The benchmark's ranks on this node: what they move and what CPU they use (proc(5))."""

from hpc_disk_bench import processes
from hpc_disk_bench.telemetry.counters import Rates, Source

# Looking through all processes of a node costs more than reading the ranks' counters does.
LOOK_EVERY = 15  # seconds
FIELDS = (b"rchar", b"wchar", b"syscr", b"syscw", b"read_bytes", b"write_bytes")


class Ranks:
    def __init__(self, ini):
        """ini: the path of the configuration that the benchmark was given."""
        self._ini = ini
        self._open = {}  # pid: (stat, io)
        self._rates = Rates()
        self._looked = self._sampled = float("-inf")
        self._more = False  # whether the last look found others: a launcher starts one by one

    def sample(self, seconds, now, changed):
        """The columns of this source. now: monotonic seconds; changed: a phase has just begun."""
        overdue = now - self._looked >= LOOK_EVERY
        if changed or overdue or self._more or not self._open:
            # What was not there a sample ago has done all it did since.
            self._look(now, from_zero=self._looked == self._sampled)
        self._sampled = now
        totals = [0] * (1 + len(FIELDS))
        known = 0
        for pid in list(self._open):
            grown = self._of(pid)
            if grown is None:
                continue
            known += 1
            totals = [total + more for total, more in zip(totals, grown)]
        row = {"ranks": len(self._open)}
        if known:
            ticks, read, written, reads, writes, fetched, bound = totals
            row["ranks_cpu"] = ticks / processes.TICK / seconds
            row["ranks_read_bytes_per_s"] = read / seconds
            row["ranks_written_bytes_per_s"] = written / seconds
            row["ranks_system_calls_per_s"] = (reads + writes) / seconds
            row["ranks_from_storage_bytes_per_s"] = fetched / seconds
            row["ranks_to_storage_bytes_per_s"] = bound / seconds
        return row

    def _of(self, pid):
        """What a rank's counters have grown by; None the first time, and where it has ended."""
        stat, io = self._open[pid]
        fields = stat.read().rpartition(b")")[2].split()
        if len(fields) < 13 or fields[0] in (b"Z", b"X"):
            stat.close()
            io.close()
            del self._open[pid]
            self._rates.forget(pid)
            return None
        counters = dict.fromkeys(FIELDS, 0)
        for line in io.read().splitlines():
            name, _, value = line.partition(b": ")
            if name in counters:
                counters[name] = int(value)
        return self._rates.grown(pid, [int(fields[11]) + int(fields[12]), *counters.values()])

    def _look(self, now, from_zero):
        self._looked = now
        before = len(self._open)
        for rank in processes.ranks(self._ini):
            if rank.pid not in self._open:
                self._open[rank.pid] = tuple(
                    Source(f"/proc/{rank.pid}/{file}") for file in ("stat", "io")
                )
                if from_zero:
                    self._rates.grown(rank.pid, [0] * (1 + len(FIELDS)))
        self._more = len(self._open) > before
