"""What earlier runs left below test_dir, and which runs are at work there now."""

import os
import time
from typing import NamedTuple

from hpc_disk_bench import identity
from hpc_disk_bench.marked import NAME, Marked, NotOurs

COUNTING = 1.0  # seconds for the size of what was left, which may be millions of files


class Leftover(NamedTuple):
    path: str
    made_by: str  # user@host
    age: float  # seconds
    at_work: bool  # its run goes on, or that cannot be told from here (another host)
    bytes: int
    files: int
    counted: bool  # False: there is more than was counted


def leftovers(test_dir, spare):
    """The marked directories of other runs in test_dir, `spare` left out; sizes of dead ones."""
    found, deadline = [], time.monotonic() + COUNTING
    for name in sorted(filter(NAME.fullmatch, os.listdir(test_dir))):
        path = os.path.join(test_dir, name)
        if path == os.fspath(spare):
            continue
        try:
            with Marked(path) as marked:
                marker = marked.marker
        except NotOurs:
            continue
        gone = identity.runs(marker) is False
        size = _size(path, deadline) if gone else (0, 0, True)
        made_by = f"{marker.get('user')}@{marker.get('host')}"
        created = marker.get("created_epoch")
        age = time.time() - created if isinstance(created, (int, float)) else 0.0
        found.append(Leftover(path, made_by, max(age, 0.0), not gone, *size))
    return found


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
