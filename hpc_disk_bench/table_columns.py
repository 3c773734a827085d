"""The columns of aggregated_results.csv: their names, order, kinds, units and sources, once.

docs/columns.md is the same list for people; a test holds the two together.
"""

from __future__ import annotations

from typing import NamedTuple

from hpc_disk_bench.phases import PHASES, SCORED

TEXT, NUMBER, TRUTH = "text", "number", "true/false"

NODE, RUN, STATUS, RESULTS = (
    "node_metadata.json",
    "run_metadata.json",
    "status.json",
    "results.json",
)


class Column(NamedTuple):
    name: str
    kind: str
    unit: str
    source: str  # the file it comes from, or "" for what aggregate finds out itself
    meaning: str


def _columns(source, rows):
    return tuple(Column(name, kind, unit, source, meaning) for name, kind, unit, meaning in rows)


IDENTITY = _columns(
    RUN,
    (
        ("cluster_name", TEXT, "", "cluster, as given to the wrapper"),
        ("node_name", TEXT, "", "node, as given to the wrapper"),
    ),
)
NODE_COLUMNS = _columns(
    NODE,
    (
        ("hostname", TEXT, "", "the node's full host name"),
        ("cpu_model", TEXT, "", "CPU model, as /proc/cpuinfo names it"),
        ("cpu_count", NUMBER, "", "logical CPUs of the node"),
        ("cpu_cores", NUMBER, "", "cores per socket"),
        ("memory_gb", NUMBER, "GiB", "main memory"),
        ("network_interface", TEXT, "", "interface that carries the default route"),
        ("network_speed", TEXT, "", "link speed of that interface with its unit, such as 10Gbps"),
        ("kernel", TEXT, "", "kernel release"),
        ("os", TEXT, "", "operating system"),
        ("metadata_timestamp", TEXT, "UTC", "when the node's metadata was gathered"),
    ),
)
RUN_COLUMNS = _columns(
    RUN,
    (
        ("storage_type", TEXT, "", "local, nfs, powerscale ...; all but local is networked"),
        ("storage_volume", TEXT, "", "volume; empty where none was named"),
        ("device_type", TEXT, "", "hdd, ssd ..."),
        ("timestamp", TEXT, "local time", "start of the run, YYYY.MM.DD-HH.MM.SS"),
        ("num_procs", NUMBER, "", "MPI ranks"),
        ("test_dir", TEXT, "", "directory that was tested"),
        ("schema_version", NUMBER, "", "version of run_metadata.json's shape"),
        ("engine", TEXT, "", "embedded or upstream"),
        ("engine_version", TEXT, "", "version string of the benchmark that ran"),
        ("config_file", TEXT, "", "configuration template"),
        ("config_sha256", TEXT, "", "SHA-256 of that template"),
        ("node_count", NUMBER, "", "nodes that took part"),
        ("ppn", NUMBER, "", "ranks per node"),
        ("job_id", TEXT, "", "batch job"),
        ("start_epoch", NUMBER, "s", "start, UTC seconds since 1970"),
        ("end_epoch", NUMBER, "s", "end, likewise; empty while the run lasts"),
        ("utc_offset_seconds", NUMBER, "s", "offset of `timestamp` from UTC"),
    ),
)
STORAGE_COLUMNS = _columns(
    RUN,
    (
        ("storage_mount_point", TEXT, "", "mount point that holds test_dir"),
        ("storage_filesystem", TEXT, "", "file system type of that mount"),
        ("storage_source", TEXT, "", "its source: device, server:/export ..."),
        ("storage_options", TEXT, "", "its mount options"),
        ("storage_size_bytes", NUMBER, "B", "size of the file system"),
        ("storage_free_bytes", NUMBER, "B", "free space at the start"),
        ("storage_inodes", NUMBER, "", "inodes of the file system"),
        ("storage_inodes_free", NUMBER, "", "free inodes at the start"),
        ("storage_block_device", TEXT, "", "block device below it"),
        ("storage_device_model", TEXT, "", "model of that device"),
        ("storage_rotational", TRUTH, "", "whether that device rotates"),
        ("storage_nfs_version", TEXT, "", "NFS version of the mount"),
        ("storage_nfs_rsize", NUMBER, "B", "NFS read size"),
        ("storage_nfs_wsize", NUMBER, "B", "NFS write size"),
        ("storage_lustre_stripe_count", NUMBER, "", "Lustre stripe count of test_dir"),
        ("storage_lustre_stripe_size", NUMBER, "B", "Lustre stripe size of test_dir"),
    ),
)
WARNINGS = Column("warnings", TEXT, "", RUN, "where test_dir is not what was declared, by `; `")
STATE_COLUMNS = (
    Column("state", TEXT, "", "", "complete, invalid, partial, failed, interrupted or running"),
    Column("diagnosis", TEXT, "", STATUS, "why it failed or does not count: HDB012, or empty"),
    Column("run_dir", TEXT, "", "", "the run's directory below the results root"),
    Column("scored_phases", NUMBER, "", "", "how many of the 12 scored phases have a value"),
    Column("exit_code", NUMBER, "", STATUS, "exit code of the run"),
    Column("last_phase", TEXT, "", STATUS, "phase the run was in when it ended"),
    Column("evidence", TEXT, "", STATUS, "the lines that say why it failed, by `; `"),
)
BASE = (
    *IDENTITY,
    *NODE_COLUMNS,
    *RUN_COLUMNS,
    *STORAGE_COLUMNS,
    WARNINGS,
    *STATE_COLUMNS,
)

