"""Tests that measure get the machine for themselves; all others run beside each other.

Two locks in a directory that the workers share: who wants to be alone stands at the gate until the
room is empty, and nobody passes meanwhile.
"""

import contextlib
import fcntl
import os
import tempfile
from pathlib import Path


def _directory():
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"of-{os.getpid()}")
    path = Path(tempfile.gettempdir()) / f"hdb-turns-{run}"
    path.mkdir(exist_ok=True)
    return path


@contextlib.contextmanager
def _held(path, kind):
    with open(path, "w") as file:
        fcntl.flock(file, kind)
        yield


@contextlib.contextmanager
def turn(alone):
    """Wait for the machine: for oneself, or with others."""
    directory = _directory()
    with contextlib.ExitStack() as room:
        with _held(directory / "gate", fcntl.LOCK_EX):
            kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
            room.enter_context(_held(directory / "room", kind))
        yield
