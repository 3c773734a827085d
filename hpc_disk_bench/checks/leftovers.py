"""What earlier runs left below test_dir, and which runs are at work there now."""

import os
import socket
import time
from typing import NamedTuple

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.files import read_json
from hpc_disk_bench.tree import DATA_MARKER

COUNTING = 1.0  # seconds for the size of what was left, which may be millions of files


class Leftover(NamedTuple):
    path: str
    made_by: str  # user@host
    age: float  # seconds
    at_work: bool  # its run goes on, as far as it can be told from here
    bytes: int
    files: int
    counted: bool  # False: there is more than was counted


def leftovers(test_dir, spare):
    """The marked directories of other runs in test_dir, `spare` left out; sizes of dead ones."""
    found, deadline = [], time.monotonic() + COUNTING
    with os.scandir(test_dir) as entries:
        paths = sorted(entry.path for entry in entries if entry.name.startswith("io500."))
    for path in paths:
        if path == os.fspath(spare) or os.path.islink(path):
            continue
        try:
            marker = read_json(os.path.join(path, DATA_MARKER))
        except UserError:
            continue  # not ours, or gone meanwhile
        at_work = _at_work(marker)
        size = (0, 0, True) if at_work else _size(path, deadline)
        made_by = f"{marker.get('user')}@{marker.get('host')}"
        created = marker.get("created_epoch")
        age = time.time() - created if isinstance(created, (int, float)) else 0.0
        found.append(Leftover(path, made_by, max(age, 0.0), at_work, *size))
    return found


def _at_work(marker):
    """Whether the process of the marker runs; that of another host is taken to."""
    if marker.get("host") != socket.gethostname():
        return True
    try:
        with open(f"/proc/{int(marker['pid'])}/cmdline", "rb") as file:
            return b"hpc_disk_bench" in file.read()
    except (OSError, KeyError, TypeError, ValueError):
        return False


def _size(path, deadline):
    """(bytes, files, whether all was counted) below a path; no link is followed."""
    total = files = 0
    todo = [path]
    while todo:
        try:
            with os.scandir(todo.pop()) as entries:
                for entry in entries:
                    if time.monotonic() > deadline:
                        return total, files, False
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(entry.path)
                    else:
                        files += 1
                        total += entry.stat(follow_symlinks=False).st_blocks * 512
        except OSError:
            continue
    return total, files, True
