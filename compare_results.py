#!/usr/bin/env python3
"""Two groups of runs compared. Usage: ./compare_results.py --help"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

from hpc_disk_bench import environment

environment.use("report")

from hpc_disk_bench import errors  # noqa: E402
from hpc_disk_bench.compare.results import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(errors.run(main))
