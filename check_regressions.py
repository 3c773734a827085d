#!/usr/bin/env python3
"""What has got slower? Usage: ./check_regressions.py --help"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

from hpc_disk_bench import environment

environment.use("report")

from hpc_disk_bench import errors  # noqa: E402
from hpc_disk_bench.compare.regressions import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(errors.run(main))
