#!/usr/bin/env python3
"""How fast the parser starts, and what parsing a tree again costs where nothing has changed.

    benchmarks/parse.py [--rounds N] [--runs N] [--python PYTHON]

Everything is compared within one go, in turns (A B A B), and told as medians and ratios: figures in
milliseconds hold for this machine at this moment. Needs the standard library alone.
"""

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORDED = ROOT / "tests/fixtures/upstream"
AIM = 100  # ms: to start and parse one file


def main():
    options = _arguments()
    _starts(options)
    _trees(options)


def _starts(options):
    """parse_summary.py against a Python that does nothing, and one that only starts as usual."""
    summary = RECORDED / "extended/result_summary.txt"
    commands = {
        "python -I -S -c pass": [options.python, "-I", "-S", "-c", "pass"],
        "python -c pass": [options.python, "-c", "pass"],
        "parse_summary.py FILE": [options.python, ROOT / "parse_summary.py", summary],
    }
    for command in commands.values():  # once for the caches of files and bytecode
        _seconds(command)
    taken = {name: [] for name in commands}
    for _ in range(options.rounds):
        for name, command in commands.items():
            taken[name].append(_seconds(command))
    print(f"start and parse one file, median of {options.rounds} rounds")
    bare = statistics.median(taken["python -I -S -c pass"])
    for name, seconds in taken.items():
        middle, quickest = statistics.median(seconds), min(seconds)
        print(
            f"  {name:<24} {1000 * middle:7.1f} ms   {middle / bare:5.2f} x bare   "
            f"quickest {1000 * quickest:.1f} ms"
        )
    middle = 1000 * statistics.median(taken["parse_summary.py FILE"])
    print(f"  aim: under {AIM} ms on an idle core: {'met' if middle < AIM else 'not met'} here\n")


def _trees(options):
    """A tree of runs parsed for the first time, again, and again by force."""
    with tempfile.TemporaryDirectory(prefix="hpc-disk-bench-parse-") as scratch:
        root = Path(scratch, "io500_results")
        for number in range(options.runs):
            run = root / f"c/n{number // 100}/local/ssd/2026.01.{number % 100:02}-00.00.00"
            shutil.copytree(RECORDED / "invalid", run)
        command = [options.python, "-I", ROOT / "hpc_disk_bench/__main__.py", "reprocess-all"]
        command += [f"--directory={root}", "--quiet"]
        first = _seconds(command)
        unchanged, forced, several = [], [], []
        for _ in range(3):
            unchanged.append(_seconds(command))
            forced.append(_seconds([*command, "--force"]))
            several.append(_seconds([*command, "--force", "--jobs=2"]))
    print(f"parse a tree of {options.runs} runs")
    base = statistics.median(unchanged)
    rows = {
        "first time": first,
        "by force, 1 process": statistics.median(forced),
        "by force, 2 processes": statistics.median(several),
        "nothing has changed": base,
    }
    for name, seconds in rows.items():
        each = 1000 * seconds / options.runs
        print(f"  {name:<24} {seconds:7.2f} s    {seconds / base:5.2f} x   {each:.2f} ms a run")


def _seconds(command):
    before = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - before


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("--rounds", type=int, default=25, help="starts of each command (25)")
    parser.add_argument("--runs", type=int, default=500, help="runs in the tree (500)")
    parser.add_argument("--python", default=sys.executable, help="the Python to measure")
    return parser.parse_args()


if __name__ == "__main__":
    main()
