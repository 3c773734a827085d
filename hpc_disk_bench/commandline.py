"""What the commands of table and report share: options, the file they write, what they say."""

from __future__ import annotations

import argparse
import os
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


def output_file(path):
    """The place to write `path` to, links followed, or UserError where that cannot come to an end.

    Files are written beside and renamed, which must not put one into the place of a device.
    """
    place = Path(os.path.realpath(path))
    if place.is_dir():
        raise UserError(f"{path}: is a directory: name the file to write")
    if place.exists() and not place.is_file():
        raise UserError(f"{path}: is no regular file: name another")
    if not place.parent.is_dir():
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
