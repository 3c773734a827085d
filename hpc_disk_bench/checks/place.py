"""Looks at test_dir from a process of its own: what it is, whether it can be written, how fast.

The one place where the checks touch a storage that may not answer.
"""

import contextlib
import errno
import mmap
import os
from typing import NamedTuple, Optional

from hpc_disk_bench import storage
from hpc_disk_bench.checks import child
from hpc_disk_bench.checks.finding import Stopped, impossible
from hpc_disk_bench.checks.probe import Probe, probe
from hpc_disk_bench.checks.quota import Limit, limits
from hpc_disk_bench.errors import UserError
from hpc_disk_bench.leftovers import Leftover, leftovers
from hpc_disk_bench.scratch import Scratch, remove_made_by

MOST_PROCESSES = 16
REMOVING = 5  # seconds at most for what a look has left; whoever has sent a signal waits for that
DIRECT_BLOCK = 4096  # bytes, which suits the disks and file systems that take O_DIRECT at all


class Place(NamedTuple):
    facts: dict  # of hpc_disk_bench.storage.inspect
    block: int  # bytes in which the file system gives out space
    direct: Optional[bool]  # whether O_DIRECT is accepted; None where that could not be tried
    limits: list[Limit]
    leftovers: list[Leftover]
    probe: Optional[Probe]


def look(test_dir, ranks, seconds, patience, stopped):
    """The Place behind test_dir, or UserError (exit code 3) where it cannot be used at all.

    ranks: of the run; seconds: for the probe, 0 for none; patience: seconds that the storage may
    take to answer, the probe's not counted.
    """
    try:
        # Synchronising a slow disk may take several times what was planned for it.
        limit = patience + 10 * seconds
        return child.answer(limit, _look, test_dir, ranks, seconds, stopped=stopped)
    except child.NoAnswer as error:
        _remove_made_by(error.gone, test_dir, patience)
        if stopped():
            raise Stopped from error
        text = f"test directory {test_dir}: the storage does not answer ({error}, {limit:.0f} s)"
        raise impossible("HDB030", f"{text}: look at its mount and server") from error
    except UserError as error:
        raise impossible("HDB033", error) from error
    except OSError as error:
        text = f"test directory {test_dir}: {error.strerror or error}"
        raise impossible("HDB033", f"{text}: name one that can be written to") from error


def _look(test_dir, ranks, seconds):
    _require_directory(test_dir)
    # The marker names this process, so that what a storage keeps of it is known as left behind.
    scratch = Scratch.create(test_dir, "")
    try:
        facts = storage.inspect(test_dir)
        block = os.statvfs(test_dir).f_frsize or DIRECT_BLOCK
        direct = _takes_direct(scratch.data)
        found, _ = leftovers(test_dir, spare=scratch.directory)
        measured = None
        if seconds:
            processes = max(min(ranks, len(os.sched_getaffinity(0)), MOST_PROCESSES), 1)
            free = facts["free_bytes"] or 0, facts["inodes_free"]
            measured = probe(scratch.data, seconds, processes, *free)
        return Place(facts, block, direct, limits(test_dir, facts), found, measured)
    finally:
        scratch.remove()


def _remove_made_by(looker, test_dir, patience):
    """Remove what a look that was ended by force was making, as far as the storage lets us."""
    if looker is None:
        return
    with contextlib.suppress(child.NoAnswer, OSError):
        child.answer(min(patience, REMOVING), remove_made_by, looker, test_dir)


def _require_directory(test_dir):
    """The plain mistakes in the user's words; what is missing is made later."""
    if os.path.exists(test_dir):
        if not os.path.isdir(test_dir):
            raise UserError(f"test directory '{test_dir}' is a file: name a directory")
        if not os.access(test_dir, os.W_OK | os.X_OK):
            raise UserError(f"test directory '{test_dir}' cannot be written to by this user")


def _takes_direct(directory):
    path = os.path.join(directory, "direct")
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_DIRECT, 0o600)
    except OSError as error:
        return False if error.errno == errno.EINVAL else None
    try:
        with mmap.mmap(-1, DIRECT_BLOCK) as aligned:
            os.write(handle, aligned)
        return True
    except OSError as error:
        return False if error.errno == errno.EINVAL else None
    finally:
        os.close(handle)
        with contextlib.suppress(OSError):
            os.unlink(path)
