"""One run's record as the page's script needs it: rates, latencies, nodes, findings, ranks.

Rates are MiB/s or operations a second, latencies microseconds, memory MiB, shares per cent, times
seconds since the run's first phase began, or since its own where a phase holds them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from hpc_disk_bench.findings.inside import verdicts
from hpc_disk_bench.findings.nodes import MOST_APART, joined
from hpc_disk_bench.findings.series import read_run
from hpc_disk_bench.report.inside import bins, latencies
from hpc_disk_bench.report.inside.latencies import texts

MIB = 2**20
MOST_RANKS = 64  # rows of ranks
OF_RANKS = ("straggler", "tail")  # findings that say nothing of the rate's course
# What went to and from the storage, by who counts it: the first that the telemetry has.
TRAFFIC = {
    "block device": ("disk_read_bytes_per_s", "disk_written_bytes_per_s"),
    "NFS mount": ("nfs_read_bytes_per_s", "nfs_written_bytes_per_s"),
    "Lustre client": ("lustre_read_bytes_per_s", "lustre_written_bytes_per_s"),
}


class Record(NamedTuple):
    """What a run's directory says of the course of its phases."""

    phases: list  # findings.series.Phase
    verdicts: list  # findings.inside.Verdict, one a phase
    latencies: list  # [phase, operation, count, p50 ... max in s]
    histograms: list  # [phase, operation, number of a class, [operations in it, in the next ...]]


def read(directory):
    """The Record of a run, None where it has none. UserError where it cannot be understood."""
    phases = [phase for phase in read_run(directory) if np.isfinite(phase.epoch)]
    if not phases:
        return None
    known = latencies.percentiles(directory)
    return Record(phases, verdicts(phases), known, latencies.histograms(directory, known))


def coded(record, most):
    """`record` as compact JSON values, at most `most` points a phase and series."""
    zero = min(phase.epoch for phase in record.phases)
    found = [
        [k, one.kind, one.text, one.confidence, one.at, one.until]
        for k, verdict in enumerate(record.verdicts)
        for one in verdict.findings
    ]
    return {
        "phases": [
            _phase(phase, verdict, zero, most)
            for phase, verdict in zip(record.phases, record.verdicts, strict=True)
        ],
        "findings": found,
        "nodes": _nodes(record.phases, zero, 2 * most),
        "latencies": [[*row[:3], *bins.rounded(row[3:])] for row in record.latencies],
        "histograms": record.histograms,
        "ranks": _ranks(record.phases),
    }


def weight(record, most):
    """How many values `coded` would hold, about."""
    drawn = [min(len(p.rate), most) * (6 if len(p.rate) > most else 4) for p in record.phases]
    nodes = max(len(phase.nodes.names) for phase in record.phases)
    seconds = min(sum(len(phase.nodes.together) for phase in record.phases), 2 * most)
    # Of each node that is told apart the time and four series of CPU, then those of all together.
    classes = sum(len(counts) for *_, counts in record.histograms)
    return sum(drawn) + (5 * min(nodes, MOST_APART) + 8) * seconds + classes


def _phase(phase, verdict, zero, most):
    per = bins.size(len(phase.rate), most)
    scale = MIB if phase.unit == "bytes/s" else 1
    rate = phase.rate / scale
    made = {
        "name": phase.name,
        "unit": phase.unit,
        "at": round(phase.epoch - zero, 2),
        "took": round(float(phase.start[-1] + phase.duration[-1]), 6),
        "per": round(float(per * phase.duration[0]), 3),  # seconds that a point stands for
        "level": bins.rounded([np.nanmedian(rate) if np.isfinite(rate).any() else np.nan])[0],
        # The words of a form that is a finding are the finding's.
        "text": "" if any(one.kind not in OF_RANKS for one in verdict.findings) else verdict.text,
        "x": bins.middles(phase.start, phase.duration, per),
        "rate": bins.medians(rate, per),
    }
    if per > 1:
        made |= {"low": bins.lowest(rate, per), "high": bins.highest(rate, per)}
    if phase.operation != "entry" and {"p50", "p99"} <= set(phase.latency):
        # A second in which nothing ended has no latency; of a bin the worst second counts.
        p50, p99 = (
            np.where(phase.rate > 0, 1e6 * phase.latency[name], np.nan) for name in ("p50", "p99")
        )
        made |= {"p50": bins.medians(p50, per), "p99": bins.highest(p99, per)}
    return made


