"""Makes the record of a run, as the embedded engine and the telemetry write it: a known course."""

from __future__ import annotations

import csv
import math

import numpy as np

from hpc_disk_bench.phases import SCORED
from hpc_disk_bench.telemetry.columns import FILE, NAMES

GIB = 2**30
SERIES = (
    "phase,operation,second,start_epoch_s,duration_s,ranks,operations,bytes"
    ",p50_s,p95_s,p99_s,p99.9_s,max_s"
)
RANKS = (
    "phase,rank,host,operations,bytes,start_epoch_s,stonewall_s,stonewall_operations"
    ",first_s,last_s,end_s,open_s,transfer_s,fsync_s,close_s"
)
HISTOGRAM = "phase,operation,from_s,to_s,count"
SHARES = (0.5, 0.45, 0.04, 0.009, 0.001)  # of the operations that take 1, 2, 4, 8 and 16 ms
OPERATIONS = {"ior": "write", "mdtest": "create", "find": "entry"}
DROP_AT = 40  # s: of ior-easy-write, to a fifth
SLOW_RANK = 2  # of mdtest-easy-write: the others wait for it


def write(directory, *, seconds=60, hosts=("chrom1",), epoch=1.77e9, seed=0, telemetry=True,
          phases=tuple(phase.name for phase in SCORED), per_host=4):  # fmt: skip
    """The files of a record in `directory`: ior-easy-write drops, a rank of mdtest-easy-write is
    late, all else wanders by 3 %."""
    draw = np.random.default_rng(seed)
    series, latencies, classes, ranks, nodes = [], [], [], [], []
    for name in phases:
        operation = "read" if name.endswith("read") else OPERATIONS[name.split("-")[0]]
        rate = 1000 if name.startswith("ior") else 20_000
        for second in range(seconds):
            here = rate * float(np.exp(draw.normal(0, 0.03)))
            if name == "ior-easy-write" and second >= DROP_AT:
                here /= 5
            p50 = 1e-3 * rate / here
            series.append(
                [name, operation, second, f"{epoch + second:.6f}", 1, per_host * len(hosts),
                 round(here), round(here * GIB / 1000) if name.startswith("ior") else 0,
                 p50, 2 * p50, 4 * p50, 8 * p50, 16 * p50]
            )  # fmt: skip
            nodes += [_row(host, epoch + second + 1, name, second) for host in hosts]
        latencies.append([name, operation, rate * seconds, 1e-3, 2e-3, 4e-3, 8e-3, 16e-3])
        classes += [
            [name, operation, *_class(1e-3 * 2**k), round(share * rate * seconds)]
            for k, share in enumerate(SHARES)
        ]
        for rank in range(per_host * len(hosts)):
            late = name == "mdtest-easy-write" and rank == SLOW_RANK
            end = seconds if late or name != "mdtest-easy-write" else 0.6 * seconds
            ranks.append(
                [name, rank, hosts[rank // per_host], 1000, 0, epoch, end, 1000,
                 0.001, end, end + 0.1, 0, end, 0, 0]
            )  # fmt: skip
        epoch += seconds + 2.0
    _save(directory / "timeseries.csv", SERIES.split(","), series)
    _save(directory / "ranks.csv", RANKS.split(","), ranks)
    _save(directory / "latency.csv", ["phase", "operation", "count", *SERIES.split(",")[8:]],
          latencies)  # fmt: skip
    _save(directory / "histogram.csv", HISTOGRAM.split(","), classes)
    if telemetry:
        _save(directory / FILE, NAMES, [[row.get(name, "") for name in NAMES] for row in nodes])


def _class(latency):
    """Where the class of a latency begins and ends, s: 16 in a power of two, as the engine."""
    k = math.floor(16 * math.log2(1e9 * latency))
    return [f"{1e-9 * math.ceil(2 ** (edge / 16)):.9f}" for edge in (k, k + 1)]


def _row(host, time, phase, second):
    return {
        "time_epoch": f"{time:.3f}", "interval_s": 1, "node": host, "phase": phase,
        "cpu_user": 0.2, "cpu_system": 0.3, "cpu_iowait": 0.1, "cpu_steal": 0,
        "memory_dirty_bytes": min(second / DROP_AT, 1) * 8 * GIB if "write" in phase else 0,
        "memory_writeback_bytes": 0,
        "disk_read_bytes_per_s": 0, "disk_written_bytes_per_s": 200 * 2**20,
    }  # fmt: skip


def _save(path, head, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