# Extended mode's phases in the order of a run; what else turns up comes after them, by name.
FURTHER = (
    "ior-rnd4K-write",
    "ior-rnd1MB-write",
    "mdworkbench-create",
    "find-easy",
    "ior-rnd4K-read",
    "ior-rnd1MB-read",
    "find-hard",
    "mdworkbench-bench",
    "mdworkbench-delete",
    "concurrent",
)
STANDARD = tuple(phase.name for phase in PHASES if phase.name != "timestamp")
SCORED_NAMES = frozenset(phase.name for phase in SCORED)
SCORES = ("score", "score_extended")


def phase_order(found):
    """The phases that get columns: the standard ones always, further ones where a run has them."""
    further = [name for name in FURTHER if name in found]
    others = sorted(set(found) - set(STANDARD) - set(FURTHER) - set(SCORES) - {"timestamp"})
    return [*STANDARD, *further, *others]


def score_order(found):
    return [name for name in SCORES if name == "score" or name in found]


def phase_columns(name):
    """The four columns of a phase: value, unit, time and valid."""
    stem = name.replace("-", "_")
    unit = "GiB/s" if name.startswith("ior") else "kIOPS"
    return (
        Column(f"{stem}_value", NUMBER, unit, RESULTS, f"rate of {name}"),
        Column(f"{stem}_unit", TEXT, "", RESULTS, "unit of that rate"),
        Column(f"{stem}_time", NUMBER, "s", RESULTS, f"how long {name} took"),
        Column(f"{stem}_valid", TRUTH, "", RESULTS, "whether the benchmark counts it as valid"),
    )


def score_columns(name):
    return (
        Column(f"{name}_bandwidth", NUMBER, "GiB/s", RESULTS, "geometric mean of the ior phases"),
        Column(f"{name}_iops", NUMBER, "kIOPS", RESULTS, "geometric mean of the metadata phases"),
        Column(f"{name}_total", NUMBER, "", RESULTS, "square root of bandwidth times iops"),
        Column(f"{name}_valid", TRUTH, "", RESULTS, "whether the score counts as valid"),
    )


def reasons_column(name):
    stem = name.replace("-", "_")
    return Column(f"{stem}_reasons", TEXT, "", RESULTS, f"why {name} is invalid, by `; `")


LATENCIES = ("p50", "p99")  # those of the wide table; the long form has all that are told


def latency_columns(name):
    """What half and 99 % of the operations of a phase did not exceed."""
    stem, what = name.replace("-", "_"), "of the operations of"
    return tuple(
        Column(
            f"{stem}_latency_{part}", NUMBER, "s", RESULTS, f"{share} {what} {name} took no longer"
        )
        for part, share in zip(LATENCIES, ("half", "99 %"), strict=True)
    )


def wide_columns(found=()):
    """All columns of the wide table for a tree in which the phases and scores `found` occur."""
    phases, scores = phase_order(found), score_order(found)
    columns = [*BASE]
    for name in phases:
        columns += phase_columns(name)
    for name in scores:
        columns += score_columns(name)
    columns += [reasons_column(name) for name in (*phases, *scores)]
    return columns + [column for name in phases for column in latency_columns(name)]


_KINDS = {"value": NUMBER, "time": NUMBER, "valid": TRUTH, "p50": NUMBER, "p99": NUMBER}
_KINDS |= dict.fromkeys(("bandwidth", "iops", "total"), NUMBER)


def column_of(name, known):
    """The Column called `name`: of `known`, or one that a further phase or score brought."""
    for column in known:
        if column.name == name:
            return column
    kind = _KINDS.get(name.rpartition("_")[2], TEXT)
    unit = {"value": "GiB/s" if name.startswith("ior") else "kIOPS"}
    unit |= dict.fromkeys(("time", *LATENCIES), "s")
    unit |= {"bandwidth": "GiB/s", "iops": "kIOPS"}
    return Column(name, kind, unit.get(name.rpartition("_")[2], ""), RESULTS, "")


LONG = (
    *IDENTITY,
    *(c for c in RUN_COLUMNS if c.name in ("storage_type", "storage_volume", "device_type")),
    *(c for c in RUN_COLUMNS if c.name in ("timestamp", "num_procs", "engine", "engine_version")),
    *(c for c in STATE_COLUMNS if c.name in ("state", "run_dir")),
    Column("phase", TEXT, "", RESULTS, "phase, or score, score_extended"),
    Column("scored", TRUTH, "", RESULTS, "whether the phase counts to the score"),
    Column("metric", TEXT, "", RESULTS, "bandwidth, rate, time, latency_..., iops or total"),
    Column("value", NUMBER, "see `unit`", RESULTS, "the figure"),
    Column("unit", TEXT, "", RESULTS, "GiB/s, kIOPS, s, or empty for a score's total"),
    Column("valid", TRUTH, "", RESULTS, "whether the benchmark counts the phase as valid"),
    Column("reasons", TEXT, "", RESULTS, "why it is invalid, by `; `"),
)
