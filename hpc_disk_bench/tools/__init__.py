"""What ior, mdtest, pfind, md-workbench and stream print, read into one shape.

    runs = tools.read("ior.out")          # [ToolRun], or None where the file is not one of theirs
    runs[0].operations[0].mean, runs[0].state

A module reads one format; none of them judges the storage. Needs nothing but Python.
"""

from hpc_disk_bench.tools.read import read, read_all, spoken
from hpc_disk_bench.tools.tree import Output, as_json, by_operation, keep, parse_again, store

__all__ = ["Output", "as_json", "by_operation", "keep", "parse_again", "read", "read_all"]
__all__ += ["spoken", "store"]
