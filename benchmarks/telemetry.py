#!/usr/bin/env python3
"""What the sampler of a node costs: its CPU time while ranks are busy, as a share of one core.

    benchmarks/telemetry.py [--seconds N] [--ranks N]

The ranks are stand-ins that read and write without end, each a process of its own. Aim: under 0.5 %
of a core. Needs the standard library alone.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENTRY = ROOT / "hpc_disk_bench/__main__.py"
TICK = os.sysconf("SC_CLK_TCK")
# A tenth of a core each, so that the machine stays usable.
RANK = "import os,sys,time\nwhile os.getppid() > 1:\n open(sys.argv[0]).read(); time.sleep(.01)\n"


def main():
    options = _arguments()
    with tempfile.TemporaryDirectory() as directory:
        run = Path(directory)
        ini, program = run / "io500.ini", run / "rank.py"
        ini.write_text("")
        program.write_text(RANK)
        (run / "run_metadata.json").write_text(json.dumps({"cluster_name": "c"}))
        ranks = [subprocess.Popen([sys.executable, program, ini]) for _ in range(options.ranks)]
        command = [sys.executable, "-I", ENTRY, "telemetry"]
        command += [f"--directory={run}", f"--ini={ini}"]
        sampler = subprocess.Popen(command, stdin=subprocess.PIPE)
        try:
            time.sleep(3)  # the start is paid once
            before, begun = _cpu(sampler.pid), time.monotonic()
            time.sleep(options.seconds)
            share = (_cpu(sampler.pid) - before) / (time.monotonic() - begun)
        finally:
            sampler.communicate()
            for rank in ranks:
                rank.kill()
                rank.wait()
        rows = len((run / "telemetry.csv").read_text().splitlines()) - 1
    print(f"{options.ranks} ranks, {rows} rows: {share:.2%} of one core (aim: under 0.5 %)")


def _cpu(pid):
    """Seconds of CPU that a process has used, user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--seconds", type=float, default=60, help="60")
    parser.add_argument("--ranks", type=int, default=4, help="4")
    return parser.parse_args()


if __name__ == "__main__":
    main()
