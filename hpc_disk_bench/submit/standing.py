"""How each run of a campaign stands, by the results tree, its status.json files and the queue."""

import os
from pathlib import Path
from typing import NamedTuple

from hpc_disk_bench import status
from hpc_disk_bench.console import figure
from hpc_disk_bench.diagnosis.of_run import of_kept
from hpc_disk_bench.errors import UserError
from hpc_disk_bench.files import read_json
from hpc_disk_bench.submit import slurm
from hpc_disk_bench.tree import METADATA, RESULTS

DONE, INVALID, RUNNING, WAITING = "done", "invalid", "running", "waiting"
FAILED, MISSING, UNKNOWN = "failed", "missing", "unknown"
STATES = (DONE, INVALID, RUNNING, WAITING, FAILED, MISSING)
# The exit code of a job that Slurm gave up before its script began, for nowhere to put its output.
NO_OUTPUT = "0:53"
# Reasons to wait that say nothing beyond that.
ORDINARY = ("", "None", "Dependency", "Priority", "Resources", "BeginTime")


class Standing(NamedTuple):
    state: str  # one of STATES, or UNKNOWN
    words: str  # a cell of the table: "done 2.80"
    where: str = ""  # the run's directory or the job's output
    why: str = ""  # what the words have no room for


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
    # What Slurm has ended does not go on, whatever the run could still write down.
    over = queue is not None and its_id in job_ids
    standing = _of_run(run, over) if run else None
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
    if how.endswith(NO_OUTPUT):
        how = "the directory of its output is not there on the node"
    how = f": {how}" if how else ""
    return Standing(FAILED, "failed (no run)", log(job_id), f"job {job_id} left no run{how}")


def _of_run(run, over):
    said = status.read_status(run)
    state = said.get("state")
    forced = state in (status.PREPARING, status.RUNNING)
    if forced and not over and status.going_on(said):
        return Standing(RUNNING, _progress(said), str(run))
    diagnosis = of_kept(run, run, said, forced)
    code = diagnosis and diagnosis.code
    if state in (status.COMPLETE, status.INVALID):
        score = (_read(run, RESULTS).get("score") or {}).get("total")
        words = f"done {figure(score)}"
        if state == status.COMPLETE:
            return Standing(DONE, words, str(run))
        return Standing(INVALID, f"{words} (invalid{f': {code}' if code else ''})", str(run))
    return Standing(FAILED, f"failed {code} ({diagnosis.title})" if code else "failed", str(run))


def _progress(said):
    done, total = said.get("phases_done"), said.get("phases_total")
    if done is None:
        return "running"
    return f"running {done}/{total}" if total else f"running, {done} phases done"


def _newest_run(job, results):
    """The last run directory of a target, or None. Their names are times."""
    above = Path(results, job.cluster, job.node, job.place)
    try:
        with os.scandir(above) as entries:
            # Without run_metadata.json it is no run: a directory of the volume's level, say.
            found = [entry.name for entry in entries if os.path.exists(f"{entry.path}/{METADATA}")]
    except OSError:
        return None
    return above / max(found) if found else None


def _read(run, name):
    try:
        return read_json(Path(run, name))
    except UserError:
        return {}
