#!/usr/bin/env python3
"""How close the embedded engine comes to bare loops of the same system calls, in memory.

    benchmarks/engine.py [--rounds N] [--ranks 1,2] [--files N] [--directory DIR]

One round runs benchmarks/bare.c, the same with a second, sleeping thread, the same with bulk reads
that compare nothing, and the engine, one after the other in an order that changes with the round,
each with the same files in DIR. What is told are medians over the rounds of ratios within a round,
above 1 where the engine is ahead: by the clock, with the span that holds the true median in 95 of
100 such measurements, and by user and system time, on which other work on the machine weighs less;
and the ratio of the quickest of each, as whatever disturbs a phase makes it slower. "below" is said
where the whole span is, "open" where the aim lies within it and the median below. The second thread
shows what the MPI library would cost by being there: with it the kernel counts references to
descriptors and the C library guards its calls, both of which the engine avoids. Reads that compare
nothing show the most that this machine's memory gives, which bounds any figure of upstream's that
can be reached on it. Then what the record costs, the time to start, and memory.
Needs a compiled engine (make engine), a C compiler, the standard library.
"""

import argparse
import contextlib
import csv
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ratios import interval, median_ratio, turned

ROOT = Path(__file__).resolve().parents[1]
ENGINE = ROOT / "engine/build/io500-embedded"
RECORDED = ROOT.parent / "shared/upstream-runs"
PHASES = [
    "ior-easy-write",
    "mdtest-easy-write",
    "ior-hard-write",
    "mdtest-hard-write",
    "find",
    "ior-easy-read",
    "mdtest-easy-stat",
    "ior-hard-read",
    "mdtest-hard-stat",
    "mdtest-easy-delete",
    "mdtest-hard-read",
    "mdtest-hard-delete",
]
KINDS = {  # of runs: what is set in the environment of bare.c, None for the engine
    "bare": {},
    "two threads": {"HDB_THREAD": "1"},
    "no compare": {"HDB_NO_COMPARE": "1"},
    "engine": None,
}
READS = ("ior-easy-read", "ior-hard-read")
AIM = {"find": 1.0}  # of the bare loops; of all others 0.97


def main():
    options = _arguments()
    with tempfile.TemporaryDirectory(prefix="hdb-engine-", dir=options.directory) as scratch:
        bench = Bench(Path(scratch), options)
        for ranks in options.ranks:
            bench.compare(ranks)
        bench.record()
        bench.starts()
        bench.memory()


