"""What the commands share: options, the paths that are named to them, what they say."""

from __future__ import annotations

import argparse
import os
import shlex
import stat
import sys
from pathlib import Path

from hpc_disk_bench.errors import UserError


class Parser(argparse.ArgumentParser):
    """argparse without abbreviations, with the epilog as it is written; a mistake is one line."""

    def __init__(self, prog, description, epilog):
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message):
        raise UserError(f"{message} (--help explains)")


def mode_of(path):
    """The st_mode of what a user named, links followed, or None where there is nothing.

    UserError where the system does not let it be seen: "not there" would be the wrong word then.
    """
    try:
        return os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unseen(path, error) from error


def require_directory(
    path, missing="no such directory", other="is a file, a directory is needed", name=None
):
    """UserError where a directory that a user named is not there, is none or cannot be read.

    missing, other: what is said of the first two; name: how it is shown.
    """
    mode = mode_of(path)
    if mode is None or not stat.S_ISDIR(mode):
        raise UserError(f"{name or path}: {missing if mode is None else other}")
    try:
        os.scandir(path).close()
    except OSError as error:
        raise _unseen(path, error) from error


def _unseen(path, error):
    shows = f"namei -l {shlex.quote(os.fspath(path))} shows where"
    return UserError(f"{path}: cannot be read: {error.strerror} ({shows})")


def output_file(path):
    """The place to write `path` to, links followed, or UserError where that cannot come to an end.

    Files are written beside and renamed, which must not put one into the place of a device.
    """
    place = Path(os.path.realpath(path))
    mode = mode_of(place)
    if mode is not None and stat.S_ISDIR(mode):
        raise UserError(f"{path}: is a directory: name the file to write")
    if mode is not None and not stat.S_ISREG(mode):
        raise UserError(f"{path}: is no regular file: name another")
    if not stat.S_ISDIR(mode_of(place.parent) or 0):
        raise UserError(f"{path}: {place.parent} is no directory")
    if not os.access(place.parent, os.W_OK):
        raise UserError(f"{path}: {place.parent} cannot be written to")
    return place


def say(*lines, end="\n"):
    """Print lines to stdout at once. Where nobody listens any more (`| head`), work goes on."""
    try:
        print(*lines, sep="\n", end=end, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
