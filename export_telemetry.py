#!/usr/bin/env python3
"""A run's telemetry for other tools; needs nothing but Python. See --help."""

import sys

from hpc_disk_bench.errors import run
from hpc_disk_bench.telemetry.export import main

if __name__ == "__main__":
    sys.exit(run(main))
