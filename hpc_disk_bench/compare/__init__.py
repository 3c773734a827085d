"""compare_results.py and check_regressions.py: groups of runs against each other.

select       which runs are meant: a table or a part of a results tree, and conditions
counting     which of them count
results      compare_results.py: two groups
regressions  check_regressions.py: the latest runs of each node and storage against earlier ones
print        tables on a terminal and in a log
"""
