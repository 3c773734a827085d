"""Reads text that a benchmark left, whoever put something else in its place since."""

import os
import re
import stat

from hpc_disk_bench.errors import UNPARSED, UserError

_ZEROS = re.compile(rb"^\0+", re.MULTILINE)


def without_zeros(content):
    """The bytes of a text without those zero bytes that begin a line.

    Open MPI ends its words with one, on the line that whoever comes next goes on with.
    """
    return _ZEROS.sub(b"", content)


def read_text(path, largest, most_lines):
    """The text of a file, or None where there is none. UTF-8; what is not is replaced.

    Without the zero bytes of a launcher (without_zeros).

    UserError (exit code 5) where it cannot be read, is no regular file, or has more bytes or lines.
    """
    try:
        # Not waiting: a pipe that somebody left here would hold up everything for ever.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}", UNPARSED) from error
    except ValueError as error:  # a name that no file can have
        raise UserError(f"{path}: cannot be read: {error}", UNPARSED) from error
    try:
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise UserError(f"{path}: not a regular file", UNPARSED)
            content = b"" if status.st_size > largest else file.read(largest + 1)
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}", UNPARSED) from error
    size, lines = max(status.st_size, len(content)), content.count(b"\n") + content.count(b"\r")
    for number, most, what in ((size, largest, "bytes"), (lines, most_lines, "lines")):
        if number > most:
            problem = f"{number} {what} are too many for a result file of the benchmark"
            raise UserError(f"{path}: {problem}", UNPARSED)
    return without_zeros(content).decode("utf-8-sig", "replace")
