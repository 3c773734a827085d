"""Outputs of tools in a results tree: copies of them, what they are of, and what was parsed.

    <root>/<cluster>/<node>/<storage>[/<volume>]/<device>/<YYYY.MM.DD-HH.MM.SS>/
        ior.out               as the user gave it
        tool_metadata.json    who, where, when, and the checksums of the outputs
        tool_results.json     parsed

No run of IO500 is in such a directory, and none is touched by it.
"""

import contextlib
import datetime
import hashlib
import os
import shutil
from pathlib import Path
from typing import NamedTuple

from hpc_disk_bench.errors import REFUSED, UNPARSED, UserError
from hpc_disk_bench.files import json_text, read_json, write_bytes, write_json
from hpc_disk_bench.names import require_name
from hpc_disk_bench.tools.model import ToolRun
from hpc_disk_bench.tools.read import Unread, read_all
from hpc_disk_bench.tree import KNOWN, TOOL_METADATA, TOOL_RESULTS
from hpc_disk_bench.versions import KEY, WRITTEN

LEVELS = {  # in the order of a path, and what a user calls them
    "cluster_name": "cluster",
    "node_name": "node",
    "storage_type": "storage",
    "storage_volume": "volume",
    "device_type": "device",
}
_TAKEN = {*KNOWN, TOOL_RESULTS}
STAMP = "%Y.%m.%d-%H.%M.%S"


class Output(NamedTuple):
    """One file that a tool wrote, and what was read from it."""

    name: str
    runs: tuple[ToolRun, ...]
    unread: tuple[Unread, ...] = ()  # what else is in it, without a figure


def as_json(outputs):
    """The object that tool_results.json holds."""
    runs = [run.as_json(output.name) for output in outputs for run in output.runs]
    return {KEY: WRITTEN[TOOL_RESULTS], "runs": runs}


def by_operation(content):
    """The same figures under names that tell what they are of, so that two can be compared."""
    found = {}
    for run in filter(_is_object, _list(content.get("runs"))):
        test = f" test {run['test']}" if run.get("test") else ""
        call = f"{run.get('file')} {run.get('tool')}{test}"
        found[call] = {key: value for key, value in run.items() if key != "operations"}
        for one in filter(_is_object, _list(run.get("operations"))):
            found[f"{call} {one.get('operation')} {one.get('metric')}"] = one
    return found


def _is_object(value):
    return isinstance(value, dict)


def _list(value):
    return value if isinstance(value, list) else []


def read_outputs(paths):
    """The Outputs of files. UserError (exit code 5) where one is not the output of a tool."""
    found = []
    for path in paths:
        reading = read_all(path)
        if reading is None:
            problem = "no such file"
            if os.path.lexists(path):
                problem = "no output of ior, mdtest, stream, pfind or md-workbench"
            raise UserError(f"{path}: {problem}", UNPARSED)
        found.append(Output(os.path.basename(path), tuple(reading.runs), tuple(reading.unread)))
    return found


def parse_again(directory):
    """The Outputs of a directory that `keep` made. UserError where one is lost or unreadable."""
    metadata = read_json(Path(directory, TOOL_METADATA))
    files = metadata.get("files")
    names = list(files) if isinstance(files, dict) else []
    if not names or any(os.path.basename(name) != name for name in names):
        raise UserError(f"{Path(directory, TOOL_METADATA)}: names no files", UNPARSED)
    return read_outputs([Path(directory, name) for name in names])


def keep(paths, where, root):
    """Copy outputs into a directory of their own below `root`; returns (directory, Outputs).

    where: cluster, node, storage, device and volume ("" for none). The directory is there as a
    whole or not at all. UserError where a name is none, an output is none, is kept already, or
    nothing can be written.
    """
    cluster, node, storage, device, volume = where
    named = dict(zip(LEVELS, (cluster, node, storage, volume, device)))
    for level, name in named.items():
        if name or level != "storage_volume":
            require_name(LEVELS[level], name)
    outputs = _with_free_names(read_outputs(paths))
    contents = {output.name: Path(path).read_bytes() for path, output in zip(paths, outputs)}
    files = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    above = Path(root, *filter(None, named.values()))
    _require_new(above, files)
    started = _started(paths, outputs)
    try:
        above.mkdir(parents=True, exist_ok=True)
        directory = _reserve(above, started)
        metadata = {**named, "timestamp": directory.name, KEY: WRITTEN[TOOL_METADATA]}
        _fill(directory, contents, {**metadata, "files": files}, as_json(outputs))
    except OSError as error:
        raise UserError(f"{above}: cannot be written: {error.strerror}", REFUSED) from error
    return directory, outputs


def store(directory, outputs):
    """Write tool_results.json where it is not the same; UserError (exit code 5) where it cannot."""
    path, content = Path(directory, TOOL_RESULTS), as_json(outputs)
    try:
        if not path.is_file() or path.read_bytes() != json_text(content).encode():
            write_json(path, content)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}", UNPARSED) from error


def _with_free_names(outputs):
    """Outputs under the names of their copies: none twice, none that means something in a tree."""
    found = {}
    for output in outputs:
        name, number = output.name, 2
        if name in _TAKEN or name.startswith("."):
            name = f"output-{name}"
        free = name
        while free in found:
            free, number = f"{number}-{name}", number + 1
        found[free] = output._replace(name=free)
    return list(found.values())


def _require_new(above, files):
    """UserError where one of the files is kept there already: it would count twice."""
    directories = sorted(above.iterdir()) if above.is_dir() else []
    for directory in directories:
        try:
            known = read_json(directory / TOOL_METADATA).get("files")
        except UserError:
            continue
        for name, checksum in files.items():
            if isinstance(known, dict) and checksum in known.values():
                raise UserError(f"{name}: kept already in {directory}")


def _started(paths, outputs):
    """When the first of the runs started; where none says so, when its file was last written."""
    told = [run.started for output in outputs for run in output.runs if run.started]
    for text in sorted(told):
        with contextlib.suppress(ValueError):  # a 31st of February
            return datetime.datetime.fromisoformat(text)
    return datetime.datetime.fromtimestamp(min(os.stat(path).st_mtime for path in paths))


def _reserve(above, started):
    """Make a directory that nobody else has, a second later where one is there."""
    while True:
        directory = above / started.strftime(STAMP)
        with contextlib.suppress(FileExistsError):
            directory.mkdir()
            return directory
        started += datetime.timedelta(seconds=1)


def _fill(directory, contents, metadata, results):
    """Put everything into our new directory; on failure the directory goes again."""
    try:
        for name, content in contents.items():
            write_bytes(directory / name, content)
        write_json(directory / TOOL_RESULTS, results)
        # Last: without it the directory counts for nothing.
        write_json(directory / TOOL_METADATA, metadata)
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise
