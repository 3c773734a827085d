"""The directory that a run keeps its data in: made and marked by it, and removed by it alone.

<test_dir>/io500.<id>/.hpc-disk-bench.json    the marker: who made it, when, for which run
<test_dir>/io500.<id>/data/                   what the benchmark is given
"""

import contextlib
import getpass
import os
import stat
import time
from pathlib import Path

from hpc_disk_bench import identity
from hpc_disk_bench.errors import REFUSED, UserError
from hpc_disk_bench.files import part_name, write_json
from hpc_disk_bench.marked import MAKING, NAME, Marked, NotOurs, remove_unfinished
from hpc_disk_bench.tree import DATA_MARKER
from hpc_disk_bench.versions import KEY, WRITTEN

TRIES = 20  # at removing what others may still be ending to write


class Scratch:
    """The data directory of one run below test_dir. Use create(); remove() ends it."""

    def __init__(self, directory, made, marker, patience):
        self.directory = Path(directory)
        self.data = self.directory / "data"
        self._made = made  # directories above that this run had to make, the deepest last
        self._marker = marker
        self.patience = patience
        self.left = True  # whether it has still to be removed
        self._abandoned = False

    @classmethod
    def create(cls, test_dir, run, patience=30):
        """Make test_dir where it is missing and the run's own directory in it.

        run: the run's directory, for the marker; patience: seconds that the storage may take to
        answer, for who removes it. UserError (exit code 3) where that cannot be done;
        nothing is left behind then.
        """
        made = _make(Path(test_dir))
        making = None
        try:
            try:
                making = _new_directory(test_dir)
            except FileNotFoundError:  # gone with another run that had made it
                made = _make(Path(test_dir))
                making = _new_directory(test_dir)
            marker = {
                KEY: WRITTEN[DATA_MARKER],
                "created_by": "hpc-disk-bench",
                "user": _user(),
                **identity.of_process(),
                "created_epoch": time.time(),
                "run_directory": os.fspath(run),
                "made": list(map(os.fspath, made)),
            }
            write_json(os.path.join(making, DATA_MARKER), marker)
            os.mkdir(os.path.join(making, "data"))
            # Only now under its own name: so there is never one of these without its marker.
            directory = _free_name(test_dir)
            os.rename(making, directory)
        except OSError as error:
            if making:
                _quietly(os.unlink, os.path.join(making, DATA_MARKER))
                _quietly(os.rmdir, os.path.join(making, "data"))
                _quietly(os.rmdir, making)
            for path in reversed(made):
                _quietly(os.rmdir, path)
            problem = f"cannot be written to: {error.strerror}"
            raise UserError(f"test directory {test_dir}: {problem}", REFUSED) from error
        return cls(directory, made, marker, patience)

    def name_run(self, run):
        """Note in the marker which run the data belongs to, now that its directory is known."""
        self._marker["run_directory"] = os.fspath(run)
        write_json(self.directory / DATA_MARKER, self._marker)

    def remove(self, give_up=lambda files: False):
        """Remove the run's data and what it had to make above. Returns (files removed, problems).

        Only a directory with this run's own marker is touched; no link is followed and no other
        file system entered, whatever somebody may have put there meanwhile. give_up(files) ends
        the removal where it is true; what is left keeps its marker, and stays.
        """
        if self._abandoned:
            return 0, []
        if not os.path.lexists(self.directory):
            self.left = False
            return 0, []
        try:
            with Marked(self.directory) as marked:
                if marked.marker != self._marker:
                    raise NotOurs("its marker is another run's")
                files, problems, gone = marked.remove(give_up)
        except NotOurs as reason:
            self.left = False
            return 0, [f"{self.directory}: left alone: {reason}"]
        except OSError as error:
            return 0, [f"{self.directory}: {error.strerror}"]
        if gone:
            self.left = False
            remove_made(self._made)
        return files, problems

    def abandon(self):
        """Leave what is there to --clean: a further remove() does nothing."""
        self._abandoned = True


def remove_made(made):
    """Remove the directories that a run had to make, the deepest last, as far as they are empty."""
    for path in reversed(made):
        _quietly(os.rmdir, path)


def remove_made_by(pid, test_dir):
    """Remove what a process of this machine, which was killed, made in test_dir for no run yet.

    Tried again for a while, as processes that it had started may have made one more file meanwhile.
    """
    for _ in range(TRIES):
        if _try_to_remove(pid, test_dir):
            return
        time.sleep(0.1)


def _try_to_remove(pid, test_dir):
    """Whether nothing of it is left."""
    all_gone = True
    remove_unfinished(test_dir, pid)
    for name in filter(NAME.fullmatch, os.listdir(test_dir)):
        with contextlib.suppress(NotOurs), Marked(os.path.join(test_dir, name)) as marked:
            marker = marked.marker
            its = marker.get("pid") == pid and not marker.get("run_directory")
            if not its or identity.runs(marker) is not False:  # another's, or of another machine
                continue
            gone = marked.remove()[2]
            all_gone = all_gone and gone
            if gone:
                remove_made(made_above(marker, marked.path))
    return all_gone


def made_above(marker, path):
    """What a marker says its run had to make, as far as it lies above the directory itself."""
    above = set()
    while path != os.path.dirname(path):
        path = os.path.dirname(path)
        above.add(path)
    made = marker.get("made")
    return [one for one in made if one in above] if isinstance(made, list) else []


def _new_directory(test_dir):
    path = os.path.join(test_dir, part_name(MAKING))
    os.mkdir(path, 0o700)
    return path


def _free_name(test_dir):
    while True:
        path = os.path.join(test_dir, f"io500.{os.urandom(4).hex()}")
        if not os.path.lexists(path):
            return path


def _make(test_dir):
    """Make test_dir and what is missing above it; returns what was made, the deepest last."""
    made = []
    missing = [path for path in (test_dir, *test_dir.parents) if not os.path.lexists(path)]
    try:
        for path in reversed(missing):
            try:
                path.mkdir()
                made.append(path)
            except FileExistsError:
                pass  # another run made it meanwhile
        if not stat.S_ISDIR(os.stat(test_dir).st_mode):
            raise NotADirectoryError(0, "it is a file, a directory is needed")
    except OSError as error:
        for path in reversed(made):
            _quietly(os.rmdir, path)
        raise UserError(f"test directory {test_dir}: {error.strerror}", REFUSED) from error
    return made


def _user():
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as in some containers
        return str(os.getuid())


def _quietly(action, *arguments):
    with contextlib.suppress(OSError):
        action(*arguments)
