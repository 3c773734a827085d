"""How each run of a campaign stands, by the results tree, its status.json files and the queue."""

import os
from pathlib import Path
from typing import NamedTuple

from hpc_disk_bench import status
from hpc_disk_bench.console import figure
from hpc_disk_bench.diagnosis import catalogue
from hpc_disk_bench.errors import UserError
from hpc_disk_bench.files import read_json
from hpc_disk_bench.submit import slurm
from hpc_disk_bench.tree import METADATA, RESULTS

DONE, INVALID, RUNNING, WAITING = "done", "invalid", "running", "waiting"
FAILED, MISSING, UNKNOWN = "failed", "missing", "unknown"
STATES = (DONE, INVALID, RUNNING, WAITING, FAILED, MISSING)
# Reasons to wait that say nothing beyond that.
ORDINARY = ("", "None", "Dependency", "Priority", "Resources", "BeginTime")


class Standing(NamedTuple):
    state: str  # one of STATES, or UNKNOWN
    words: str  # for a person: "done 2.80"
    where: str = ""  # the run's directory or the job's output


def stand(job, job_ids, results, queue, log):
    """The Standing of a Job.

    job_ids: of what was submitted for it, oldest first; queue: of slurm.queue, None where it is not
    known; log: a function, the path of a job's output.
    """
    run = _newest_run(job, results)
    its_id = _read(run, METADATA).get("job_id") if run else None
    queued = [job_id for job_id in job_ids if job_id in (queue or {})]
    if queued:
        last = queue[queued[-1]]
        if last.state not in slurm.RUNNING:
            reason = "" if last.reason in ORDINARY else f" ({last.reason})"
            return Standing(WAITING, f"waiting{reason}", log(queued[-1]))
        if its_id in queued:
            return Standing(RUNNING, _progress(status.read_status(run)), str(run))
        return Standing(RUNNING, "running", log(queued[-1]))
    standing = _of_run(run) if run else None
    if standing and (standing.state in (DONE, INVALID, RUNNING) or _is_last(its_id, job_ids)):
        return standing
    if not job_ids:
        return Standing(MISSING, "missing")
    if queue is None:
        return Standing(UNKNOWN, f"unknown (job {job_ids[-1]})", log(job_ids[-1]))
    return _without_run(job_ids[-1], log)


def _is_last(its_id, job_ids):
    """Whether no job came after the run with this id; of a run from outside of Slurm that is so."""
    return its_id not in job_ids or its_id == job_ids[-1]


def _without_run(job_id, log):
    """Of a job that ended and left no run: cancelled while it waited, or it could not begin."""
    how = slurm.ended(job_id)
    if how.startswith("CANCELLED"):
        return Standing(FAILED, "failed (cancelled before it began)", log(job_id))
    how = f": {how}" if how else ""
    return Standing(FAILED, f"failed (job {job_id} left no run{how})", log(job_id))


def _of_run(run):
    said = status.read_status(run)
    state = said.get("state")
    code = (said.get("diagnosis") or {}).get("code")
    if state in (status.COMPLETE, status.INVALID):
        score = (_read(run, RESULTS).get("score") or {}).get("total")
        words = f"done {figure(score)}"
        if state == status.COMPLETE:
            return Standing(DONE, words, str(run))
        return Standing(INVALID, f"{words} (invalid{f': {code}' if code else ''})", str(run))
    if status.going_on(said):
        return Standing(RUNNING, _progress(said), str(run))
    if code:
        return Standing(FAILED, f"failed {code} ({_title(code)})", str(run))
    words = "failed" if state == status.FAILED else "failed (interrupted)"
    return Standing(FAILED, words if state else "failed (no status.json)", str(run))


def _progress(said):
    done, total = said.get("phases_done"), said.get("phases_total")
    if done is None:
        return "running"
    return f"running {done}/{total}" if total else f"running, {done} phases done"


def _title(code):
    try:
        return catalogue.entry(code).title
    except UserError:
        return "of a later version"


def _newest_run(job, results):
    """The last run directory of a target, or None. Their names are times."""
    above = Path(results, job.cluster, job.node, job.place)
    try:
        with os.scandir(above) as entries:
            # Without run_metadata.json it is no run: a directory of the volume's level, say.
            found = [entry.name for entry in entries if Path(entry.path, METADATA).exists()]
    except OSError:
        return None
    return above / max(found) if found else None


def _read(run, name):
    try:
        return read_json(Path(run, name))
    except UserError:
        return {}
