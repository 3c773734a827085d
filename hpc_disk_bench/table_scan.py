"""The runs of a results tree as the table needs them: which files of each count, and its node's."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from hpc_disk_bench.node import METADATA as NODE_METADATA
from hpc_disk_bench.tree import METADATA as RUN_METADATA
from hpc_disk_bench.tree import RESULTS, STATUS, find_runs


@dataclass(slots=True)
class Found:
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


@dataclass(slots=True)
class Scan:
    runs: list[Found] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)  # (place, why)


def scan(root):
    """All runs below `root`, sorted by path, and what was passed over."""
    root = os.fspath(root).rstrip("/") or "/"
    start = os.path.join(root, "")

    def place(path):
        return path.removeprefix(start) if path != root else "."

    found, nodes, outer = Scan(), _Nodes(root), None
    runs = find_runs(root, lambda path, why: found.skipped.append((place(path), why)))
    for run in runs:
        path = run.directory
        if outer is None or not path.startswith(outer + "/"):
            outer = path
        node = nodes.above(path)
        found.runs.append(
            Found(
                path,
                place(path),
                os.path.basename(os.path.abspath(outer)),
                RUN_METADATA in run.names,
                _deepest_results(run),
                os.path.join(path, STATUS) if STATUS in run.names else None,
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
    return os.path.join(run.directory, RESULTS) if RESULTS in run.names else None


class _Nodes:
    """Finds the directory with node_metadata.json above a run, each directory looked into once."""

    def __init__(self, root):
        self._known = {os.path.dirname(root): None}

    def above(self, path):
        if path not in self._known:
            here = os.path.isfile(os.path.join(path, NODE_METADATA))
            self._known[path] = path if here else self.above(os.path.dirname(path))
        return self._known[path]
