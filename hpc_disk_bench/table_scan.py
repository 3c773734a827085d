"""The runs of a results tree as the table needs them: which files of each count, and its node's."""

from __future__ import annotations

import os
from typing import NamedTuple

from hpc_disk_bench.table_columns import NODE as NODE_METADATA
from hpc_disk_bench.tree import METADATA as RUN_METADATA
from hpc_disk_bench.tree import RESULTS, STATUS, find_runs


class Found(NamedTuple):
    """A directory that holds a run, or something of one."""

    path: str
    place: str  # the same below the results root, with /
    name: str  # of its directory; of a copy inside another run's directory, that of the outer one
    has_metadata: bool
    results: str | None
    status: str | None
    node: str | None  # the directory that holds node_metadata.json
    node_place: str

    @property
    def depth(self):
        return self.place.count("/")


class Scan(NamedTuple):
    runs: list[Found]
    skipped: list[tuple[str, str]]  # (place, why)
    tools: list[str]  # places of outputs of tools


def scan(root, on_directory=lambda path, status: None):
    """All runs below `root`, sorted by path, and what was passed over.

    on_directory(path, status) hears of every directory, with its os.stat from before it was read.
    """
    root = os.fspath(root).rstrip("/") or "/"
    start = os.path.join(root, "")

    def place(path):
        return path.removeprefix(start) if path != root else "."

    found, nodes, outer = Scan([], [], []), _Nodes(root), None

    def on_skip(path, why):
        found.skipped.append((place(path), why))

    def looked_into(path, status, files):
        on_directory(path, status)
        if NODE_METADATA in files:
            nodes.directories.add(path)

    runs = find_runs(root, on_skip, looked_into)
    for run in runs:
        path, names = run.directory, run.names
        if run.of_tools:
            found.tools.append(place(path))
            continue
        if outer is None or not path.startswith(outer + "/"):
            outer = path
        node = nodes.above(path)
        found.runs.append(
            Found(
                path,
                place(path),
                os.path.basename(os.path.abspath(root) if outer == root else outer),
                RUN_METADATA in names,
                _deepest_results(run),
                f"{path}/{STATUS}" if STATUS in names else None,
                node,
                place(node) if node else "",
            )
        )
    return found


def _deepest_results(run):
    """Of two copies the deeper counts: one beside the benchmark's files, else the run's own."""
    if run.files not in (None, run.directory):
        deeper = os.path.join(run.files, RESULTS)
        if os.path.isfile(deeper):
            return deeper
    return f"{run.directory}/{RESULTS}" if RESULTS in run.names else None


class _Nodes:
    """Finds the directory with node_metadata.json above a run, each directory looked into once."""

    def __init__(self, root):
        self._known = {os.path.dirname(root): None}
        self.directories = set()  # that have something of this name

    def above(self, path):
        if path not in self._known:
            file = f"{path}/{NODE_METADATA}"
            here = path in self.directories and os.path.isfile(file)
            self._known[path] = path if here else self.above(os.path.dirname(path))
        return self._known[path]
