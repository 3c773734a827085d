"""What a node does while a benchmark runs on it: one row a second and node in telemetry.csv.

columns     the columns, the one place that names them
sources     one file each: system, disk, network, nfs, lustre, ranks
sampler     the process that asks the sources each second and writes the rows
remote      the same on the other nodes of a job, their rows sent here
clock       how far the clocks of those nodes are from this one's
phases      which phase the benchmark is in, seen from outside
recorder    starts and ends the sampler for a run
prometheus  the last row for node_exporter's textfile collector
export      a finished run as OpenMetrics or line protocol
"""
