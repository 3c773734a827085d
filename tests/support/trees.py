"""Makes whole results trees with plausible, seeded numbers, for tests and for work on the report.

    python tests/support/trees.py DIRECTORY [--preset reference|mixed] [--runs N] [--seed S]

The same arguments give the same bytes. Presets:
  reference  the fleet of the pipeline's first report: one cluster, 53 runs, 2 without results.json
  mixed      N runs over two clusters: repeats, engines and versions, several rank counts, and some
             runs that are invalid, partial, failed, interrupted or still running
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import random
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hpc_disk_bench.phases import BANDWIDTH, BY_NAME, IOPS, PHASES

TOO_SHORT = "Runtime is smaller than expected minimum runtime"
EPOCH = datetime.datetime(2025, 10, 28, 8, 0, 0)
UTC_OFFSET = -25200

# Rates of 16 ranks, in the order of RATED: GiB/s for ior, kIOPS for the rest. The first row is
# what a pair of 10k disks gives; the others keep the proportions that such storage shows.
RATED = [phase.name for phase in PHASES if phase.name != "timestamp"]
# fmt: off
RATES = {
    ("local", "hdd"):
        (0.187, 21.3, 0.177, 14.5, 604, 0.188, 65.5, 0.182, 142, 17.8, 15.5, 23.7, 0.004),
    ("local", "ssd"):
        (1.92, 86.0, 0.71, 39.0, 1910, 2.61, 312, 1.94, 340, 63.0, 88.0, 46.0, 0.83),
    ("nfs", "hdd"):
        (0.55, 4.2, 0.09, 2.6, 21.5, 0.91, 14.2, 0.34, 13.1, 3.8, 5.1, 3.1, 0.012),
    ("nfs", "ssd"):
        (0.95, 7.5, 0.21, 4.9, 38.4, 1.18, 26.1, 0.66, 24.3, 6.9, 9.4, 5.8, 0.11),
    ("powerscale", "hdd"):
        (1.43, 2.9, 0.12, 1.8, 9.3, 2.24, 11.2, 0.51, 10.4, 2.4, 3.6, 1.9, 0.03),
}
# fmt: on
SPEEDS = {"nfs4": 1.0, "nfs5": 0.9, "nfs6": 0.82, "nfs7": 0.66, "nvme0n1": 1.7, "md126": 1.15}


@dataclass
class Node:
    name: str
    cpu: str = "AMD EPYC 7313 16-Core Processor"
    cpus: int = 32
    cores: int = 16
    memory_gb: int = 503
    network: str | None = "10Gbps"
    speed: float = 1.0
    cluster: str = "wildwood"


@dataclass
class Run:
    """One run to make. `state` is what happened to it; "no-results": it was never parsed."""

    node: Node
    storage: str
    volume: str
    device: str
    state: str = "complete"
    ranks: int = 16
    engine: tuple[str, str] = ("embedded", "hpc-disk-bench-0.1.0 (embedded engine)")
    start: datetime.datetime = EPOCH
    failed_at: str = "mdtest-hard-write"
    short: tuple[str, ...] = ("ior-easy-write",)
    warnings: list[str] = field(default_factory=list)

    @property
    def timestamp(self):
        return self.start.strftime("%Y.%m.%d-%H.%M.%S")

    @property
    def directory(self):
        where = [self.node.cluster, self.node.name, self.storage, self.volume, self.device]
        return Path(*[part for part in where if part], self.timestamp)


OPTERON = {"cpu": "AMD Opteron(tm) Processor 6376", "cpus": 64, "cores": 8, "memory_gb": 995}
OLD_CPU = {**OPTERON, "speed": 0.72}
XEON = {"cpu": "Intel(R) Xeon(R) Gold 6226R CPU", "cpus": 64, "cores": 16, "memory_gb": 376}
FLEET = {
    node.name: node
    for node in (
        Node("aspen12", network="1Gbps", **XEON),
        Node("ayaya01", network="25Gbps"),
        Node("ayaya02", network="25Gbps"),
        Node("bact0", **OLD_CPU),
        Node("build1", network="1Gbps", **OLD_CPU),
        Node("cascade", network="1Gbps", **XEON),
        Node("chrom1", **OLD_CPU),
        Node("cqls-gpu4", network="100Gbps", speed=1.15),
        Node("darwin", **OLD_CPU),
        Node("jackson", network="40Gbps", **XEON),
        Node("microbiome", **OLD_CPU),
        Node("neo", network="40Gbps", **XEON),
        Node("olympus", network="100Gbps", speed=1.2),
        Node("samwise", **OLD_CPU),
    )
}
REFERENCE = """
aspen12 local//ssd nfs//hdd!
ayaya01 nfs/nfs7/hdd local//ssd
ayaya02 nfs/nfs6/hdd nfs/nfs7/hdd nfs/nfs4/hdd local//ssd
bact0 local//hdd nfs/fs0/ssd nfs/nfs6/hdd nfs/nfs7/hdd nfs/nfs4/hdd
build1 local//hdd nfs/fs0/ssd nfs/nfs6/hdd nfs/nfs4/hdd
cascade local//ssd nfs//hdd!
chrom1 local//hdd nfs/fs0/ssd nfs/nfs7/hdd nfs/nfs4/hdd nfs/nfs6/hdd
cqls-gpu4 nfs/nfs6/hdd nfs/nfs4/hdd local//ssd
darwin local//hdd nfs/nfs4/hdd nfs/nfs6/hdd
jackson local//ssd nfs/fs0/ssd nfs/fs0/ssd nfs/nfs4/hdd nfs/nfs7/hdd nfs/nfs6/hdd
microbiome nfs/nfs6/hdd nfs/nfs4/hdd nfs/fs0/ssd local//hdd
neo local//hdd nfs/fs0/ssd nfs/nfs7/hdd nfs/nfs6/hdd nfs/nfs4/hdd
olympus local/nvme0n1/ssd local/md126/ssd nfs/nfs7/hdd nfs/nfs4/hdd nfs/nfs6/hdd nfs/fs0/ssd
samwise local//hdd nfs/fs0/ssd nfs/nfs4/hdd nfs/nfs6/hdd
"""
UPSTREAM = ("upstream", "io500-isc25")


def reference_runs():
    """The first report's fleet: 55 runs, of which 2 (marked !) were never parsed."""
    runs, node = [], None
    for word in REFERENCE.split():
        if "/" not in word:
            node = FLEET[word]
            continue
        storage, volume, device = word.rstrip("!").split("/")
        state = "no-results" if word.endswith("!") else "complete"
        start = EPOCH + datetime.timedelta(minutes=71 * len(runs))
        runs.append(Run(node, storage, volume, device, state, engine=UPSTREAM, start=start))
    return runs


