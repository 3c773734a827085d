#!/usr/bin/env python3
"""How fast aggregate_results.py is, as ratios measured in one run.

    .venv/bin/python benchmarks/aggregate.py [--runs 1000,10000,100000] [--repeat 3] [--keep DIR]

For trees of made-up runs: how long it takes to read and json-parse the trees' files, found before,
in one process; how long a whole first aggregation takes (start of Python, walk, table and cache
written, no cache there), one of the unchanged tree, and one after a hundredth of its runs changed.
The best of several takes, in turn, so that all see the same machine. Files come from memory: they
have just been written. 100,000 runs need 2 GB of disk and some minutes, most of all to be made.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support import trees  # noqa: E402

READ = """
import json, os, sys, time
files = [os.path.join(d, n) for d, _, names in os.walk(sys.argv[1]) for n in names
         if n.endswith(".json")]
start = time.perf_counter()
for path in files:
    with open(path, "rb") as file:
        json.loads(file.read())
print(time.perf_counter() - start)
"""
COLUMNS = (
    "runs",
    "read+parse",
    "first",
    "ratio",
    "unchanged",
    "faster",
    "1 % new",
    "us/run",
    "MiB",
)


def read(tree):
    done = subprocess.run(
        [sys.executable, "-c", READ, tree], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def aggregate(tree, *options):
    """(seconds, peak memory in MiB) of one aggregation."""
    command = [sys.executable, ROOT / "aggregate_results.py", *options, tree, f"{tree}.csv"]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    took = time.perf_counter() - start
    if status:
        sys.exit(f"aggregate_results.py failed on {tree}")
    return took, used.ru_maxrss / 1024


def forget(tree):
    for path in [*Path(tree).glob(".aggregate-cache-*"), Path(f"{tree}.csv")]:
        path.unlink(missing_ok=True)


def change(tree, share=100):
    for path in sorted(Path(tree).rglob("results.json"))[::share]:
        beside = path.with_suffix(".new")
        shutil.copyfile(path, beside)
        beside.rename(path)


def measure(tree, runs, repeat):
    takes = []
    for _ in range(repeat):
        forget(tree)
        parsed = read(tree)
        first, memory = aggregate(tree)
        again, _ = aggregate(tree)
        change(tree)
        changed, _ = aggregate(tree)
        takes.append((parsed, first, again, changed, memory))
    parsed, first, again, changed, _ = map(min, zip(*takes, strict=True))
    memory = max(take[-1] for take in takes)
    cells = [f"{runs}", f"{parsed:.2f} s", f"{first:.2f} s", f"{first / parsed:.2f}"]
    cells += [f"{again:.2f} s", f"{first / again:.1f} x", f"{changed:.2f} s"]
    cells += [f"{first / runs * 1e6:.0f}", f"{memory:.0f}"]
    return cells


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", default="1000,10000", help="how many runs (default: 1000,10000)")
    parser.add_argument("--repeat", type=int, default=3, help="takes of each (default: 3)")
    parser.add_argument("--keep", type=Path, help="make the trees here, and use those that are")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchmark-aggregate-") as scratch:
        print("".join(f"{name:>11}" for name in COLUMNS))
        for runs in map(int, options.runs.split(",")):
            tree = (options.keep or Path(scratch)) / f"runs-{runs}"
            if not tree.exists():
                trees.write_tree(tree, trees.mixed_runs(runs))
            print(
                "".join(f"{cell:>11}" for cell in measure(tree, runs, options.repeat)), flush=True
            )
    print("ratio: first / read+parse, at most 3 wanted; faster: first / unchanged, at least 5")


if __name__ == "__main__":
    main()
