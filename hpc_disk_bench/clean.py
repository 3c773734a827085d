"""io500_wrapper.sh --clean: removes what runs that are gone left in a test directory.

Only directories with the project's marker are touched, and of those only what belongs to no run
that is alive, or may be.
"""

import argparse
import contextlib
import os
import stat
from typing import NamedTuple, Optional

from hpc_disk_bench import status
from hpc_disk_bench.benchmark import Signals
from hpc_disk_bench.checks import child
from hpc_disk_bench.checks.finding import impossible
from hpc_disk_bench.checks.words import count, size, span
from hpc_disk_bench.clearing import STALLED, Patience
from hpc_disk_bench.console import YELLOW, Console
from hpc_disk_bench.diagnosis.of_run import of_kept
from hpc_disk_bench.errors import DONE, REFUSED, USAGE, UserError
from hpc_disk_bench.files import read_json, remove_parts
from hpc_disk_bench.leftovers import Leftover, about, leftovers, run_of
from hpc_disk_bench.marked import Marked, NotOurs, remove_unfinished, unfinished
from hpc_disk_bench.removal import OPEN
from hpc_disk_bench.scratch import made_above, remove_made
from hpc_disk_bench.tree import METADATA, RESULTS, STATUS

COUNTING = 10.0  # seconds for the sizes of all that is listed


class Found(NamedTuple):
    """What there is in a test directory."""

    test_dir: str  # its real path
    leftovers: list  # leftovers.Leftover
    others: list  # (path, why it is none)
    unfinished: list  # paths that killed processes were making or taking down


def main(arguments):
    """Clean one directory; returns 0 where nothing of a dead run is left, else 3, or 128 + N."""
    options = _arguments(arguments)
    console = Console(quiet=options.quiet)
    found = _ask(options, COUNTING, _look, options.directory)
    stays = 0
    with Signals() as signals:
        for left in found.leftovers:
            if signals.caught:
                break
            if left.alive or (left.doubt and not options.force):
                stays += not left.alive
                _tell_kept(left, console)
            elif options.dry_run:
                console.result("would go", _words(left))
            elif not _remove(left, options, signals, console):
                stays += 1
        for path, reason in found.others:
            console.talk("kept", f"{path}: {reason}", style=YELLOW)
        parts = found.unfinished
        if parts and not options.dry_run:
            parts = _ask(options, 0, remove_unfinished, found.test_dir)
        for path in parts:
            text = f"{path}: begun by a process that is gone"
            console.result("would go" if options.dry_run else "removed", text)
        if not found.leftovers and not parts:
            console.talk("clean", f"{found.test_dir}: nothing of an earlier run")
        if signals.caught:
            return 128 + signals.caught
    return REFUSED if stays else DONE


def _ask(options, seconds, function, *arguments):
    """function(*arguments), which asks the storage. UserError where it cannot, or does not answer.

    seconds: that the function may take beyond what the storage may.
    """
    limit = options.patience + seconds
    try:
        return child.answer(limit, function, *arguments)
    except child.NoAnswer as error:
        text = f"{options.directory}: the storage does not answer ({error}, {limit:.0f} s)"
        raise impossible("HDB030", f"{text}: look at its mount and server") from error
    except OSError as error:
        raise UserError(f"{options.directory}: cannot be read: {error.strerror}", USAGE) from error


def _look(directory):
    test_dir = os.path.realpath(directory)
    found, others = leftovers(test_dir, seconds=COUNTING)
    return Found(test_dir, found, others, unfinished(test_dir))


def _tell_kept(left, console):
    why = left.alive or f"{left.doubt}: clean there, or add --force if it is over"
    console.talk("kept", f"{left.path} ({left.made_by}): {why}", style=YELLOW)


def _words(left):
    at_least = "" if left.counted else "at least "
    held = f"{at_least}{size(left.bytes)} in {count(left.files)} files"
    return f"{left.path}: {held}, {span(left.age)} old, of {left.made_by}"


def _remove(left, options, signals, console):
    """Remove one leftover. Whether it is gone, or alive after all."""
    patience = Patience(signals, console, STALLED * options.patience, at_once=True)
    try:
        done = patience.run(lambda give_up: _empty(left.path, options.force, give_up))
    except NotOurs as reason:
        if os.path.lexists(left.path):
            console.failed(f"to remove {left.path}: {reason}")
            return False
        return True  # another one was quicker
    except OSError as error:
        console.failed(f"to remove {left.path}: {error.strerror}")
        return False
    done = done or Emptied(None, patience.files, [], False)
    if done.kept:
        _tell_kept(done.kept, console)
        return bool(done.kept.alive)
    for problem in done.problems:
        console.failed(f"to remove {problem}")
    if not done.gone:
        reason = f": {patience.reason}" if patience.reason else ""
        console.failed(f"{left.path} is not gone, {done.files:,} files of it are{reason}")
        return False
    console.result("removed", _words(left))
    remove_made(made_above(done.marker, left.path))
    _close_run(done.marker, done.owner, console)
    return True


class Emptied(NamedTuple):
    """What came of a removal."""

    kept: Optional[Leftover]  # where it was found to be alive, or in doubt, after all
    files: int
    problems: list
    gone: bool
    marker: Optional[dict] = None
    owner: Optional[int] = None


def _empty(path, force, give_up):
    with Marked(path) as marked:
        # Asked again, through the handle that is emptied: time has passed.
        now = about(marked)
        if now.alive or (now.doubt and not force):
            return Emptied(now, 0, [], False)
        marker, owner = marked.marker, marked.owner
        return Emptied(None, *marked.remove(give_up), marker, owner)


def _close_run(marker, owner, console):
    """Note in the run's status.json that it was killed, where it is there and says it goes on.

    A marker can be forged: only a run that says the same of itself, lies in a directory of the
    same owner, and is the caller's own, is written to.
    """
    run = run_of(marker)
    if not run:
        return
    with contextlib.suppress(OSError, UserError):
        handle = os.open(run, OPEN)
        try:
            about_run = os.fstat(handle)
            if not about_run.st_uid == owner == os.geteuid():
                return
            # Stays the same directory, whatever becomes of its name.
            held = f"/proc/self/fd/{handle}"
            for name in (STATUS, METADATA, RESULTS):
                remove_parts(os.path.join(held, name))
            path = os.path.join(held, STATUS)
            if not stat.S_ISREG(os.lstat(path).st_mode):
                return
            said = read_json(path)
            if said.get("state") not in (status.PREPARING, status.RUNNING):
                return
            if any(said.get(key) != marker.get(key) for key in ("host", "pid")):
                return
            diagnosis = of_kept(held, held, said, forced=True)
            status.add(
                held,
                state=status.INTERRUPTED,
                diagnosis=diagnosis and diagnosis.as_json(),
                evidence=diagnosis.evidence if diagnosis else [],
            )
            console.talk("closed", f"{run}: its run was killed")
        finally:
            os.close(handle)


def _arguments(arguments):
    parser = argparse.ArgumentParser(prog="clean", add_help=False, allow_abbrev=False)
    parser.add_argument("--directory", required=True)
    parser.add_argument("--patience", type=float, required=True)
    for name in ("dry-run", "force", "quiet"):
        parser.add_argument(f"--{name}", action="store_true")
    return parser.parse_args(arguments)
