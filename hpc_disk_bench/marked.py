"""A marked directory below test_dir, held by its handle: what it says of itself, and its removal.

All that is asked and done goes through the handle, so that neither a link nor a directory that
takes the name meanwhile is ever mistaken for it.
"""

import contextlib
import errno
import os
import re
import stat

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.files import parse_json, part_name, parts_of_the_dead
from hpc_disk_bench.removal import OPEN, Removal, mount_of
from hpc_disk_bench.tree import DATA_MARKER

NAME = re.compile(r"io500\.[0-9a-z_]{8}")
# A directory is made under the name of a part, and given it again before its marker goes: so a
# process that is killed in between leaves nothing that cannot be told from somebody else's.
MAKING = "io500"
MOST_MARKER = 65536  # bytes; ours have some hundred


class NotOurs(Exception):
    """Why a directory is left alone."""


class Marked:
    """An open directory with a marker; NotOurs where it has none that can be trusted."""

    def __init__(self, path):
        """path: of the directory itself; its last part is not followed if it is a link."""
        self.path = os.fspath(path)
        above, self.name = os.path.split(self.path)
        self._above = self.handle = None
        try:
            self._above = os.open(above, OPEN & ~os.O_NOFOLLOW)
            self.handle = os.open(self.name, OPEN, dir_fd=self._above)
            self.marker = self._read()
        except OSError as error:
            self.close()
            not_directory = error.errno in (errno.ELOOP, errno.ENOTDIR)
            reason = "it is no directory" if not_directory else error.strerror
            raise NotOurs(reason) from error
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for handle in (self.handle, self._above):
            if handle is not None:
                os.close(handle)
        self.handle = self._above = None

    @property
    def owner(self):
        """The user id that the directory and its marker belong to."""
        return os.fstat(self.handle).st_uid

    def remove(self, give_up=lambda files: False):
        """Remove it: (files removed, what would not go, whether it is gone).

        give_up(files) ends the removal where it is true; the marker stays then.
        """
        removal = Removal(self.handle, self.path, spare=DATA_MARKER)
        whole = removal.run(give_up)
        problems, left = removal.problems, os.listdir(self.handle)
        if not whole:
            return removal.files, problems, False
        if left not in ([DATA_MARKER], []):
            problems = problems or [f"{self.path}: not empty, though nothing refused to go"]
            return removal.files, problems, False
        try:
            self._take_down()
        except OSError as error:
            return removal.files, [*problems, f"{self.path}: {error.strerror}"], False
        return removal.files, problems, True

    def _take_down(self):
        """The marker goes last: what an end by force leaves behind is still known as ours."""
        now = os.stat(self.name, dir_fd=self._above, follow_symlinks=False)
        here = os.fstat(self.handle)
        if (now.st_dev, now.st_ino) != (here.st_dev, here.st_ino):
            raise OSError(errno.ESTALE, "it was moved away meanwhile")
        going = part_name(MAKING)
        os.rename(self.name, going, src_dir_fd=self._above, dst_dir_fd=self._above)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(DATA_MARKER, dir_fd=self.handle)
        os.rmdir(going, dir_fd=self._above)

    def _read(self):
        """The marker. NotOurs where something about it or the directory is not as we make them."""
        if mount_of(self.handle) != mount_of(self._above):
            raise NotOurs("something is mounted on it")
        try:
            handle = os.open(
                DATA_MARKER,
                os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC,
                dir_fd=self.handle,
            )
        except FileNotFoundError as error:
            raise NotOurs(f"its marker {DATA_MARKER} is gone") from error
        except OSError as error:
            raise NotOurs(f"its marker {DATA_MARKER} cannot be read: {error.strerror}") from error
        with os.fdopen(handle, "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode) or about.st_uid != self.owner:
                raise NotOurs("its marker was not made by who made the directory")
            try:
                marker = parse_json(f"{self.path}/{DATA_MARKER}", file.read(MOST_MARKER))
            except UserError as error:
                raise NotOurs(str(error)) from error
        if marker.get("created_by") != "hpc-disk-bench":
            raise NotOurs("its marker is not one of hpc-disk-bench")
        return marker


def remove_unfinished(test_dir, pid=None):
    """Remove what killed processes, or the one of them with this number, were making or taking
    down in test_dir; the paths of those.

    Nothing is emptied here: such a directory holds a marker, parts of one and an empty directory
    at most, or it stays.
    """
    removed = []
    for path in unfinished(test_dir, pid):
        with contextlib.suppress(OSError):
            handle = os.open(path, OPEN)
            try:
                for name in os.listdir(handle):
                    if name == "data":
                        os.rmdir(name, dir_fd=handle)
                    elif name == DATA_MARKER or name.startswith(f".{DATA_MARKER}."):
                        os.unlink(name, dir_fd=handle)
            finally:
                os.close(handle)
            os.rmdir(path)
            removed.append(path)
    return removed


def unfinished(test_dir, pid=None):
    """The paths of the directories that killed processes were making or taking down."""
    parts = parts_of_the_dead(os.path.join(test_dir, MAKING))
    its = "" if pid is None else f"-{pid}-"
    return [path for path in parts if its in os.path.basename(path) and os.path.isdir(path)]
