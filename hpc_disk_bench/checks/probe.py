"""How much a storage takes a second, by a few seconds of writing to it.

Processes write, synchronise and make files as the ranks of the benchmark do, one after the other.
What they write is removed by them, and lies in the caller's own directory in any case.
"""

import errno
import os
import pickle
import time
from typing import NamedTuple

BLOCK = 2 * 2**20  # bytes of a write, the transfer size of ior-easy
FIRST = 2 * BLOCK  # bytes of the first piece that is synchronised
MOST_BYTES, MOST_FILES = 4 * 2**30, 20_000  # per process
SHARE_OF_FREE = 0.1  # of free space and inodes, which others use as well
FULL = (errno.ENOSPC, errno.EDQUOT)
PARTS = 3


class Probe(NamedTuple):
    seconds: float
    processes: int
    bytes_per_second: float  # 0 where nothing could be written
    easy_files_per_second: float
    hard_files_per_second: float
    full: str  # the name of the errno that ended it early, or ""


def probe(directory, seconds, processes, free_bytes, free_inodes=None):
    """The Probe of a directory by so many processes at once. OSError where the storage fails."""
    part, files = seconds / PARTS, MOST_FILES
    most = min(MOST_BYTES, SHARE_OF_FREE * free_bytes / processes)
    if free_inodes is not None:
        files = min(files, int(SHARE_OF_FREE * free_inodes / processes) + 1)
    written = _together(processes, _write, directory, part, most)
    easy = _together(processes, _create, directory, part, files, False)
    hard = _together(processes, _create, directory, part, files, True)
    full = next((name for _, name in (written, easy, hard) if name), "")
    return Probe(seconds, processes, written[0], easy[0], hard[0], full)


def _together(processes, work, *arguments):
    """Let processes work at the same time: (amount a second of all of them, errno's name or "")."""
    pipes = []
    for number in range(processes):
        reading, writing = os.pipe()
        if os.fork() == 0:
            _worker(writing, work, number, arguments)
        os.close(writing)
        pipes.append(reading)
    amount = slowest = 0
    full = ""
    for pipe in pipes:
        with os.fdopen(pipe, "rb") as file:
            said = file.read()
        os.wait()
        worked, result = pickle.loads(said)
        if not worked:
            raise result
        amount += result[0]
        slowest = max(slowest, result[1])
        full = full or result[2]
    return (amount / slowest if slowest else 0), full


def _worker(writing, work, number, arguments):
    try:
        try:
            said = True, work(number, *arguments)
        except Exception as error:
            said = False, error
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(pickle.dumps(said))
    finally:
        os._exit(0)


def _write(number, directory, seconds, most):
    """Bytes written and synchronised, seconds they took, errno's name where it was full."""
    path = os.path.join(directory, f"write.{number}")
    block = os.urandom(BLOCK)  # storage that compresses must not look faster than it is
    written, piece, start = 0, FIRST, time.monotonic()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        while True:
            begun = time.monotonic()
            for _ in range(piece // BLOCK):
                os.write(handle, block)
            os.fdatasync(handle)
            written += piece
            now = time.monotonic()
            # A piece that takes too long would take the run's time; the small one is enough then.
            if now - start + (now - begun) > seconds or written + piece > most:
                return written, now - start, ""
            if now - begun < seconds / 8:
                piece *= 2
    except OSError as error:
        if error.errno not in FULL:
            raise
        return written, time.monotonic() - start, errno.errorcode[error.errno]
    finally:
        os.close(handle)
        os.unlink(path)


def _create(number, directory, seconds, most, hard):
    """Files made, seconds they took, errno's name where there was no room for more."""
    own = os.path.join(directory, "hard" if hard else f"easy.{number}")
    os.makedirs(own, exist_ok=True)
    content, made, full = os.urandom(3901), 0, ""
    start = time.monotonic()
    try:
        while made < most and time.monotonic() - start < seconds:
            path = f"{own}/{number}.{made}"
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            made += 1
            try:
                if hard:
                    os.write(handle, content)
            finally:
                os.close(handle)
    except OSError as error:
        if error.errno not in FULL:
            raise
        full = errno.errorcode[error.errno]
    took = time.monotonic() - start
    for file in range(made):
        os.unlink(f"{own}/{number}.{file}")
    return made, took, full
