"""Slurm's commands: the only place that calls them."""

import getpass
import shutil
import subprocess
import sys
from typing import NamedTuple

from hpc_disk_bench.errors import REFUSED, UserError

TIMEOUT = 120  # seconds for a controller that is busy
RUNNING = ("RUNNING", "COMPLETING", "SUSPENDED", "STAGE_OUT", "SIGNALING", "STOPPED")


class Queued(NamedTuple):
    """A job that waits or runs."""

    state: str  # PENDING, RUNNING, ... as squeue has it
    reason: str  # why it waits: Dependency, Resources, ...
    comment: str


def submit(script, dependencies=()):
    """Hand a script in; returns the job's id. It waits until the jobs of `dependencies` ended."""
    command = ["sbatch", "--parsable"]
    if dependencies:
        command.append(f"--dependency=afterany:{':'.join(dependencies)}")
    said = _call([*command, str(script)], aloud=True)
    # id[;cluster]; in front may stand what a site's plugin says.
    job_id = said.split("\n")[-1].partition(";")[0]
    if not job_id.isdigit():
        raise UserError(f"sbatch says {said!r} instead of a job's id", REFUSED)
    return job_id


def queue(users=()):
    """{job id: Queued} of these users' jobs that wait or run, and of one's own."""
    names = ",".join(sorted({getpass.getuser(), *users}))
    said = _call(["squeue", "--noheader", f"--user={names}", "--format=%A|%T|%r|%k"])
    found = {}
    for line in said.splitlines():
        job_id, state, reason, comment = (*line.split("|", 3), "", "", "")[:4]
        found[job_id] = Queued(state, reason, comment)
    return found


def ended(job_id):
    """How a job ended, in Slurm's words: "CANCELLED 0:15"; empty where Slurm has forgotten it."""
    try:
        said = _call(["scontrol", "--oneliner", "show", "job", job_id])
        facts = dict(word.split("=", 1) for word in said.split() if "=" in word)
        return f"{facts.get('JobState', '')} {facts.get('ExitCode', '')}".strip()
    except UserError:
        pass
    try:
        columns = ["--noheader", "--allocations", "--parsable2", "--format=State,ExitCode"]
        said = _call(["sacct", *columns, f"--jobs={job_id}"])
        return " ".join(said.split("\n")[0].split("|"))
    except UserError:
        return ""


def hosts(nodelist):
    """The nodes of a list as Slurm writes it: n[1-2] is {"n1", "n2"}."""
    if not set(nodelist) & set("[,"):
        return {nodelist} - {""}
    return set(_call(["scontrol", "show", "hostnames", nodelist]).split())


def _call(command, aloud=False):
    """The output of a command of Slurm, or UserError in its own words.

    aloud: what it says on stderr goes there, though all went well: a site's remarks.
    """
    if not shutil.which(command[0]):
        raise UserError(
            f"{command[0]} is not on PATH: load Slurm's module, or call this on a login node",
            REFUSED,
        )
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UserError(f"{command[0]}: {error}", REFUSED) from error
    if done.returncode != 0:
        words = " / ".join(done.stderr.split("\n")[:3]).strip(" /") or f"exit {done.returncode}"
        raise UserError(f"{command[0]} refuses: {words}", REFUSED)
    if aloud:
        sys.stderr.write(done.stderr)
    return done.stdout.strip()
