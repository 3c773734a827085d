#!/usr/bin/env python3
"""What telemetry.csv of many nodes costs the report: time, memory and bytes on the page.

    .venv/bin/python benchmarks/telemetry_report.py [--nodes 1,10,100] [--hours 4]

For each number of nodes a run of so many hours is made up, read and coded as the report does it, in
a process of its own. Memory is what that process took at most beyond Python with its libraries.
Wanted: a page that does not grow with the nodes, and memory that grows no more once a file has
several of the parts that are read at a time (the last column is the ratio to the first).
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from hpc_disk_bench.phases import SCORED  # noqa: E402
from hpc_disk_bench.telemetry.columns import FILE, NAMES, TEXTS  # noqa: E402
from tests.support import records  # noqa: E402

COLUMNS = ("nodes", "rows", "file", "read", "memory", "page", "memory ratio")
POINTS = 300  # a phase and series, the finest of the report
EPOCH = 1.77e9


def make(run, nodes, hours):
    """A run in whose phases, of equal length, each node writes a row a second."""
    seconds = round(hours * 3600) // len(SCORED)
    records.write(run, seconds=seconds, epoch=EPOCH, telemetry=False)
    after = NAMES.index("phase") + 1
    draw = random.Random(0)
    # Numbers are drawn once: what is measured is reading them.
    rests = [",".join(_cell(name, draw) for name in NAMES[after:]) for _ in range(997)]
    with open(run / FILE, "w", encoding="utf-8") as file:
        file.write(",".join(NAMES) + "\n")
        for number, phase in enumerate(SCORED):
            zero = EPOCH + number * (seconds + 2)
            for second in range(1, seconds + 1):
                for node in range(nodes):
                    start = f"{zero + second:.3f},0,0,1,n{node},{phase.name},"
                    file.write(f"{start}{draw.choice(rests)}\n")


def _cell(name, draw):
    if name in TEXTS:
        return "WRITE 812/s 3.1 ms; READ 10/s 2.0 ms"
    return f"{draw.random() / 3:.4g}" if name.startswith("cpu") else f"{draw.random() * 1e9:.0f}"


def read(run):
    """In a process of its own: (seconds, bytes of memory, bytes of the page)."""
    from hpc_disk_bench.report.inside import record

    before, begun = _most_memory(), time.perf_counter()
    coded = record.coded(record.read(Path(run)), POINTS)
    took = time.perf_counter() - begun
    page = len(json.dumps(coded, separators=(",", ":")))
    print(json.dumps([took, _most_memory() - before, page]))


def _most_memory():
    text = Path("/proc/self/status").read_text()
    return int(text.partition("VmHWM:")[2].split()[0]) * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", default="1,10,100", help="how many nodes (default: 1,10,100)")
    parser.add_argument("--hours", type=float, default=4, help="of the run (default: 4)")
    parser.add_argument("--read", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        read(options.read)
        return
    print("".join(f"{name:>14}" for name in COLUMNS))
    first = None
    for nodes in map(int, options.nodes.split(",")):
        with tempfile.TemporaryDirectory(prefix="benchmark-telemetry-") as place:
            run = Path(place)
            make(run, nodes, options.hours)
            command = [sys.executable, __file__, "--read", place]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            took, memory, page = json.loads(done.stdout)
            first = first or memory
            held = os.path.getsize(run / FILE)
        rows = nodes * (round(options.hours * 3600) // len(SCORED)) * len(SCORED)
        cells = [nodes, f"{rows:,}", f"{held / 1e6:.0f} MB", f"{took:.1f} s"]
        cells += [f"{memory / 2**20:.0f} MiB", f"{page / 1e3:.0f} kB", f"{memory / first:.1f}"]
        print("".join(f"{cell:>14}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
