"""The whole node: CPU, load, memory, pressure (proc(5), and the kernel's accounting/psi.rst)."""

import os

from hpc_disk_bench.telemetry.counters import Rates, Source, numbers

MEMORY = {
    b"MemAvailable": "memory_available_bytes",
    b"Cached": "memory_cached_bytes",
    b"Dirty": "memory_dirty_bytes",
    b"Writeback": "memory_writeback_bytes",
}
PRESSURES = {
    ("cpu", b"some"): "pressure_cpu",
    ("io", b"some"): "pressure_io",
    ("io", b"full"): "pressure_io_full",
    ("memory", b"some"): "pressure_memory",
}


class System:
    def __init__(self, proc="/proc"):
        self._stat = Source(os.path.join(proc, "stat"))
        self._load = Source(os.path.join(proc, "loadavg"))
        self._memory = Source(os.path.join(proc, "meminfo"))
        self._pressures = {
            name: Source(os.path.join(proc, "pressure", name)) for name in ("cpu", "io", "memory")
        }
        self._rates = Rates()

    def sample(self, seconds):
        """The columns of this source for an interval of so many seconds."""
        row = {}
        self._cpu(row)
        load = self._load.read().split()
        if load:
            row["load_1min"] = float(load[0])
        for line in self._memory.read().splitlines():
            name, _, rest = line.partition(b":")
            if name in MEMORY:
                row[MEMORY[name]] = int(rest.split()[0]) * 1024
        for name, source in self._pressures.items():
            self._pressure(row, name, source.read(), seconds)
        return row

    def _cpu(self, row):
        # user nice system idle iowait irq softirq steal; guests are counted in user already
        ticks = numbers(self._stat.read().partition(b"\n")[0][4:])[:8]
        if len(ticks) < 8:
            return
        grown = self._rates.grown("cpu", ticks)
        total = sum(grown) if grown else 0
        if total:
            user, nice, system, _, iowait, irq, softirq, steal = grown
            row["cpu_user"] = (user + nice) / total
            row["cpu_system"] = (system + irq + softirq) / total
            row["cpu_iowait"] = iowait / total
            row["cpu_steal"] = steal / total

    def _pressure(self, row, name, text, seconds):
        for line in text.splitlines():
            kind, _, rest = line.partition(b" ")
            column = PRESSURES.get((name, kind))
            stalled = rest.rpartition(b"total=")[2]
            if column and stalled.isdigit():
                grown = self._rates.grown(column, [int(stalled)])
                if grown:
                    row[column] = min(1.0, grown[0] / 1e6 / seconds)
