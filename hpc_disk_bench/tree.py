"""Which runs a results tree holds. One walk that copes with what real trees collect over the years.

Result files may lie deeper than the run directory (upstream's timestamp-resultdir); directories may
be unreadable, half-written, reached twice or in a loop by symbolic links; names may hold anything.
"""

import os
from typing import NamedTuple, Optional

METADATA, RESULTS, STATUS = "run_metadata.json", "results.json", "status.json"
RESULT_FILES = ("result_summary.txt", "result.txt")
# Outputs of ior, mdtest ... that a user put into the tree (tools/tree.py): no run of IO500.
TOOL_METADATA, TOOL_RESULTS = "tool_metadata.json", "tool_results.json"
KNOWN = frozenset((METADATA, RESULTS, STATUS, *RESULT_FILES, TOOL_METADATA))
# Lies in a directory of benchmark data, with millions of files and no results among them.
DATA_MARKER = ".hpc-disk-bench.json"
# How far below its run directory the benchmark's files may lie and still belong to it.
DEEPEST = 3
# Why something is left out without a loss: nobody has to mend that.
LINK_ABOVE, SAME = "a link to a directory above the results", "the same directory as "
NO_RUN, DATA, APPLE_DOUBLE = "no run in it", "the data of a benchmark run", "an AppleDouble file"
NO_LOSS = (LINK_ABOVE, SAME, NO_RUN, DATA, APPLE_DOUBLE)


class Run(NamedTuple):
    """One run of a results tree."""

    directory: str  # holds run_metadata.json and results.json, as far as they are there
    files: Optional[
        str
    ]  # holds result_summary.txt or result.txt; None where neither is to be found
    names: frozenset  # those of KNOWN that lie in `directory` itself

    @property
    def of_tools(self):
        """Whether it holds the outputs of tools, and no run of IO500."""
        return self.names == {TOOL_METADATA}


def find_runs(
    root, on_skip=lambda path, reason: None, on_directory=lambda path, status, files: None
):
    """The runs below root, sorted by path. on_skip(path, reason) hears of what was left out,
    on_directory(path, status, files) of every directory: its os.stat from before it was read (or
    None) and the names of what is no directory in it.

    A directory is a run when it holds one of the KNOWN files. Of several copies of the benchmark's
    files below one run, the deepest counts, and of those the last by name.
    """
    runs, copies, seen = {}, {}, {}
    todo, links = [(os.fspath(root), None, 0)], []
    while todo or links:
        # Links last, so that a directory that is reached twice is known by its own path.
        linking = not todo
        path, owner, depth = links.pop(0) if linking else todo.pop()
        if linking and _holds(path, root):
            on_skip(path, LINK_ABOVE)
            continue
        listed = _list(path, seen, on_skip, on_directory)
        if listed is None:
            continue
        names, directories, linked = listed
        if owner is None and not (names or directories or linked):
            on_skip(path, NO_RUN)
        if METADATA in names or (names and (owner is None or depth > DEEPEST)):
            owner, depth = path, 0
            runs[path] = names
        if names.intersection(RESULT_FILES):
            copies.setdefault(owner, []).append((depth, path))
        todo += [(below, owner, depth + 1) for below in directories]
        links += [(below, owner, depth + 1) for below in linked]
    return [
        Run(path, max(copies[path])[1] if path in copies else None, runs[path])
        for path in sorted(runs)
    ]


def _list(path, seen, on_skip, on_directory):
    """(names of KNOWN files, directories, links to directories) in path, or None: skipped."""
    status, files = None, []
    try:
        status = os.stat(path)
        identity = (status.st_dev, status.st_ino)
        if seen.setdefault(identity, path) is not path:
            on_skip(path, f"{SAME}{seen[identity]}")
            return None
        return listing(path, on_skip, files)
    except OSError as error:
        on_skip(path, error.strerror)
        return None
    finally:
        on_directory(path, status, files)


def listing(path, on_skip=lambda path, reason: None, files=None):
    """What _list gives of one directory, whether or not it was seen before. Raises OSError.

    files: takes the names of what is no directory.
    """
    names, directories, links = [], [], []
    files = [] if files is None else files
    with os.scandir(path) as entries:
        for entry in entries:
            name = entry.name
            if name == DATA_MARKER:
                on_skip(path, DATA)
                return None
            if name[0] == ".":
                if name.startswith("._") and name[2:] in KNOWN:
                    on_skip(entry.path, APPLE_DOUBLE)
                continue
            try:
                if entry.is_dir():
                    (links if entry.is_symlink() else directories).append(entry.path)
                    continue
                files.append(name)
                if name in KNOWN:
                    if entry.is_file():
                        names.append(name)
                    else:
                        # Reading a pipe that somebody left here would wait for ever.
                        on_skip(entry.path, "not a regular file")
            except OSError as error:  # a link that leads in a circle, a mount that is gone
                on_skip(entry.path, error.strerror)
    return frozenset(names), sorted(directories), sorted(links)


def _holds(path, root):
    """Whether the link `path` leads above `root`, where following it would walk everything."""
    above = os.path.join(os.path.realpath(path), "")
    return os.path.realpath(root).startswith(above)
