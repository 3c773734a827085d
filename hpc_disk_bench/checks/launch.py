"""Starts the ranks once without any I/O: whether they are one job, where they are, whether the
configuration is taken.

The embedded engine is asked by --probe. Upstream's benchmark is by --dry-run, in a directory of the
run's own: its result.txt says how many ranks it was.
"""

import collections
import os
import re
import time
from typing import NamedTuple, Optional

from hpc_disk_bench import engines, hosts, status
from hpc_disk_bench.benchmark import Benchmark
from hpc_disk_bench.checks.finding import OK, REFUSAL, WARNING, Finding, Stopped, impossible
from hpc_disk_bench.checks.words import number_of
from hpc_disk_bench.diagnosis import catalogue
from hpc_disk_bench.diagnosis.diagnose import Ending, diagnose
from hpc_disk_bench.diagnosis.finding import UNKNOWN as UNKNOWN_CAUSE

PATIENCE = 120  # seconds; many thousand ranks take their time
RANK = re.compile(r"^rank=(\d+) size=(\d+) host=(\S+) ahead=(-?[\d.]+)$", re.MULTILINE)
REJECTED, NOT_STARTED, CANCELLED = "HDB009", "HDB007", "HDB019"
PROCS = re.compile(r"^procs\s*=\s*(\d+)", re.MULTILINE)
UNKNOWN = "unknown option --probe"  # an embedded engine from before there was one
CLOCK = 1.0  # seconds that clocks may differ, for `find` compares times of files in whole ones
# The last assignment counts: nothing of the trial leaves its own directory.
ASIDE = """
[global]
datadir = {data}
resultdir = {results}
timestamp-datadir = FALSE
timestamp-resultdir = FALSE
drop-caches = FALSE
"""


class Launch(NamedTuple):
    findings: list[Finding]
    nodes: Optional[dict]  # ordered {host: ranks on it}; None where it is not known


class Answer(NamedTuple):
    """What the ranks said of themselves; None: not told."""

    sizes: list[int]  # of the job that each one is in; of upstream's the one that was written last
    nodes: Optional[dict]
    ahead: Optional[float]


