"""hpc-disk-bench: IO500 on every node and storage, from one command to one report.

The modules that run on a benchmarked node (everything but `table*`, `report` and `render`) import the
standard library only and run on Python 3.9; the others start at the table and need Python 3.11.
"""

__version__ = "0.1.0"
