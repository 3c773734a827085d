"""What earlier runs left below test_dir, and which runs are at work there now."""

import os
import time
from typing import NamedTuple, Optional

from hpc_disk_bench import identity
from hpc_disk_bench.marked import NAME, Marked, NotOurs
from hpc_disk_bench.status import SILENCE, going_on, read_status

COUNTING = 1.0  # seconds for the sizes of what was left, which may be millions of files


class Leftover(NamedTuple):
    path: str
    made_by: str  # user@host
    age: float  # seconds
    alive: Optional[str]  # why its run counts as at work: "process 4711 on this node"
    doubt: Optional[str]  # why it cannot be told from here whether it is
    bytes: int  # of dead ones: disk space, files, and whether all was counted
    files: int
    counted: bool

    @property
    def at_work(self):
        """Whether it must be left alone."""
        return bool(self.alive or self.doubt)


def leftovers(test_dir, spare=None, seconds=COUNTING):
    """(the Leftovers in test_dir, [(path, why it is none)]), sorted; `spare` is left out.

    seconds: for counting what dead ones hold. Raises OSError where test_dir cannot be read.
    """
    found, others, deadline = [], [], time.monotonic() + seconds
    for name in sorted(filter(NAME.fullmatch, os.listdir(test_dir))):
        path = os.path.join(test_dir, name)
        if path == os.fspath(spare or ""):
            continue
        try:
            with Marked(path) as marked:
                found.append(about(marked, deadline))
        except NotOurs as reason:
            if os.path.lexists(path):  # not gone meanwhile
                others.append((path, str(reason)))
    return found, others


def about(marked, deadline=0.0):
    """The Leftover that an open marked directory is. deadline: of counting, in monotonic time."""
    marker = marked.marker
    alive, doubt = _life(marker)
    size = (0, 0, True) if alive or doubt else _size(marked.path, deadline)
    created = marker.get("created_epoch")
    age = time.time() - created if isinstance(created, (int, float)) else 0.0
    made_by = f"{marker.get('user')}@{marker.get('host')}"
    return Leftover(marked.path, made_by, max(age, 0.0), alive, doubt, *size)


def run_of(marker):
    """The directory of the run that a marker names, or None where it names none."""
    run = marker.get("run_directory")
    return run if isinstance(run, str) and os.path.isabs(run) else None


def _life(marker):
    """(why the run of a marker counts as alive or None, why that cannot be told or None).

    Its process is known for sure on its own machine. From elsewhere there is the run's status.json,
    which is written at least once a minute, also by a run that has ended and still removes its
    data only minutes ago.
    """
    run = run_of(marker)
    runs = identity.runs(marker)
    if runs:
        return f"process {marker['pid']} on this node", None
    if runs is False:
        # The wrapper may have been killed alone. Ranks have the run's INI in their arguments.
        process = run and identity.naming(os.path.join(run, "io500.ini"))
        return (f"its benchmark goes on as process {process}" if process else None), None
    status = read_status(run) if run else {}
    if (status.get("host"), status.get("pid")) != (marker.get("host"), marker.get("pid")):
        where = f"it was started on {marker.get('host')}"
        return None, f"{where}, and its run's status.json cannot be read here"
    heard = going_on(status)
    ended = time.time() - status["updated_epoch"]
    if not heard and abs(ended) < SILENCE:
        heard = f"ended {max(ended, 0):.0f} s ago"
    return (f"on {marker.get('host')}, {heard}" if heard else None), None


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
