#!/usr/bin/env python3
"""How often undisturbed runs raise a finding: the whole pipeline at a rate that holds still.

    benchmarks/quiet.py [--runs N] [--ranks 1,2] [--seconds N] [--share PERCENT]

Each run is one of io500_wrapper.sh with the embedded engine on a file system in memory, sampled as
always, with phases long enough to carry a finding. A control group (cgroup v1, as root) gives each
rank so small a share of a core that nothing but that share decides its rate, and what is written is
little: caches, journals and a hypervisor that hands out memory make rates that do change, which is
rightly found. A rank keeps to one core: one that moves leaves a part of its share behind. Four runs
go on at a time. Leave the machine alone meanwhile. Aim: none.
Needs a compiled engine and the packages of the report (make demo sets up both).
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from hpc_disk_bench.findings.inside import verdicts  # noqa: E402 - from this clone
from hpc_disk_bench.findings.series import read_run  # noqa: E402
from hpc_disk_bench.findings.shape import ENOUGH  # noqa: E402

GROUPS = Path("/sys/fs/cgroup/cpu")
PERIOD = 100_000  # us
AT_A_TIME = 4
# Writing, creating and reading at random take so many seconds, deleting a little less.
INI = """\
[global]
datadir = $TEST_DIR
timestamp-datadir = FALSE
resultdir = $OUTPUT_DIR
timestamp-resultdir = FALSE
drop-caches = FALSE
[debug]
stonewall-time = {seconds}
[ior-easy]
transferSize = 64
blockSize = 2g
[ior-easy-read]
run = FALSE
[ior-rnd4K-easy-read]
run = TRUE
[mdtest-easy]
n = 100000000
[mdtest-easy-stat]
run = FALSE
[ior-hard]
run = FALSE
[mdtest-hard]
run = FALSE
[find]
run = FALSE
"""


def main():
    options = _arguments()
    if os.geteuid() or not (GROUPS / "cpu.cfs_quota_us").parent.exists():
        sys.exit("needs root, and control groups of version 1 with cpu")
    with tempfile.TemporaryDirectory(prefix="hdb-quiet-", dir="/dev/shm") as directory:
        runs = [
            (Path(directory) / f"{number}-{ranks}", ranks)
            for number in range(options.runs)
            for ranks in options.ranks
        ]
        with ThreadPoolExecutor(AT_A_TIME) as pool:
            told = list(pool.map(lambda one: _run(*one, options), runs))
    phases, findings = map(sum, zip(*told, strict=True))
    print(f"{len(told)} runs, {phases} phases of {ENOUGH} s and more: {findings} findings (aim 0)")


@contextlib.contextmanager
def _slowed(directory, ranks, share):
    """The engine by a name of its own, under which each rank joins its control group first."""
    groups = [GROUPS / f"hdb-quiet-{os.getpid()}-{directory.name}-{rank}" for rank in range(ranks)]
    for group in groups:
        group.mkdir()
        (group / "cpu.cfs_period_us").write_text(str(PERIOD))
        (group / "cpu.cfs_quota_us").write_text(str(PERIOD * share // 100))
    engine = directory / "io500-embedded"
    engine.write_text(
        f"#!/bin/sh\necho $$ >{str(groups[0])[:-1]}${{PMIX_RANK:-0}}/cgroup.procs\n"
        f"exec taskset -c $((${{PMIX_RANK:-0}} % {os.cpu_count()})) "
        f'{ROOT}/engine/build/io500-embedded "$@"\n'
    )
    engine.chmod(0o755)
    try:
        yield engine
    finally:
        for group in groups:
            group.rmdir()


def _run(directory, ranks, options):
    """One run; how many of its phases could carry a finding, and how many findings there are."""
    directory.mkdir()
    ini = directory / "quiet.ini"
    ini.write_text(INI.format(seconds=options.seconds))
    with _slowed(directory, ranks, options.share) as engine:
        environ = {
            **os.environ,
            "IO500_RESULTS_DIR": str(directory / "results"),
            "CONFIG_FILE": str(ini),
            "IO500_BIN": str(engine),
            "MPIRUN": (ROOT / "engine/build/mpirun.path").read_text().strip(),
            "NUM_PROCS": str(ranks),
            "PROBE_SECONDS": "0",
        }
        command = [ROOT / "io500_wrapper.sh", "--force", "quiet", "node", "local", "memory"]
        done = subprocess.run(
            [*command, directory / "data"],
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(done.stderr)
    (run,) = (directory / "results").glob("quiet/node/local/memory/*")
    phases = read_run(run)
    carrying = [phase.name for phase in phases if len(phase.rate) >= ENOUGH]
    findings = [(one.phase, finding) for one in verdicts(phases) for finding in one.findings]
    lines = [f"{ranks} ranks: {', '.join(carrying)}: {len(findings)} findings"]
    lines += [f"  {phase}: {one.kind}: {one.text} ({one.confidence})" for phase, one in findings]
    print("\n".join(lines), flush=True)
    return len(carrying), len(findings)


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("--runs", type=int, default=10, help="runs with each number of ranks (10)")
    parser.add_argument(
        "--ranks",
        type=lambda text: [int(word) for word in text.split(",")],
        default=[1, 2],
        help="ranks, with commas between (1,2)",
    )
    parser.add_argument("--seconds", type=int, default=20, help="until creating files stops (20)")
    parser.add_argument("--share", type=int, default=4, help="of a core for each rank, %% (4)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
