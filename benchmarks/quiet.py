#!/usr/bin/env python3
"""How often undisturbed runs raise a finding: runs of the whole pipeline on a quiet file system.

    benchmarks/quiet.py [--runs N] [--ranks 1,2] [--seconds N]

Each run is one of io500_wrapper.sh with the embedded engine, sampled as always, with phases long
enough to carry a finding. The file system is an ext4 on an image in memory that this mounts for
itself (as root; 6 GiB), with direct I/O and synchronous directories: as slow and as steady as a
disk of its own. Memory alone is not steady where a hypervisor hands it out in mid-phase. Leave the
machine alone meanwhile: what disturbs a run is rightly found. Aim: none.
Needs a compiled engine and the packages of the report (make demo sets up both).
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from hpc_disk_bench.findings.inside import verdicts  # noqa: E402 - from this clone
from hpc_disk_bench.findings.series import read_run  # noqa: E402
from hpc_disk_bench.findings.shape import ENOUGH  # noqa: E402

# Writing, creating and reading at random take so many seconds, deleting four fifths of it.
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
API = POSIX --posix.odirect
transferSize = 4k
blockSize = 2g
[ior-easy-read]
run = FALSE
[ior-rnd4K-easy-read]
API = POSIX --posix.odirect
[mdtest-easy]
n = 100000000
[ior-hard]
run = FALSE
[mdtest-hard]
run = FALSE
[find]
run = FALSE
"""


def main():
    options = _arguments()
    if os.geteuid():
        sys.exit("only root may mount a file system: run this as root")
    with tempfile.TemporaryDirectory(prefix="hdb-quiet-") as directory:
        storage = Path(directory) / "storage"
        storage.mkdir()
        with _mounted(storage):
            told = [
                _run(Path(directory), storage, ranks, options.seconds)
                for number in range(options.runs)
                for ranks in options.ranks
            ]
    phases, findings = map(sum, zip(*told, strict=True))
    print(f"{len(told)} runs, {phases} phases of {ENOUGH} s and more: {findings} findings (aim 0)")


@contextlib.contextmanager
def _mounted(storage):
    with tempfile.NamedTemporaryFile(prefix="hdb-quiet-", dir="/dev/shm") as image:
        for _ in range(6):
            image.write(bytes(1 << 30))  # all of it, so that no run has to ask for memory
        image.flush()
        subprocess.run(["mkfs.ext4", "-q", "-F", image.name], check=True)
        subprocess.run(["mount", "-o", "loop,dirsync,noatime", image.name, storage], check=True)
        try:
            yield
        finally:
            subprocess.run(["umount", storage], check=True)


def _run(directory, storage, ranks, seconds):
    """One run; how many of its phases could carry a finding, and how many findings there are."""
    ini = directory / "quiet.ini"
    ini.write_text(INI.format(seconds=seconds))
    environ = {
        **os.environ,
        "IO500_RESULTS_DIR": str(directory / "results"),
        "CONFIG_FILE": str(ini),
        "NUM_PROCS": str(ranks),
        "PROBE_SECONDS": "0",
    }
    command = [ROOT / "io500_wrapper.sh", "--force", "quiet", "node", "local", "loop", storage]
    done = subprocess.run(
        command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    runs = sorted((directory / "results").glob("quiet/node/local/loop/*"))
    if done.returncode or not runs:
        sys.exit(done.stderr)
    phases = read_run(runs[-1])
    carrying = [phase.name for phase in phases if len(phase.rate) >= ENOUGH]
    findings = [(one.phase, finding) for one in verdicts(phases) for finding in one.findings]
    print(f"{runs[-1].name}  {ranks} ranks: {', '.join(carrying)}: {len(findings)} findings")
    for phase, finding in findings:
        print(f"  {phase}: {finding.kind}: {finding.text} (confidence {finding.confidence})")
    sys.stdout.flush()
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
    return parser.parse_args()


if __name__ == "__main__":
    main()
