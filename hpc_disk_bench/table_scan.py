"""Finds the runs in a results tree. Reads directories only; never stops at a strange one."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

RUN_METADATA = "run_metadata.json"
NODE_METADATA = "node_metadata.json"
RESULTS = "results.json"
STATUS = "status.json"
SUMMARY = "result_summary.txt"
# Stands in a directory of benchmark data, which may hold millions of files and holds no results.
DATA_MARKER = ".hpc-disk-bench.json"


@dataclass(slots=True)
class Found:
    """A directory that holds a run, or what looks like one."""

    path: str
    relative: str  # below the results root, with /
    depth: int
    name: str  # of the run's directory; of a copy inside a run's directory, that of the outer one
    has_metadata: bool
    results: str | None = None  # the deepest results.json of this run
    results_at: str = ""  # the same, below the results root
    results_depth: int = -1
    status: str | None = None
    node_metadata: str | None = None
    node_at: str = ""  # the node's directory below the results root


@dataclass(slots=True)
class Scan:
    runs: list[Found] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)  # (place below the root, why)
    apple_doubles: int = 0


@dataclass(slots=True)
class _Place:
    path: str
    relative: str
    depth: int
    node_metadata: str | None = None
    node_at: str = ""
    run: Found | None = None  # the run whose directory this place is in


@dataclass(slots=True)
class _Listing:
    files: set[str] = field(default_factory=set)
    directories: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)


def scan(root):
    """All runs below `root`, sorted by place, and what was skipped and why."""
    found = Scan()
    roots = [os.path.realpath(root)]
    links = []
    _walk(_Place(os.fspath(root), "", 0), found, links)
    while links:
        place = links.pop(0)
        target = os.path.realpath(place.path)
        if not os.path.isdir(target):
            found.skipped.append((place.relative, "symbolic link that leads to no directory"))
        elif any(_within(target, known) for known in roots):
            found.skipped.append((place.relative, "symbolic link to a place that is read anyway"))
        elif any(_within(known, target) for known in roots):
            found.skipped.append((place.relative, "symbolic link to a directory above it (a loop)"))
        else:
            roots.append(target)
            _walk(place, found, links)
    found.runs.sort(key=lambda run: run.relative)
    found.skipped.sort()
    return found


def _walk(start, found, links):
    stack = [start]
    while stack:
        place = stack.pop()
        try:
            listing = _list(place.path, found)
        except OSError as error:
            found.skipped.append((place.relative or ".", f"cannot be read: {error.strerror}"))
            continue
        if DATA_MARKER in listing.files:
            continue
        _look(place, listing, found)
        if not place.run:
            for name in listing.links:
                links.append(_below(place, name))
        # The stack is last in, first out: reversed, so that places are visited in order of name.
        stack.extend(_below(place, name) for name in reversed(listing.directories))


def _list(path, found):
    listing = _Listing()
    with os.scandir(path) as entries:
        for entry in entries:
            name = entry.name
            if name.startswith("._"):
                found.apple_doubles += 1
            elif entry.is_dir(follow_symlinks=False):
                if not name.startswith("."):
                    listing.directories.append(name)
            elif entry.is_symlink() and not os.path.isfile(entry.path):
                listing.links.append(name)
            elif entry.is_symlink() or entry.is_file():
                # Only regular files: opening a pipe that somebody left here would wait for ever.
                listing.files.add(name)
    listing.directories.sort()
    listing.links.sort()
    return listing


def _look(place, listing, found):
    """Note what the files of one directory are: a run, a deeper copy of one, a node, or nothing."""
    files = listing.files
    if NODE_METADATA in files and not place.run:
        place.node_metadata = os.path.join(place.path, NODE_METADATA)
        place.node_at = place.relative or "."
    starts_run = RUN_METADATA in files or (not place.run and (RESULTS in files or SUMMARY in files))
    if starts_run:
        outer = place.run.name if place.run else os.path.basename(os.path.abspath(place.path))
        place.run = Found(place.path, place.relative, place.depth, outer, RUN_METADATA in files)
        place.run.node_metadata, place.run.node_at = place.node_metadata, place.node_at
        found.runs.append(place.run)
    if place.run:
        _add_files(place.run, place, files, found)
    elif not listing.directories and not listing.links and NODE_METADATA not in files:
        why = f"no {RUN_METADATA} in it" if files else "empty directory"
        if place.relative:
            found.skipped.append((place.relative, why))


def _add_files(run, place, files, found):
    if STATUS in files and place.path == run.path:
        run.status = os.path.join(place.path, STATUS)
    if RESULTS not in files:
        return
    kept, other = f"{place.relative}/{RESULTS}", run.results_at
    if place.depth < run.results_depth:
        kept, other = other, kept
    else:
        run.results, run.results_depth = os.path.join(place.path, RESULTS), place.depth
        run.results_at = kept
    if other:
        found.skipped.append((other, f"{kept} is the deepest copy, which counts"))


def _below(place, name):
    relative = f"{place.relative}/{name}" if place.relative else name
    path = os.path.join(place.path, name)
    return _Place(path, relative, place.depth + 1, place.node_metadata, place.node_at, place.run)


def _within(path, directory):
    return path == directory or path.startswith(directory.rstrip("/") + "/")
