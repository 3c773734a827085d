#!/usr/bin/env python3
"""How often undisturbed runs raise a finding: the whole pipeline on storage whose speed is known.

    benchmarks/quiet.py [--runs N] [--ranks 1,2] [--seconds N] [--requests N]

Each run is one of io500_wrapper.sh with the embedded engine, sampled as always, with phases long
enough to carry a finding, on steady_storage.py: so many requests a second, whoever asks. Memory and
disks of a virtual machine are no such storage: caches, journals and a hypervisor that hands out
memory and processors make rates that do change, which is rightly found. Five runs go on at a time.
Leave the machine alone meanwhile. Aim: none.
Needs root, FUSE, a compiled engine and the packages of the report (make demo sets up both).
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

AT_A_TIME = 5
# Writing, creating and reading at random take so many seconds, reading small files about as many.
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
n = 100000000
[mdtest-hard-stat]
run = FALSE
[find]
run = FALSE
"""


def main():
    options = _arguments()
    with tempfile.TemporaryDirectory(prefix="hdb-quiet-") as directory:
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
def _storage(directory, requests):
    """The storage mounted on `directory`, which is made."""
    directory.mkdir()
    command = [sys.executable, ROOT / "benchmarks/steady_storage.py", directory, str(requests)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    if server.stdout.readline() != "mounted\n":
        sys.exit("no FUSE here, or not root")
    try:
        yield directory
    finally:
        subprocess.run(["umount", "-l", directory], check=True)
        server.wait()
        server.stdout.close()


def _run(directory, ranks, options):
    """One run; how many of its phases could carry a finding, and how many findings there are."""
    directory.mkdir()
    ini = directory / "quiet.ini"
    ini.write_text(INI.format(seconds=options.seconds))
    with _storage(directory / "storage", options.requests) as storage:
        environ = {
            **os.environ,
            "IO500_RESULTS_DIR": str(directory / "results"),
            "CONFIG_FILE": str(ini),
            "IO500_BIN": str(ROOT / "engine/build/io500-embedded"),
            "MPIRUN": (ROOT / "engine/build/mpirun.path").read_text().strip(),
            "NUM_PROCS": str(ranks),
            "PROBE_SECONDS": "0",
            # Ranks that wait leave the CPUs to the storage.
            "OMPI_MCA_mpi_yield_when_idle": "1",
        }
        command = [ROOT / "io500_wrapper.sh", "--force", "quiet", "node", "local", "steady"]
        done = subprocess.run(
            [*command, storage / "data"],
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(done.stderr)
    (run,) = (directory / "results").glob("quiet/node/local/steady/*")
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
    parser.add_argument("--requests", type=int, default=1000, help="a second (1000)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
