"""The page's section on the course of each phase, from the records of the runs in the table.

bins      series with fewer points that hide nothing: median, lowest, highest
latencies percentiles and histogram of each kind of operation
record    one run's record as the page's script needs it
section   which runs are offered, and the markup; assets/inside.js draws it
"""
