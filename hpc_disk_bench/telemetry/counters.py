"""Files under /proc and /sys that are read each second, and counters made into rates."""

import contextlib
import os


class Source:
    """A file that stays open, so that a reading costs one system call.

    read() is its bytes, empty where there is no such file, or no right to it.
    """

    def __init__(self, path):
        self._file = None
        with contextlib.suppress(OSError):
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def read(self):
        if self._file is None:
            return b""
        parts, offset = [], 0
        try:
            while True:
                part = os.pread(self._file, 65536, offset)
                if not part:
                    return b"".join(parts)
                parts.append(part)
                offset += len(part)
        except OSError:
            return b""

    def close(self):
        if self._file is not None:
            os.close(self._file)
            self._file = None


class Rates:
    """What counters grew by since they were read last."""

    def __init__(self):
        self._before = {}

    def grown(self, key, values):
        """How much each of `values` has grown since the last call for `key`, or None the first
        time. A counter that fell was started again (a file system mounted anew): None as well."""
        before, self._before[key] = self._before.get(key), values
        if before is None or len(before) != len(values):
            return None
        grown = [now - then for now, then in zip(values, before)]
        return None if min(grown, default=0) < 0 else grown

    def forget(self, key):
        self._before.pop(key, None)


def numbers(line):
    """The whole numbers of a line of bytes, up to the first word that is none."""
    found = []
    for word in line.split():
        if not word.isdigit():
            break
        found.append(int(word))
    return found
