"""Tests that measure get the machine for themselves; all others run beside each other.

Two locks in a directory that the workers share: who wants to be alone stands at the gate until the
room is empty, and nobody passes meanwhile.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

ROOM = "HDB_TEST_TURNS"  # in the environment, which workers inherit


def open_room():
    """Make the locks, in the process that starts the workers; what closes them again."""
    if ROOM in os.environ:
        return lambda: None
    os.environ[ROOM] = tempfile.mkdtemp(prefix="hdb-turns-")
    return lambda: shutil.rmtree(os.environ.pop(ROOM))


@contextlib.contextmanager
def turn(alone):
    """Wait for the machine: for oneself, or with others."""
    directory = Path(os.environ[ROOM])
    with contextlib.ExitStack() as room:
        with _held(directory / "gate", fcntl.LOCK_EX):
            kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
            room.enter_context(_held(directory / "room", kind))
        yield


@contextlib.contextmanager
def _held(path, kind):
    with open(path, "w") as file:
        fcntl.flock(file, kind)
        yield
