"""The last row of each node for Prometheus' node_exporter (its textfile collector).

The file is this run's alone, replaced in one step, and removed when the run has ended: what stays
would be reported as if it were still so.
"""

import contextlib
import os
import sys

from hpc_disk_bench.files import beside, read_json
from hpc_disk_bench.telemetry.columns import COLUMNS, TEXTS
from hpc_disk_bench.tree import METADATA

PREFIX = "hpc_disk_bench_"
LABELS = ("cluster", "storage", "volume", "device", "run")
# A label of the figures it must not be: each phase would be a series of its own, which Prometheus
# takes to go on for minutes after its last point.
PHASE = PREFIX + "phase"
PHASE_HELP = f"# HELP {PHASE} 1 while the benchmark is in the phase of the label"
# The time is the scrape's own.
MEASURED = [column for column in COLUMNS if column.name not in TEXTS | {"time_epoch"}]


class TextFile:
    """with TextFile.for_run(directory, run) as file: file.write(node, row). Without a directory
    nothing is written."""

    def __init__(self, path, labels):
        self._path, self._labels = path, labels
        self._rows = {}
        self._refused = False

    @classmethod
    def for_run(cls, directory, run):
        labels = labels_of(run)
        name = "-".join(labels[key] for key in LABELS if labels[key])
        path = os.path.join(directory, f"{PREFIX}{name}.prom") if directory else None
        return cls(path, labels)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._path and self._rows:
            with contextlib.suppress(OSError):
                os.unlink(self._path)

    def write(self, node, row):
        if not self._path:
            return
        self._rows[node] = row
        try:
            with beside(self._path, durable=False) as file:
                file.write(exposition(self._rows, self._labels).encode())
        except OSError as error:
            if not self._refused:  # the run takes it among its warnings
                print(refused(os.path.dirname(self._path), error), file=sys.stderr, flush=True)
            self._refused = True


def refused(directory, error):
    """What a run says of a directory that TELEMETRY_TEXTFILE_DIR names, where it is of no use."""
    problem = f"{directory} cannot be written to: {error.strerror}"
    return f"TELEMETRY_TEXTFILE_DIR: {problem}: Prometheus does not see this run"


def exposition(rows, labels):
    """The rows of several nodes in Prometheus' text format."""
    lines = []
    for column in MEASURED:
        name = PREFIX + column.name
        found = [
            f"{name}{{{series(labels, row)}}} {row[column.name]:.10g}"
            for row in rows.values()
            if row.get(column.name) is not None
        ]
        if found:
            lines += [f"# HELP {name} {column.meaning} ({column.unit})", f"# TYPE {name} gauge"]
            lines += found
    phases = [row for row in rows.values() if row.get("phase")]
    if phases:
        lines += [PHASE_HELP, f"# TYPE {PHASE} gauge"]
        lines += [f"{PHASE}{{{series(labels, row, row['phase'])}}} 1" for row in phases]
    return "\n".join(lines) + "\n" if lines else ""


def labels_of(run):
    """What a run is known by, from its run_metadata.json."""
    about = read_json(os.path.join(run, METADATA))
    return {
        "cluster": about.get("cluster_name", ""),
        "storage": about.get("storage_type", ""),
        "volume": about.get("storage_volume", ""),
        "device": about.get("device_type", ""),
        "run": about.get("timestamp", ""),
    }


def series(labels, row, phase=None):
    """The labels of a node's series, as they stand between the braces."""
    of_row = {**labels, "node": row.get("node", ""), "phase": phase}
    return ",".join(f'{key}="{escape(value)}"' for key, value in of_row.items() if value)


def escape(value):
    """A label's value as the text format wants it."""
    return str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
