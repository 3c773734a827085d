"""Watching processes: which belong to a test, and waiting for what they do."""

import contextlib
import os
import time
from pathlib import Path


def wait_for(condition, seconds=60):
    """Return once condition() is true; a test that waits in vain fails."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def processes_in(directory):
    """The processes that have `directory` in their arguments; those that have ended are none."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                if os.fsencode(directory) in file.read():
                    found.append(int(name))
        except OSError:
            continue
    return found


def prefer(pid):
    """Let a process and what it starts have the CPUs before all others, as far as may be (root)."""
    for thread in map(int, os.listdir(f"/proc/{pid}/task")):
        os.setpriority(os.PRIO_PROCESS, thread, -20)
    # Where sessions share the CPUs, a process is preferred among those of its own only.
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text("-20")