def _nodes(phases, zero, most):
    """What the nodes did meanwhile; {} without telemetry."""
    nodes = joined(phase.nodes for phase in phases)
    table = nodes.together
    if not len(table):
        return {}
    made = {"count": len(nodes.names), "cpu": _cpu(nodes, zero, most)}
    memory = [name for name in ("memory_dirty_bytes", "memory_writeback_bytes") if name in table]
    if memory:
        made["dirty"] = _sum(table, {"dirty": memory}, zero, most)
    for source, (read_, written) in TRAFFIC.items():
        if {read_, written} <= set(table) and table[[read_, written]].notna().any(axis=None):
            wanted = {"read": [read_], "written": [written]}
            made["traffic"] = {"source": source, **_sum(table, wanted, zero, most)}
            break
    return made


def _cpu(nodes, zero, most):
    """Each node's busy and waiting CPUs; of many nodes their mean, lowest and highest."""
    if "busy_mean" not in nodes.together:
        return []
    if not nodes.apart:
        return [_cpu_of(f"{len(nodes.names)} nodes", nodes.together, zero, most)]
    same = {"busy": ("busy_mean", "busy_min", "busy_max"), "wait": ("wait_mean",)}
    return [
        _cpu_of(name, pd.DataFrame({to: table[of] for of, all_ in same.items() for to in all_}),
                zero, most)
        for name, table in nodes.apart.items()
    ]  # fmt: skip


def _cpu_of(name, table, zero, most):
    per = bins.size(len(table), most)
    return {
        "name": name,
        "x": _times(table, zero, per),
        "busy": bins.medians(100 * table["busy_mean"], per),
        "low": bins.lowest(100 * table["busy_min"], per),
        "high": bins.highest(100 * table["busy_max"], per),
        "wait": bins.medians(100 * table["wait_mean"], per),
    }


def _sum(table, wanted, zero, most):
    """{name: MiB or MiB/s of all nodes together} of `wanted`, {name: columns}, with their times."""
    per = bins.size(len(table), most)
    made = {"x": _times(table, zero, per)}
    for name, columns in wanted.items():
        total = table[columns].sum(axis=1, min_count=1) / MIB
        made[name] = bins.medians(total, per)
        if per > 1:
            made[f"{name}_high"] = bins.highest(total, per)
    return made


def _times(by_second, zero, per):
    """The middles of the bins; a row speaks of the second that ends at its time."""
    start = by_second.index.to_numpy(float) - zero - 1
    return bins.middles(start, np.ones(len(start)), per)


def _ranks(phases):
    """When each rank did its last operation, phase by phase; of very many ranks the latest of each
    group of neighbours."""
    tables = [phase.ranks.dropna(subset=["rank", "last_s"]) if len(phase.ranks) else phase.ranks
              for phase in phases]  # fmt: skip
    numbers = sorted({int(rank) for table in tables if len(table) for rank in table["rank"]})
    if not numbers:
        return {}
    per = bins.size(len(numbers), MOST_RANKS)
    row = {rank: k // per for k, rank in enumerate(numbers)}
    groups = [numbers[k : k + per] for k in range(0, len(numbers), per)]
    hosts, last = [""] * len(groups), []
    for table in tables:
        latest = [np.nan] * len(groups)
        for rank, host, end in (
            zip(table["rank"], texts(table["host"]), table["last_s"], strict=True)
            if len(table) else ()
        ):  # fmt: skip
            k = row[int(rank)]
            latest[k] = max(latest[k], end) if latest[k] == latest[k] else end
            hosts[k] = hosts[k] or host
        last.append(bins.rounded(latest))
    return {
        "names": [f"{g[0]}" if len(g) == 1 else f"{g[0]} to {g[-1]}" for g in groups],
        "hosts": hosts,
        "last": last,
    }
