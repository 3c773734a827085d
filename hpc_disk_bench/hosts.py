"""Which nodes the ranks of a run are on, and which job of which batch system it is."""

import collections
import os
import shutil
import socket
import subprocess

JOB_VARIABLES = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID")


def job_id(environ=None):
    """The batch job's id as text, or None outside of a job."""
    environ = os.environ if environ is None else environ
    return next((environ[name] for name in JOB_VARIABLES if environ.get(name)), None)


def job_asked_for_nothing(environ=None):
    """Whether a Slurm job has its one CPU for want of an -n, and nobody said how many ranks."""
    environ = os.environ if environ is None else environ
    said = "SLURM_NTASKS" in environ or "NUM_PROCS" in environ
    return not said and environ.get("SLURM_CPUS_ON_NODE") == "1"


def ranks_by_node(launch, ranks, environ=None):
    """Ordered {node: ranks on it}, or None where it could not be found out.

    launch: the launcher and its flags, [] for a single rank without one. On one node that is clear;
    where a job has several, or the user chose launcher and flags, the launcher itself is asked.
    """
    environ = os.environ if environ is None else environ
    nodes = environ.get("SLURM_JOB_NUM_NODES") or environ.get("SLURM_NNODES") or "1"
    if not launch or (nodes == "1" and not environ.get("MPIRUN")):
        return {socket.gethostname(): ranks}
    names = _ask(launch)
    return dict(collections.Counter(names)) if len(names) == ranks else None


def _ask(launch):
    """The host name of every rank, as the launcher places them."""
    program = shutil.which("uname")
    if not program:
        return []
    try:
        done = subprocess.run(
            [*launch, program, "-n"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return done.stdout.decode("utf-8", "replace").split() if done.returncode == 0 else []
