"""Empties a directory with several threads: by handle, never through a link or a mount point.

Directories are opened by their names in handles that are held open, so that a name that changes
underneath leads nowhere else. Each directory is a task, so are the files of one that are handed to
a thread that has nothing else to do: a storage behind a network is waited for side by side.
"""

import contextlib
import errno
import os
import threading

THREADS = 8
LISTED = 50_000  # files of a directory that are put into an order together
BATCH = 64  # files that a thread hands to another one
TOLD = 5  # problems that are kept word by word
GRACE = 2.0  # seconds for a thread to come back from a storage that answers slowly
OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Removal:
    """Empties one directory. files: how many files went; problems: what stayed, and why."""

    def __init__(self, handle, path, spare):
        """handle: the open directory, path: its name for people, spare: a name that stays in it."""
        self.files = 0
        self._said, self._unsaid = {}, 0
        self._spare = spare
        self._mount = mount_of(handle)
        self._top = _Directory(None, None, path, handle)
        self._tasks = [(self._list, (self._top,))]
        self._idle = 0
        self._given_up = self._done = False
        self._change = threading.Condition()

    @property
    def problems(self):
        more = [f"{self._unsaid:,} more that would not go"] if self._unsaid else []
        return [*self._said, *more]

    def run(self, give_up):
        """Remove all, or as much as there is until give_up(files) is true, asked several times a
        second. Whether it came to its end; problems tell whether anything stayed then.
        """
        if give_up(0):
            self._given_up = True
            return False
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        with self._change:
            while not self._done and not self._given_up:
                self._change.wait(0.1)
                self._given_up = give_up(self.files) or self._given_up
            self._change.notify_all()
        for thread in threads:
            # A thread that the storage does not let go ends with the process.
            thread.join(GRACE / len(threads) if self._given_up else None)
        return self._done

    def _work(self):
        while True:
            with self._change:
                self._idle += 1
                while not (self._tasks or self._done or self._given_up):
                    self._change.wait()
                if self._done or self._given_up:
                    return
                self._idle -= 1
                # The last one first: deep before wide, so that few directories are open at once.
                task, arguments = self._tasks.pop()
            try:
                task(*arguments)
            except Exception as error:  # out of memory, say: better to stop than to wait for ever
                self._problem(f"{self._top.path}: {error or type(error).__name__}")
                self._given_up = True

    def _hand_over(self, task, *arguments):
        with self._change:
            self._tasks.append((task, arguments))
            self._change.notify()

    def _enter(self, above, name):
        """Task: open a directory below `above` and list it."""
        path = f"{above.path}/{name}"
        try:
            handle = os.open(name, OPEN, dir_fd=above.handle)
        except OSError as error:
            self._refused(path, error)
            self._finish_part(above)
            return
        if mount_of(handle) != self._mount:
            os.close(handle)
            self._problem(f"{path}: another file system is mounted there")
            self._finish_part(above)
            return
        self._list(_Directory(above, name, path, handle))

    def _list(self, directory):
        """Task: remove a directory's files and hand over the directories in it."""
        directory.removed = 0
        directory.parts = 1  # this listing
        files = []
        try:
            with os.scandir(directory.handle) as entries:
                for entry in entries:
                    if self._given_up:
                        break
                    if entry.is_dir(follow_symlinks=False):
                        self._part(directory, self._enter, entry.name)
                    elif entry.name != self._spare or directory is not self._top:
                        files.append((entry.inode(), entry.name))
                        if len(files) == LISTED:
                            self._share(directory, files)
                            files = []
        except OSError as error:
            self._refused(directory.path, error)
        self._share(directory, files)
        self._finish_part(directory)

    def _share(self, directory, files):
        """Remove files of a directory, with the help of threads that have nothing else to do."""
        # In the order of the inodes a disk has them in, which local file systems do not list in.
        names = [name for _, name in sorted(files)]
        for first in range(0, len(names), BATCH):
            batch = names[first : first + BATCH]
            # Read without the lock: a wrong guess costs nothing but a little speed.
            if self._idle and not self._tasks:
                self._part(directory, self._unlink_part, batch)
            else:
                self._unlink(directory, batch)

    def _part(self, directory, task, argument):
        with self._change:
            directory.parts += 1
        self._hand_over(task, directory, argument)

    def _unlink_part(self, directory, files):
        """Task: remove some files of a directory."""
        self._unlink(directory, files)
        self._finish_part(directory)

    def _unlink(self, directory, files):
        gone = 0
        for name in files:
            if self._given_up:
                break
            try:
                os.unlink(name, dir_fd=directory.handle)
                gone += 1
            except FileNotFoundError:
                pass  # somebody else removed it
            except OSError as error:
                self._refused(f"{directory.path}/{name}", error)
        with self._change:
            self.files += gone
            directory.removed += gone

    def _finish_part(self, directory):
        """A listing, a batch or a directory below is done; with the last of them the directory."""
        while directory:
            with self._change:
                directory.parts -= 1
                if directory.parts or self._given_up:
                    return
            # Some file systems skip names when entries vanish during the listing: list until
            # nothing more can be removed.
            if directory is self._top:
                if directory.removed:
                    self._hand_over(self._list, directory)
                    return
                with self._change:
                    self._done = True
                    self._change.notify_all()
                return
            above = directory.above
            try:
                os.rmdir(directory.name, dir_fd=above.handle)
                with self._change:
                    above.removed += 1
            except FileNotFoundError:
                pass
            except OSError as error:
                if error.errno == errno.ENOTEMPTY and directory.removed:
                    self._hand_over(self._list, directory)
                    return
                # A directory that could not be emptied has said why already.
                if error.errno != errno.ENOTEMPTY:
                    self._refused(directory.path, error)
            os.close(directory.handle)
            directory = above

    def _refused(self, path, error):
        self._problem(f"{path}: {error.strerror}")

    def _problem(self, text):
        with self._change:
            if text in self._said:
                return
            if len(self._said) < TOLD:
                self._said[text] = True
            else:
                self._unsaid += 1


class _Directory:
    """An open directory on its way out."""

    def __init__(self, above, name, path, handle):
        self.above, self.name, self.path, self.handle = above, name, path, handle
        self.parts = 0  # listings, batches and directories below that are not done
        self.removed = 0  # since it was last listed


def mount_of(handle):
    """What tells the mount of an open directory, also where a file system is mounted twice."""
    with contextlib.suppress(OSError), open(f"/proc/self/fdinfo/{handle}", "rb") as file:
        for line in file:
            if line.startswith(b"mnt_id:"):
                return int(line.split()[1])
    return os.fstat(handle).st_dev
