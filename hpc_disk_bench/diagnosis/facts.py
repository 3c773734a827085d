"""What the machine knows of a run besides its output: space, memory, the batch system's limits."""

import contextlib
import os
import subprocess
import threading
import time
from pathlib import Path
from typing import NamedTuple, Optional

PATIENCE = 5  # seconds for a file system or a batch system to answer
ALMOST = 60  # seconds: Slurm looks at its limits and sends its signals about so early


class Space(NamedTuple):
    """Of a file system: bytes and inodes, free for this user and in all. No inodes: None."""

    free_bytes: int
    size_bytes: int
    free_inodes: Optional[int]
    inodes: Optional[int]


class Facts(NamedTuple):
    """What was found at the start and at the end; what could not be had is None."""

    test_dir: str
    filesystem: Optional[str]
    space_before: Optional[Space]
    space_after: Optional[Space]
    oom_kills: Optional[int]  # so many in this run's control group meanwhile
    oom_on_node: Optional[int]  # so many on this node meanwhile, of whomsoever
    result_space: Optional[Space]


class Watch:
    """Takes the facts before a run, and compares with them after it."""

    def __init__(self, test_dir, filesystem, results):
        self._test_dir, self._filesystem, self._results = test_dir, filesystem, results
        self._space = space(test_dir)
        self._oom = _oom_kills(), _oom_on_node()

    def facts(self):
        """The Facts by now."""
        return Facts(
            os.fspath(self._test_dir),
            self._filesystem,
            self._space,
            space(self._test_dir),
            *(_more(now, before) for now, before in zip((_oom_kills(), _oom_on_node()), self._oom)),
            space(self._results),
        )


def space(directory):
    """The Space of the file system behind a directory, or None where it does not say."""
    found = []

    def ask():
        with contextlib.suppress(OSError):
            found.append(os.statvfs(directory))

    # A server that is gone answers never; a thread can be left waiting.
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    if not found:
        return None
    status = found[0]
    inodes = (status.f_favail, status.f_files) if status.f_files else (None, None)
    return Space(status.f_frsize * status.f_bavail, status.f_frsize * status.f_blocks, *inodes)


def job_end(environ=None):
    """When the batch job's time is up, in seconds since 1970, or None: not in a job, or unknown."""
    environ = os.environ if environ is None else environ
    job = environ.get("SLURM_JOB_ID")
    told = (job and _ask_slurm(job)) or ""
    facts = dict(word.split("=", 1) for word in told.split() if "=" in word)
    with contextlib.suppress(KeyError, ValueError):
        if facts["JobState"] in ("CANCELLED", "COMPLETING"):
            # Of a job that is being ended, by whomever, Slurm says that it ends just now.
            return _epoch(facts["StartTime"]) + _seconds(facts["TimeLimit"])
        return _epoch(facts["EndTime"])
    with contextlib.suppress(KeyError, ValueError):
        return float(environ["SLURM_JOB_END_TIME"])
    return None


def time_is_up(now, environ=None):
    """(whether the batch job's time is up, or nearly so; when that is or None)."""
    end = job_end(environ)
    return end is not None and now >= end - ALMOST, end


def _epoch(text):
    """Seconds since 1970 of a time as Slurm writes it, which is local."""
    return time.mktime(time.strptime(text, "%Y-%m-%dT%H:%M:%S"))


def _seconds(limit):
    """Seconds of a time limit as Slurm writes it: 1-02:30:00. ValueError where it is none."""
    days, _, clock = limit.rpartition("-")
    hours, minutes, seconds = map(int, clock.split(":"))
    return ((int(days or 0) * 24 + hours) * 60 + minutes) * 60 + seconds


def _ask_slurm(job):
    try:
        command = ["scontrol", "-o", "show", "job", job]
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def _oom_kills():
    """How many processes of this control group the kernel has killed for want of memory."""
    for line in _text("/proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            counted = _counter(f"/sys/fs/cgroup{path}/memory.events")
        elif "memory" in controllers.split(","):
            counted = _counter(f"/sys/fs/cgroup/memory{path}/memory.oom_control")
        else:
            continue
        if counted is not None:
            return counted
    return None


def _oom_on_node():
    return _counter("/proc/vmstat")


def _counter(path):
    for line in _text(path).splitlines():
        key, _, value = line.partition(" ")
        if key == "oom_kill" and value.strip().isdigit():
            return int(value)
    return None


def _text(path):
    try:
        return Path(path).read_text("utf-8", "replace")
    except OSError:
        return ""


def _more(now, before):
    return None if now is None or before is None else max(now - before, 0)