class Bench:
    """Runs the programs in a scratch directory and says what came out."""

    def __init__(self, scratch, options):
        self.scratch, self.options = scratch, options
        self.bare = scratch / "bare"
        self.data = scratch / "data"
        mpirun = (ENGINE.parent / "mpirun.path").read_text().strip()
        self.mpirun = [mpirun, "--oversubscribe", "--bind-to", "none"]
        self.environ = {
            **os.environ,
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_btl": "^ofi",
        }
        compiler = os.environ.get("CC", "cc")
        source = ROOT / "benchmarks/bare.c"
        subprocess.run([compiler, "-O2", "-o", self.bare, source], check=True)

    def compare(self, ranks):
        """All phases of the three, round by round."""
        found = {kind: {phase: [] for phase in PHASES} for kind in KINDS}
        taken = {kind: {phase: [] for phase in PHASES} for kind in KINDS}
        for number in range(self.options.rounds):
            for kind in turned([*KINDS], number):
                more = KINDS[kind]
                rates, cpu = (
                    self._run_engine(ranks) if more is None else self._run_bare(ranks, more)
                )
                for phase in PHASES:
                    found[kind][phase].append(rates[phase])
                    taken[kind][phase].append(cpu[phase])
        self._tell(ranks, found, taken)

    def _tell(self, ranks, found, taken):
        print(
            f"\n{ranks} rank{'s' * (ranks > 1)}, median of {self.options.rounds} rounds\n"
            f"{'':20}{'bare':>10}{'engine':>10}{'':10}{'by the clock':>13}{'(95 %)':>15}"
            f"{'quickest':>10}{'by CPU':>8}{'two threads by CPU':>20}{'upstream':>11}"
        )
        recorded = _recorded(ranks)
        for phase in PHASES:
            unit, scale = ("GiB/s", 1 << 30) if phase[0] == "i" else ("kIOPS", 1000)
            bare, engine = (
                statistics.median(found[kind][phase]) / scale for kind in ("bare", "engine")
            )
            clock = median_ratio(found["engine"][phase], found["bare"][phase])
            cpu = median_ratio(taken["bare"][phase], taken["engine"][phase])
            threads = median_ratio(taken["two threads"][phase], taken["engine"][phase])
            upstream = f"{engine / recorded[phase]:9.2f} x" if phase in recorded else ""
            quickest = max(found["engine"][phase]) / max(found["bare"][phase])
            low, high = interval(found["engine"][phase], found["bare"][phase])
            span = f"{low:.3f}-{high:.3f}"
            print(
                f"{phase:20}{bare:10.2f}{engine:10.2f} {unit:9}{clock:13.3f}{span:>15}"
                f"{quickest:10.3f}{cpu:8.3f}{threads:20.3f}{upstream:>11}"
                f"{_verdict(clock, high, AIM.get(phase, 0.97))}"
            )
        if ranks > 1:
            print("by CPU: waiting of ranks for each other is busy and counts in the ior phases")
        if recorded:
            print("upstream: recorded once on another day with other sizes; not a paired figure")
        for phase in READS:
            most = statistics.median(found["no compare"][phase]) / (1 << 30)
            share = median_ratio(found["engine"][phase], found["no compare"][phase])
            said = f", {most / recorded[phase]:.2f} x upstream's" if phase in recorded else ""
            print(
                f"{phase}: a bare loop that compares nothing reads {most:.2f} GiB/s{said};"
                f" the engine {share:.3f} of it"
            )

    def record(self):
        """What recording costs the fastest metadata operation, by user and system time."""
        files, few = 5 * self.options.files, 100
        mdtest = [ENGINE, "mdtest", "-F", "-d", self.scratch / "tree"]
        recording = f"--record={self.scratch}"
        self._call(self._command(1, *mdtest, "-C", "-n", str(files)))
        costs = []
        for number in range(3 * self.options.rounds):
            taken = {}
            for more in ([recording], []) if number % 2 else ([], [recording]):
                stat = [self.bare, "usage", *mdtest, "-T", *more, "-n"]
                whole, start = (
                    int(re.search(r"^usage \d+ (\d+)", self._call(command).stderr, re.M)[1])
                    for command in (
                        self._command(1, *stat, str(files)),
                        self._command(1, *stat, str(few)),
                    )
                )
                taken[bool(more)] = (whole - start) / (files - few)
            costs.append((taken[True], taken[False]))
        self._call(self._command(1, *mdtest, "-r", "-n", str(files)))
        columns = [*zip(*costs, strict=True)]
        on, off = map(statistics.median, columns)
        share = median_ratio(*columns) - 1
        low, high = (100 * (end - 1) for end in interval(*columns))
        print(
            f"\nstat of an empty file, 1 rank: {on:.0f} ns with the record, {off:.0f} ns without;"
            f" median of {len(costs)} pairs {100 * share:+.2f} % (95 %: {low:+.1f} to {high:+.1f};"
            f" aim under 1 %), of the medians"
            f" {100 * (on / off - 1):+.2f} %, of the quickest"
            f" {100 * (min(on for on, _ in costs) / min(off for _, off in costs) - 1):+.2f} %"
        )

    def _run_bare(self, ranks, more):
        """Operations or bytes a second by phase, from the first start to the last end."""
        options = self.options
        easy, hard = self.data / "mdtest-easy/test-dir.0-0", self.data / "mdtest-hard/test-dir.0-0"
        for rank in range(ranks):
            (easy / f"mdtest_tree.{rank}.0").mkdir(parents=True)
        (hard / "mdtest_tree.0").mkdir(parents=True)
        (self.data / "ior-easy").mkdir()
        (self.data / "ior-hard").mkdir()
        sizes = [options.files, options.easy, options.hard]
        processes = [
            subprocess.Popen(
                [self.bare, self.data, *map(str, [rank, ranks, *sizes])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                bufsize=1,
                env={**os.environ, **more},
            )
            for rank in range(ranks)
        ]
        rates, cpu = {}, {}
        for phase in PHASES:
            for process in processes:
                assert process.stdout.readline().split() == ["ready", phase]
            for process in processes:
                process.stdin.write("\n")
                process.stdin.flush()
            lines = [process.stdout.readline().split() for process in processes]
            seconds = (max(int(at[2]) for at in lines) - min(int(at[1]) for at in lines)) / 1e9
            operations = sum(int(at[4]) for at in lines)
            rates[phase] = operations * _size(phase) / seconds
            cpu[phase] = sum(int(at[3]) for at in lines) / operations
        for process in processes:
            process.wait()
        shutil.rmtree(self.data)
        return rates, cpu

    def _write_ini(self, **changes):
        options = self.options
        sizes = {"files": options.files, "easy": options.easy, "hard": options.hard, **changes}
        path = self.scratch / "run.ini"
        path.write_text(
            f"[global]\ndatadir = {self.data}\ntimestamp-datadir = FALSE\n"
            f"resultdir = {self.scratch}/results\ntimestamp-resultdir = FALSE\n"
            f"[debug]\nstonewall-time = {sizes.get('stonewall', 0)}\n"
            f"[ior-easy]\ntransferSize = 2m\nblockSize = {2 * sizes['easy']}m\n"
            f"[ior-hard]\nsegmentCount = {sizes['hard']}\n"
            f"[mdtest-easy]\nn = {sizes['files']}\n[mdtest-hard]\nn = {sizes['files']}\n"
            "[ior-rnd4K-easy-read]\nrun = FALSE\n"
        )
        return path

    def _command(self, ranks, *words):
        return [*self.mpirun, "-np", str(ranks), *words]

    def _run_engine(self, ranks):
        shutil.rmtree(self.scratch / "results", ignore_errors=True)
        self._call(self._command(ranks, ENGINE, self._write_ini()))
        text = (self.scratch / "results/result.txt").read_text()
        rates = {}
        for phase in PHASES:
            score = re.search(rf"^\[{phase}\]$.*?^score +=? ([\d.]+)", text, re.M | re.S)
            rates[phase] = float(score[1]) * ((1 << 30) if phase[0] == "i" else 1000)
        return rates, self._read_cpu()

    def _read_cpu(self):
        """ns of user and system time an operation."""
        seconds, operations = dict.fromkeys(PHASES, 0), dict.fromkeys(PHASES, 0)
        with open(self.scratch / "results/ranks.csv", newline="") as file:
            for row in csv.DictReader(file):
                seconds[row["phase"]] += float(row["cpu_s"])
                operations[row["phase"]] += int(row["operations"])
        return {phase: 1e9 * seconds[phase] / operations[phase] for phase in PHASES}

    def _call(self, command):
        done = subprocess.run(
            command, cwd=self.scratch, env=self.environ, capture_output=True, text=True
        )
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
        return done

    def starts(self):
        """From the start of a rank's process to its first operation, MPI_Init included."""
        beyond = []
        ini = self._write_ini(files=1, easy=1, hard=1)
        for _ in range(self.options.rounds):
            before = time.time()
            done = self._call(self._command(2, "date", "+%s.%N"))
            launch = max(map(float, done.stdout.split())) - before
            before = time.time()
            shutil.rmtree(self.scratch / "results", ignore_errors=True)
            self._call(self._command(2, ENGINE, ini))
            rows = (self.scratch / "results/timeseries.csv").read_text().splitlines()
            beyond.append(float(rows[1].split(",")[3]) - before - launch)
        middle = statistics.median(beyond)
        print(
            f"\nstart to first operation, 2 ranks: {middle:.3f} s beyond what mpirun takes to start"
            f" a program, MPI_Init inside (quickest {min(beyond):.3f}; aim under 0.3)"
        )

    def memory(self):
        """The largest resident set of a rank."""
        print("\nlargest resident set of a rank, 2 ranks, transfers of 2 MiB (aim under 34 MiB)")
        for files in (1000, 200_000):
            ini = self._write_ini(files=files, easy=1, hard=1)
            shutil.rmtree(self.scratch / "results", ignore_errors=True)
            done = self._call(self._command(2, self.bare, "usage", ENGINE, ini))
            ranks = [int(size) / 1024 for size in re.findall(r"^usage (\d+)", done.stderr, re.M)]
            print(f"  n = {files:<8} {max(ranks):.1f} MiB")


def _size(phase):
    """Bytes of an operation of the bulk phases; 1 for all others."""
    return {"ior-easy": 2 << 20, "ior-hard": 47008}.get(phase.rpartition("-")[0], 1)


def _verdict(clock, high, aim):
    if clock >= aim:
        return ""
    return f"  {'below' if high < aim else 'open:'} {aim}"


def _recorded(ranks):
    """Upstream's scores in memory with so many ranks: the best of those recorded."""
    best = {}
    for path in RECORDED.glob(f"tmpfs-std-np{ranks}*/results/**/result_summary.txt"):
        with contextlib.suppress(OSError):
            for phase, score in re.findall(r"(\S+) +([\d.]+) (?:GiB/s|kIOPS)", path.read_text()):
                best[phase] = max(best.get(phase, 0), float(score))
    return best


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("--rounds", type=int, default=9, help="rounds (9)")
    parser.add_argument(
        "--ranks",
        type=lambda text: [int(word) for word in text.split(",")],
        default=[1, 2],
        help="ranks, with commas between (1,2)",
    )
    parser.add_argument("--files", type=int, default=60_000, help="small files of a rank (60000)")
    parser.add_argument("--easy", type=int, default=200, help="transfers of 2 MiB (200)")
    parser.add_argument("--hard", type=int, default=8000, help="transfers of 47008 bytes (8000)")
    parser.add_argument("--directory", default="/dev/shm", help="a file system in memory")
    return parser.parse_args()


if __name__ == "__main__":
    main()
