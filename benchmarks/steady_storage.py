#!/usr/bin/env python3
"""A file system in memory that answers so many requests a second, no more and no less: FUSE.

    benchmarks/steady_storage.py MOUNTPOINT REQUESTS_A_SECOND

Each answer has its time, whoever asks, and who waits is served in turn. What is late, because the
machine was busy elsewhere, is made good at once, up to BURST. Nothing is cached by the kernel.
Prints a line once it is mounted; ends when it is unmounted.
"""

import functools
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.faults.faulty_storage import Storage, mount, serve

BURST = 0.1  # seconds


class Steady:
    """A Storage whose every answer has its time."""

    def __init__(self, storage, interval):
        storage.open_flags = 1
        self._storage, self._interval = storage, interval
        self._due = time.monotonic()

    def __getattr__(self, name):
        found = getattr(self._storage, name)
        return functools.partial(self._in_time, found) if callable(found) else found

    def _in_time(self, method, *arguments):
        answer = method(*arguments)
        now = time.monotonic()
        self._due = max(self._due, now - BURST) + self._interval
        time.sleep(max(0.0, self._due - now))
        return answer


if __name__ == "__main__":
    serve(mount(sys.argv[1]), Steady(Storage(None), 1 / float(sys.argv[2])))
