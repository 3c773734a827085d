"""Command-line options: a mistake is one line on stderr and exit code 2, as everywhere here."""

from __future__ import annotations

import argparse

from hpc_disk_bench.errors import UserError


class Parser(argparse.ArgumentParser):
    """argparse without abbreviations, with the epilog as it is written."""

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
