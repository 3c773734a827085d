"""The columns of telemetry.csv in their order: name, unit, meaning.

Figures of an interval are those since the row before; a cell is empty where the system does not
tell, or where nothing stands to compare with yet.
"""

from typing import NamedTuple


class Column(NamedTuple):
    name: str
    unit: str  # as spoken in docs/telemetry.md; "" for text
    meaning: str


COLUMNS = tuple(
    Column(*fields)
    for fields in (
        (
            "time_epoch",
            "s",
            "end of the interval, UTC, by the clock of the run's first node",
        ),
        ("clock_offset_s", "s", "what was added to this node's own clock to come to that"),
        ("clock_error_s", "s", "what that may be wrong by: half of the quickest round trip"),
        ("interval_s", "s", "length of the interval"),
        ("node", "", "host name"),
        ("phase", "", "phase that the benchmark was in at the end of the interval"),
        ("cpu_user", "share", "of all CPUs: running programs, nice ones among them"),
        ("cpu_system", "share", "of all CPUs: in the kernel, interrupts among it"),
        ("cpu_iowait", "share", "of all CPUs: idle, with input or output under way"),
        ("cpu_steal", "share", "of all CPUs: taken by the hypervisor"),
        ("load_1min", "processes", "load average of a minute"),
        ("memory_available_bytes", "bytes", "memory that programs can still get"),
        ("memory_cached_bytes", "bytes", "page cache"),
        ("memory_dirty_bytes", "bytes", "written by programs, not yet to storage"),
        ("memory_writeback_bytes", "bytes", "on its way to storage"),
        ("pressure_cpu", "share", "of the time in which some process waited for a CPU"),
        ("pressure_io", "share", "of the time in which some process waited for input or output"),
        ("pressure_io_full", "share", "of the time in which all processes did"),
        ("pressure_memory", "share", "of the time in which some process waited for memory"),
        ("disk_reads_per_s", "1/s", "reads of the block device behind test_dir"),
        ("disk_writes_per_s", "1/s", "writes of it"),
        ("disk_read_bytes_per_s", "bytes/s", "read from it"),
        ("disk_written_bytes_per_s", "bytes/s", "written to it"),
        ("disk_busy", "share", "of the time in which it had something to do"),
        ("disk_queue", "requests", "requests under way or waiting, mean"),
        ("disk_await_ms", "ms", "from a request to its end, mean"),
        ("network_received_bytes_per_s", "bytes/s", "by the interface towards the storage"),
        ("network_sent_bytes_per_s", "bytes/s", "by it"),
        ("network_packets_per_s", "1/s", "received and sent by it"),
        ("network_drops_per_s", "1/s", "dropped or broken there, received and sent"),
        ("nfs_operations_per_s", "1/s", "remote calls of the mount behind test_dir"),
        ("nfs_read_bytes_per_s", "bytes/s", "read from the server"),
        ("nfs_written_bytes_per_s", "bytes/s", "written to the server"),
        ("nfs_round_trip_ms", "ms", "from sending a call to its answer, mean"),
        ("nfs_execution_ms", "ms", "the same with the wait in the client's queue, mean"),
        ("nfs_retransmissions_per_s", "1/s", "calls sent again"),
        ("nfs_busiest", "", "the three busiest calls: WRITE 812/s 3.1 ms; ..."),
        ("lustre_operations_per_s", "1/s", "calls to the Lustre client behind test_dir"),
        ("lustre_read_bytes_per_s", "bytes/s", "read through it"),
        ("lustre_written_bytes_per_s", "bytes/s", "written through it"),
        ("ranks", "processes", "ranks of the benchmark on this node"),
        ("ranks_cpu", "CPUs", "what they used, 1 is one CPU all the time"),
        ("ranks_read_bytes_per_s", "bytes/s", "read by them, from the page cache too"),
        ("ranks_written_bytes_per_s", "bytes/s", "written by them, to the page cache too"),
        ("ranks_system_calls_per_s", "1/s", "reads and writes they called for"),
        ("ranks_from_storage_bytes_per_s", "bytes/s", "of what they read, fetched from storage"),
        ("ranks_to_storage_bytes_per_s", "bytes/s", "of what they wrote, bound for storage"),
    )
)
NAMES = tuple(column.name for column in COLUMNS)
TEXTS = frozenset(column.name for column in COLUMNS if not column.unit)
FILE = "telemetry.csv"
