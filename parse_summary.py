#!/usr/bin/env python3
"""Parses one result_summary.txt of IO500 to JSON; needs nothing but Python. See --help."""

import sys

# In the words of every Python there is, so that an old one says what it lacks.
if sys.version_info < (3, 9):  # noqa: UP036
    version = ".".join(str(part) for part in sys.version_info[:2])
    sys.stderr.write("parse_summary.py: needs Python 3.9 or newer, this is " + version + "\n")
    sys.exit(2)

from hpc_disk_bench.errors import run
from hpc_disk_bench.parse import main

if __name__ == "__main__":
    sys.exit(run(main))
