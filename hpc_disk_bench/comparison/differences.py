"""What else differs between two groups of runs: a change of numbers may have a plain cause."""

from __future__ import annotations

from typing import NamedTuple


class Field(NamedTuple):
    title: str
    column: str  # of the table
    kind: str


ENGINE, CONFIGURATION, STORAGE, NODE, WHERE = (
    "engine",
    "configuration",
    "storage",
    "node",
    "where",
)
FIELDS = (
    Field("engine", "engine", ENGINE),
    Field("engine version", "engine_version", ENGINE),
    Field("configuration", "config_file", CONFIGURATION),
    Field("its SHA-256", "config_sha256", CONFIGURATION),
    Field("ranks", "num_procs", CONFIGURATION),
    Field("client nodes", "node_count", CONFIGURATION),
    Field("ranks per node", "ppn", CONFIGURATION),
    Field("file system", "storage_filesystem", STORAGE),
    Field("source", "storage_source", STORAGE),
    Field("mount options", "storage_options", STORAGE),
    Field("device model", "storage_device_model", STORAGE),
    Field("kernel", "kernel", NODE),
    Field("operating system", "os", NODE),
    Field("CPU", "cpu_model", NODE),
    Field("logical CPUs", "cpu_count", NODE),
    Field("memory, GiB", "memory_gb", NODE),
    Field("network link", "network_speed", NODE),
    Field("cluster", "cluster_name", WHERE),
    Field("node", "node_name", WHERE),
    Field("storage type", "storage_type", WHERE),
    Field("volume", "storage_volume", WHERE),
    Field("device", "device_type", WHERE),
)


class Difference(NamedTuple):
    """A field whose values are not the same in both groups: {value as text: number of runs}."""

    field: Field
    a: dict[str, int]
    b: dict[str, int]


def differences(a, b, fields=FIELDS):
    """The Differences between the runs `a` and `b`, mappings from the table's columns; in order of
    `fields`. Runs that are mixed in the same way on both sides do not differ."""
    found = []
    for field in fields:
        left, right = _values(a, field.column), _values(b, field.column)
        if set(left) != set(right):
            found.append(Difference(field, left, right))
    return found


def _values(runs, column):
    counted = {}
    for run in runs:
        value = shown(run.get(column))
        counted[value] = counted.get(value, 0) + 1
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def shown(value):
    """A value as text; empty where it is not known."""
    if value is None or value != value:
        return ""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)
