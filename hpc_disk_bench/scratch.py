"""The directory that a run keeps its data in: made and marked by it, and removed by it alone.

<test_dir>/io500.<id>/.hpc-disk-bench.json    the marker: who made it, when, for which run
<test_dir>/io500.<id>/data/                   what the benchmark is given
"""

import contextlib
import errno
import getpass
import os
import socket
import stat
import tempfile
import time
from pathlib import Path

from hpc_disk_bench.errors import REFUSED, UserError
from hpc_disk_bench.files import read_json, write_json
from hpc_disk_bench.tree import DATA_MARKER
from hpc_disk_bench.versions import KEY, WRITTEN


class Scratch:
    """The data directory of one run below test_dir. Use create(); remove() ends it."""

    def __init__(self, directory, made, identity):
        self.directory = Path(directory)
        self.data = self.directory / "data"
        self._made = made  # directories above that this run had to make, the deepest last
        self._identity = identity

    @classmethod
    def create(cls, test_dir, run):
        """Make test_dir where it is missing and the run's own directory in it.

        run: the run's directory, for the marker. UserError (exit code 3) where that cannot be done;
        nothing is left behind then.
        """
        made = _make(Path(test_dir))
        directory = None
        try:
            try:
                directory = tempfile.mkdtemp(prefix="io500.", dir=test_dir)
            except FileNotFoundError:  # gone with another run that had made it
                made = _make(Path(test_dir))
                directory = tempfile.mkdtemp(prefix="io500.", dir=test_dir)
            identity = {
                KEY: WRITTEN[DATA_MARKER],
                "created_by": "hpc-disk-bench",
                "user": _user(),
                "host": socket.gethostname(),
                "pid": os.getpid(),
                "created_epoch": time.time(),
                "run_directory": os.fspath(run),
            }
            write_json(os.path.join(directory, DATA_MARKER), identity)
            os.mkdir(os.path.join(directory, "data"))
        except OSError as error:
            if directory:
                _quietly(os.unlink, os.path.join(directory, DATA_MARKER))
                _quietly(os.rmdir, directory)
            for path in reversed(made):
                _quietly(os.rmdir, path)
            problem = f"cannot be written to: {error.strerror}"
            raise UserError(f"test directory {test_dir}: {problem}", REFUSED) from error
        return cls(directory, made, identity)

    def name_run(self, run):
        """Note in the marker which run the data belongs to, now that its directory is known."""
        self._identity["run_directory"] = os.fspath(run)
        write_json(self.directory / DATA_MARKER, self._identity)

    def remove(self):
        """Remove the run's data and what it had to make above. Returns (files removed, problems).

        Only a directory with this run's own marker is touched; no link is followed and no other
        file system entered, whatever somebody may have put there meanwhile.
        """
        if not self.directory.exists() and not self.directory.is_symlink():
            return 0, []
        try:
            handle = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError as error:
            return 0, [f"{self.directory}: left alone: {error.strerror}"]
        try:
            problem = self._not_ours(handle)
            if problem:
                return 0, [f"{self.directory}: left alone: {problem}"]
            removal = _Removal(os.fstat(handle).st_dev)
            # The marker goes last: what an end by force leaves behind is still known as ours.
            removal.empty(handle, os.fspath(self.directory), spare=DATA_MARKER)
            if os.listdir(handle) == [DATA_MARKER]:
                os.unlink(DATA_MARKER, dir_fd=handle)
                os.rmdir(self.directory)
        except OSError as error:
            return removal.files, [*removal.problems, f"{self.directory}: {error.strerror}"]
        finally:
            os.close(handle)
        if self.directory.exists() and not removal.problems:
            removal.problems.append(f"{self.directory}: not empty, though nothing refused to go")
        for path in reversed(self._made):
            _quietly(os.rmdir, path)  # stays where anything is in it
        return removal.files, removal.problems

    def _not_ours(self, handle):
        above = os.stat(self.directory.parent)
        if os.fstat(handle).st_dev != above.st_dev:
            return "something is mounted on it"
        try:
            marker = read_json(self.directory / DATA_MARKER)
        except UserError as error:
            return f"its marker is gone ({error})"
        return None if marker == self._identity else "its marker is another run's"


class _Removal:
    """Empties directories by handle, so that a name that changes underneath leads nowhere else."""

    def __init__(self, device):
        self.files = 0
        self.problems = []
        self._device = device

    def empty(self, handle, path, spare=None):
        """Remove what a directory holds; what stays is in problems, each once."""
        # Some file systems skip names when entries vanish during the listing: list until nothing
        # more can be removed.
        removed = True
        while removed:
            removed = False
            with os.scandir(handle) as entries:
                for entry in entries:
                    if entry.name != spare and self._remove(handle, path, entry):
                        removed = True

    def _remove(self, handle, path, entry):
        """Remove one entry; whether it is gone."""
        try:
            if entry.is_dir(follow_symlinks=False):
                self._remove_directory(handle, path, entry.name)
            else:
                os.unlink(entry.name, dir_fd=handle)
                self.files += 1
        except OSError as error:
            # A directory that could not be emptied has said why already.
            if error.errno != errno.ENOTEMPTY:
                problem = f"{path}/{entry.name}: {error.strerror}"
                if problem not in self.problems:
                    self.problems.append(problem)
            return False
        return True

    def _remove_directory(self, handle, path, name):
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
        below = os.open(name, flags, dir_fd=handle)
        try:
            if os.fstat(below).st_dev != self._device:
                raise OSError(errno.EXDEV, "another file system is mounted there")
            self.empty(below, f"{path}/{name}")
        finally:
            os.close(below)
        os.rmdir(name, dir_fd=handle)


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
