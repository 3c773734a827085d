#!/usr/bin/env python3
"""A results tree to one table. Usage: ./aggregate_results.py --help"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

from hpc_disk_bench import environment

environment.use(*(["parquet"] if "--parquet" in sys.argv[1:] else []))

from hpc_disk_bench import errors, table  # noqa: E402

if __name__ == "__main__":
    sys.exit(errors.run(table.main))
