"""The block device behind test_dir (the kernel's block/stat.rst)."""

import os

from hpc_disk_bench.telemetry.counters import Rates, Source, numbers

SECTOR = 512  # what the counters count in, whatever the device's own sectors are


class Disk:
    def __init__(self, numbers_of_device, sys="/sys"):
        """numbers_of_device: (major, minor)."""
        major, minor = numbers_of_device
        self._stat = Source(os.path.join(sys, "dev/block", f"{major}:{minor}", "stat"))
        self._rates = Rates()

    def sample(self, seconds):
        """The columns of this source for an interval of so many seconds."""
        counters = numbers(self._stat.read())
        if len(counters) < 11:
            return {}
        reads, _, read, read_ms, writes, _, written, write_ms, _, busy_ms, queue_ms = counters[:11]
        grown = self._rates.grown(
            "disk", [reads, writes, read, written, read_ms + write_ms, busy_ms, queue_ms]
        )
        if grown is None:
            return {}
        reads, writes, read, written, waited_ms, busy_ms, queue_ms = grown
        row = {
            "disk_reads_per_s": reads / seconds,
            "disk_writes_per_s": writes / seconds,
            "disk_read_bytes_per_s": read * SECTOR / seconds,
            "disk_written_bytes_per_s": written * SECTOR / seconds,
            "disk_busy": min(1.0, busy_ms / 1000 / seconds),
            "disk_queue": queue_ms / 1000 / seconds,
        }
        if reads + writes:
            row["disk_await_ms"] = waited_ms / (reads + writes)
        return row