def mixed_runs(count, seed=0):
    """`count` runs with everything that happens in a year: repeats, other engines, failures."""
    choose = random.Random(f"mixed {seed}")
    nodes = [*FLEET.values()]
    fast = {**XEON, "network": "100Gbps", "speed": 1.3, "cluster": "cedar"}
    nodes += [Node(f"cn{k:03d}", **fast) for k in range(1, 9)]
    targets = []
    for node in nodes:
        targets.append((node, "local", "", "hdd" if node.cpus == 64 and node.speed < 1 else "ssd"))
        targets += [(node, "nfs", volume, "hdd") for volume in ("nfs4", "nfs5", "nfs6", "nfs7")]
        targets += [(node, "nfs", "fs0", "ssd"), (node, "powerscale", "", "hdd")]
    choose.shuffle(targets)
    ended = ("partial", "failed", "interrupted", "running", "no-results")
    states = ("complete",) * 42 + ("invalid",) * 3 + ended
    engines = [UPSTREAM, Run.engine, ("embedded", "hpc-disk-bench-0.2.0 (embedded engine)")]
    writes = ("ior-easy-write", "mdtest-easy-write", "ior-hard-write")
    runs = []
    for k in range(count):
        run = Run(*targets[k // 3 % len(targets)])  # three repeats of each target
        run.state = choose.choice(states)
        run.ranks = choose.choice((16, 16, 16, 32))
        run.start = EPOCH + datetime.timedelta(minutes=37 * k)
        run.engine = UPSTREAM if k % 3 else choose.choice(engines)
        run.failed_at = choose.choice(RATED[1:11])
        run.short = tuple(choose.sample(writes, 1 + k % 2))
        if run.storage == "local" and choose.random() < 0.05:
            run.warnings.append("test_dir was declared local, but /scratch is an nfs4 mount.")
        runs.append(run)
    return runs


def measure(run, seed):
    """The phases of one run in run order, as results.json holds them, up to where the run got."""
    dice = random.Random(f"{seed} {run.directory}")
    node, networked = run.node, run.storage != "local"
    steady = random.Random(f"{seed} {node.name} {run.storage} {run.volume}").lognormvariate(0, 0.10)
    scale = node.speed * SPEEDS.get(run.volume, 1.0) * steady * (run.ranks / 16) ** 0.3
    line = float(node.network.rstrip("Gbps")) * 1e9 / 8 / 2**30 * 0.94 if node.network else math.inf
    ended_early = run.state in ("partial", "failed", "interrupted", "running")
    phases = {}
    for phase in PHASES:
        if ended_early and phase.name == run.failed_at:
            break
        row = {"value": 0.0, "unit": phase.unit, "time": 0.001, "valid": True}
        phases[phase.name] = row
        if not phase.group:
            row["scored"] = False
        if phase.name == "timestamp":
            continue
        rate = RATES[run.storage, run.device][RATED.index(phase.name)]
        rate *= scale * dice.lognormvariate(0, 0.05)
        if networked and phase.group == "bandwidth":
            rate = min(rate, line * dice.uniform(0.95, 1.0))
        time = dice.uniform(301, 360) if phase.stonewalled else dice.uniform(20, 320)
        row.update(value=round(rate, 6), time=round(time, 3))
        if run.state == "invalid" and phase.name in run.short:
            row.update(time=round(dice.uniform(20, 290), 3), valid=False, reasons=[TOO_SHORT])
    return phases


def score(phases):
    def mean(group):
        return math.exp(sum(math.log(phases[phase.name]["value"]) for phase in group) / len(group))

    if any(phase.name not in phases for phase in (*BANDWIDTH, *IOPS)):
        return {"bandwidth": None, "iops": None, "total": None, "valid": False}
    bandwidth, iops = mean(BANDWIDTH), mean(IOPS)
    return {
        "bandwidth": round(bandwidth, 6),
        "iops": round(iops, 6),
        "total": round(math.sqrt(bandwidth * iops), 6),
        "valid": all(row["valid"] for row in phases.values()),
    }


def summary_text(run, phases, scores):
    """result_summary.txt in upstream's layout; empty where the run ended early, as it leaves it."""
    if run.state not in ("complete", "invalid", "no-results"):
        return ""
    lines = [f"IO500 version {run.engine[1]} (standard)"]
    for name, row in phases.items():
        mark = "[RESULT]" if row.get("scored", True) else "[      ]"
        flag = "" if row["valid"] else " [INVALID]"
        rate = f"{row['value']:15.6f} {row['unit']}"
        lines.append(f"{mark} {name:>20} {rate} : time {row['time']:.3f} seconds{flag}")
    flag = "" if scores["valid"] else " [INVALID]"
    lines.append(
        f"[SCORE ] Bandwidth {scores['bandwidth']:.6f} GiB/s : IOPS {scores['iops']:.6f} kiops"
        f" : TOTAL {scores['total']:.6f}{flag}"
    )
    return "\n".join(lines) + "\n"


def node_metadata(node):
    return {
        "cluster_name": node.cluster,
        "node_name": node.name,
        "hostname": f"{node.name}.hpc.example.edu",
        "cpu_model": node.cpu,
        "cpu_count": node.cpus,
        "cpu_cores": node.cores,
        "memory_gb": node.memory_gb,
        "network_interface": "enp9s0f0" if node.network else None,
        "network_speed": node.network,
        "kernel": "5.14.0-427.18.1.el9_4.x86_64",
        "os": "Rocky Linux 9.4 (Blue Onyx)",
        "metadata_timestamp": "2025-10-28T14:58:30Z",
    }


def run_metadata(run, seconds):
    start = run.start.replace(tzinfo=datetime.UTC).timestamp() - UTC_OFFSET
    mount = "/scratch" if run.storage == "local" else f"/{run.volume or run.storage}"
    networked = run.storage != "local"
    chosen = {("local", "ssd"): "config-ssd.ini", ("nfs", "hdd"): "config-nfs.ini"}
    config = chosen.get((run.storage, run.device), "config.ini")
    return {
        "cluster_name": run.node.cluster,
        "node_name": run.node.name,
        "storage_type": run.storage,
        "storage_volume": run.volume,
        "device_type": run.device,
        "timestamp": run.timestamp,
        "num_procs": run.ranks,
        "test_dir": f"{mount}/me/disk_test",
        "schema_version": 1,
        "engine": run.engine[0],
        "engine_version": run.engine[1],
        "engine_path": "/opt/bench/io500",
        "config_file": f"configs/{config}",
        "config_sha256": f"{random.Random(config).getrandbits(256):064x}",
        "nodes": [run.node.name],
        "node_count": 1,
        "ppn": run.ranks,
        "job_id": str(1857000 + run.start.toordinal() % 1000 + run.start.minute),
        "start_epoch": start,
        "end_epoch": None if run.state == "running" else start + seconds,
        "utc_offset_seconds": UTC_OFFSET,
        "storage": {
            "mount_point": mount,
            "filesystem": "nfs4" if networked else "xfs",
            "source": f"nas:{mount}" if networked else "/dev/md126",
            "options": "rw,vers=4.2,rsize=1048576,wsize=1048576" if networked else "rw,relatime",
            "size_bytes": 2**45 if networked else 2**42,
            "free_bytes": 2**44 if networked else 2**41,
            "inodes": 2**32,
            "inodes_free": 2**31,
            "block_device": None if networked else "md126",
            "device_model": None if networked else "SAMSUNG MZ7LH3T8",
            "rotational": None if networked else run.device == "hdd",
            "nfs_version": "4.2" if networked else None,
            "nfs_rsize": 1048576 if networked else None,
            "nfs_wsize": 1048576 if networked else None,
            "lustre_stripe_count": None,
            "lustre_stripe_size": None,
        },
        "warnings": run.warnings,
    }


def status(run, phases, end):
    state = {"partial": "failed", "no-results": "complete"}.get(run.state, run.state)
    full = 'write "/scratch/me/disk_test/io500.9f2c/data/f": No space left on device (ENOSPC)'
    text = f"ERROR rank 3 on {run.node.name}: phase {run.failed_at}: {full}"
    line = {"file": "io500.err", "line": 1, "text": text}
    stopped = state in ("failed", "interrupted", "running")
    return {
        "schema_version": 1,
        "state": state,
        "exit_code": {"failed": 4, "interrupted": 130, "running": None}.get(state, 0),
        "signal": "SIGINT" if state == "interrupted" else None,
        "last_phase": run.failed_at if stopped else [*phases][-1],
        "phases_done": len(phases),
        "phases_total": 13,
        "diagnosis": diagnosis(state, line),
        "evidence": [line] if state == "failed" else [],
        # What runs has been heard of lately; the others never again.
        "updated_epoch": time.time() if state == "running" else end,
    }


CODES = {
    "failed": ("HDB012", "no space left on device"),
    "interrupted": ("HDB019", "cancelled"),
    "invalid": ("HDB025", "phase shorter than the stonewall"),
}


def diagnosis(state, line):
    if state not in CODES:
        return None
    code, title = CODES[state]
    evidence = [line] if state == "failed" else []
    told = {"remedy": "as its page says", "facts": [], "evidence": evidence, "also": []}
    return {"code": code, "title": title, **told}


def write_run(root, run, seed=0):
    """Write one run as the wrapper leaves it and return its directory."""
    phases = measure(run, seed)
    scores = score(phases)
    directory = Path(root, run.directory)
    directory.mkdir(parents=True)
    metadata = run_metadata(run, sum(row["time"] for row in phases.values()))
    write_json(directory / "run_metadata.json", metadata)
    if run.state != "no-results":
        results = {**phases, "score": scores}
        if any(phase not in phases for phase in BY_NAME):
            results["partial"] = True
        if run.state != "running":
            write_json(directory / "results.json", results)
        # A partial run is one from before status.json, or rebuilt: only its results say so.
        if run.state != "partial":
            write_json(directory / "status.json", status(run, phases, metadata["end_epoch"]))
    summary = summary_text(run, phases, scores)
    (directory / "result_summary.txt").write_text(summary, encoding="utf-8")
    return directory


def write_tree(root, runs, seed=0):
    """Write all `runs` below `root`, and node_metadata.json of every node they ran on."""
    for run in runs:
        write_run(root, run, seed)
        path = Path(root, run.node.cluster, run.node.name, "node_metadata.json")
        if not path.exists():
            write_json(path, node_metadata(run.node))
    return Path(root)


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path, help="where to make the tree; not there or empty")
    parser.add_argument("--preset", choices=("reference", "mixed"), default="reference")
    parser.add_argument("--runs", type=int, default=200, help="how many, for mixed (default: 200)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.directory.exists() and any(options.directory.iterdir()):
        parser.error(f"{options.directory} is not empty")
    mixed = options.preset == "mixed"
    runs = mixed_runs(options.runs, options.seed) if mixed else reference_runs()
    write_tree(options.directory, runs, options.seed)
    print(f"{len(runs)} runs in {options.directory}")


if __name__ == "__main__":
    main()