def launch(target, template, kind, directory, stopped):
    """Start the ranks once, with their files in `directory`. UserError (exit code 3) where they
    are not what was asked for, or the configuration is not taken."""
    ini = os.path.join(directory, "io500.ini")
    data, results = os.path.join(directory, "data"), os.path.join(directory, "results")
    text = template.render(data, results) + ASIDE.format(data=data, results=results)
    with open(ini, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    command = [*target.launch, target.binary, ini]
    if template.mode != "standard":  # older benchmarks have no such option
        command.append(f"--mode={template.mode}")
    asking = "--probe" if kind == engines.EMBEDDED else "--dry-run"
    done, said = _start([*command, asking], directory, stopped)
    if UNKNOWN in said:
        asking = "--dry-run"
        done, said = _start([*command, asking], directory, stopped)
    if stopped():
        raise Stopped
    if done is None:
        text = f"the launcher has not started {number_of(target.ranks, 'rank')} in {PATIENCE} s"
        return Launch([Finding("launch", REFUSAL, text, NOT_STARTED)], None)
    if done:
        raise _failed(target, template, ini, done, directory)
    answer = _probed(said) if asking == "--probe" else _rehearsed(results, target)
    _require_one_job(target, answer.sizes)
    return Launch(_judge(target, answer), answer.nodes)


def _start(command, directory, stopped):
    """(exit code, or None where it took too long; what it said)."""
    output = os.path.join(directory, status.OUTPUT)
    errors = os.path.join(directory, status.ERRORS)
    try:
        started = Benchmark(command, output, errors)
    except OSError as error:
        raise impossible("HDB002", f"{command[0]}: cannot be started: {error.strerror}") from error
    try:
        deadline = time.monotonic() + PATIENCE
        while started.running and time.monotonic() < deadline and not stopped():
            time.sleep(0.02)
        ended = not started.running
    finally:
        started.stop()
    said = ""
    for path in (errors, output):
        with open(path, encoding="utf-8", errors="replace") as file:
            said += file.read(4 * 1024 * 1024) + "\n"
    if not ended:
        return None, said
    return (started.exit_code if started.exit_code is not None else started.signal), said


def _failed(target, template, ini, done, directory):
    """What a run that failed like this is diagnosed with; the template stands for its INI."""
    by_signal = isinstance(done, str)
    ended = Ending(
        ranks=target.ranks,
        exit_code=None if by_signal else done,
        signal=done if by_signal else None,
    )
    found = diagnose(directory, directory, ended)
    said = [entry["text"] for entry in found.evidence] or found.facts
    said = said[0].removeprefix("FATAL ").replace(ini, template.path)
    if found.code == REJECTED and template.path not in said:
        said = f"{template.path}: {said}"
    # Nobody has cancelled a trial: a launcher that ends without a word has not started it.
    known = found if found.code not in (UNKNOWN_CAUSE, CANCELLED) else catalogue.entry(NOT_STARTED)
    return impossible(known.code, f"{known.title}: {said}. {known.remedy}")


def _require_one_job(target, sizes):
    """Ranks that do not know of each other each run a benchmark of their own on the same files."""
    if not sizes or sizes == [target.ranks]:
        return
    if set(sizes) == {1}:
        what = f"{target.ranks} ranks were asked for, but each one is alone (singletons)"
    else:
        what = f"{target.ranks} ranks were asked for, but a job of {sizes[0]} was started"
    raise impossible("HDB005", f"{what}. {catalogue.entry('HDB005').remedy}")


def _probed(said):
    """The Answer by the lines that --probe prints, one a rank."""
    lines = RANK.findall(said)
    sizes = [int(size) for rank, size, _, _ in lines if rank == "0"]
    nodes = dict(collections.Counter(host for _, _, host, _ in lines))
    ahead = [float(seconds) for *_, seconds in lines]
    return Answer(sizes, nodes or None, max(ahead) - min(ahead) if ahead else None)


def _rehearsed(results, target):
    """The Answer by the result.txt of a --dry-run; the launcher is asked for the hosts."""
    try:
        with open(os.path.join(results, "result.txt"), encoding="utf-8", errors="replace") as file:
            procs = PROCS.search(file.read(65536))
    except OSError:
        procs = None
    sizes = [int(procs[1])] if procs else []
    return Answer(sizes, hosts.ranks_by_node(target.launch, target.ranks), None)


def _judge(target, answer):
    """The Findings on ranks that are one job."""
    ranks, nodes = target.ranks, answer.nodes
    found = []
    if not answer.sizes and ranks > 1:
        text = f"whether {ranks} ranks are one job cannot be told: the benchmark did not say"
        found.append(Finding("launch", WARNING, text, "HDB046"))
    if nodes is None:
        text = "on which nodes the ranks are cannot be told: the launcher did not answer"
        found.append(Finding("launch", WARNING, text, "HDB046"))
        return found
    cpus = len(os.sched_getaffinity(0))
    # Only this node's CPUs are known from here.
    if len(nodes) == 1 and ranks > cpus:
        text = f"{ranks} ranks share {cpus} CPUs: the figures may show the node, not the storage"
        found.append(Finding("launch", WARNING, text, "HDB041"))
    if ranks == 1 and hosts.job_asked_for_nothing():
        text = "1 rank, for this job asked Slurm for nothing: sbatch -n 16, or set NUM_PROCS"
        found.append(Finding("launch", WARNING, text))
    wanted = os.environ.get("SLURM_JOB_NUM_NODES") or os.environ.get("SLURM_NNODES") or ""
    if wanted.isdigit() and int(wanted) > len(nodes):
        text = f"the job has {wanted} nodes, the ranks are on {len(nodes)} ({', '.join(nodes)})"
        found.append(Finding("launch", WARNING, text, "HDB048"))
    if answer.ahead is not None and answer.ahead > CLOCK:
        text = f"the clocks of the nodes differ by {answer.ahead:.1f} s"
        found.append(Finding("launch", WARNING, text, "HDB042"))
    return found or [Finding("launch", OK, _all_well(answer, ranks, cpus))]


def _all_well(answer, ranks, cpus):
    job = ", one job" if ranks > 1 else ""
    if len(answer.nodes) == 1:
        return f"{number_of(ranks, 'rank')}{job}, {number_of(cpus, 'CPU')}"
    clocks = "clocks not compared"
    if answer.ahead is not None:
        clocks = f"clocks within {max(answer.ahead, 0.001):.3f} s"
    return f"{number_of(ranks, 'rank')}{job} on {len(answer.nodes)} nodes, {clocks}"
