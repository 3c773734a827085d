"""hpc-disk-bench: IO500 on every node and storage, from one command to one report.

What runs on a benchmarked node (all but `table*`, `report` and `render`) imports the standard
library only and runs on Python 3.9; the others start at the table and need Python 3.11.
"""

__version__ = "0.1.0"
