"""The Diagnosis of a run: of one that has just ended, and of one that lies in a results tree."""

import signal
import time
from pathlib import Path

from hpc_disk_bench.diagnosis import catalogue
from hpc_disk_bench.diagnosis.diagnose import Diagnosis, Ending, diagnose
from hpc_disk_bench.diagnosis.facts import time_is_up
from hpc_disk_bench.errors import UserError
from hpc_disk_bench.files import read_json
from hpc_disk_bench.results import load
from hpc_disk_bench.tree import METADATA

# What a batch system announces its end with, and nothing else sends.
ANNOUNCED = ("SIGUSR1", "SIGUSR2", "SIGXCPU")


def of_ended(run, files, benchmark, caught, results, unparsed, ranks, course):
    """The Diagnosis of a run that has just ended, or None where its result counts.

    benchmark: that has ended, or None where it could not be started; caught: the signal that ended
    the run, or None; course: its follow.Course, with what was watched.
    """
    ended = Ending(
        finished=bool(benchmark and benchmark.exit_code == 0 and results and not results.partial),
        exit_code=benchmark and benchmark.exit_code,
        signal=benchmark and benchmark.signal,
        ranks=ranks,
        results=results,
        unparsed=unparsed,
        hung=course.hung,
        facts=course.facts(),
    )
    if caught and not ended.finished:
        ended = ended._replace(caught=caught.name, time_is_up=_time_is_up(caught))
    return diagnose(run, files, ended)


def of_kept(run, files, status, forced):
    """The Diagnosis of a run in a results tree, or None: as it was written down, else by its files.

    status: the object of its status.json; forced: whether it says that it goes on, and does not.
    """
    kept = written(status)
    if kept and not forced:
        return kept
    try:
        results, unparsed = load(files), None
    except UserError as error:
        results, unparsed = None, str(error)
    code = status.get("exit_code")
    # A run from before there was a status, or of somebody else: its own files alone.
    finished = bool(results and not results.partial and code in (0, None))
    try:
        ranks = read_json(Path(run, METADATA)).get("num_procs")
    except UserError:
        ranks = None
    name = status.get("signal")
    interrupted = status.get("state") == "interrupted"
    ended = Ending(
        finished=finished and not forced,
        exit_code=code if isinstance(code, int) else None,
        signal=None if interrupted else name,
        caught=(name or "a signal") if interrupted else None,
        forced=forced,
        ranks=ranks if isinstance(ranks, int) else None,
        results=results,
        unparsed=unparsed,
    )
    return diagnose(run, files, ended)


def written(status):
    """The Diagnosis that a status.json holds, or None where there is none of a known shape."""
    kept = status.get("diagnosis")
    if not isinstance(kept, dict) or not isinstance(kept.get("code"), str):
        return None
    lists = {key: kept.get(key) for key in ("facts", "evidence", "also")}
    if not all(isinstance(value, list) for value in lists.values()):
        return None
    try:
        entry = catalogue.entry(kept["code"])
        return Diagnosis(entry.code, entry.title, entry.remedy, **lists)
    except UserError:  # of a later version
        return Diagnosis(kept["code"], str(kept.get("title")), str(kept.get("remedy")), **lists)


def _time_is_up(caught):
    if caught.name in ANNOUNCED:
        return True
    # A person's own signals need no asking.
    return caught == signal.SIGTERM and time_is_up(time.time())[0]
