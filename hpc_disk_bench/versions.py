"""Which version of each JSON file is written, and the rule by which others are read.

A key may be added at any time. The number is raised when a key goes, or comes to mean something
else. An older file is read: what it lacks is unknown. A newer one is refused, for what is known of
it may mean something else by now. results.json has no number: its shape is fixed.
"""

import os

from hpc_disk_bench.errors import UserError

KEY = "schema_version"
WRITTEN = {
    "run_metadata.json": 1,
    "node_metadata.json": 1,
    "status.json": 1,
    ".parsed.json": 1,
    ".hpc-disk-bench.json": 1,
    "submitted.json": 1,
    "tool_metadata.json": 1,
    "tool_results.json": 1,
}


def require_readable(path, content):
    """UserError where `content`, the JSON object of `path`, is of a version that came later.

    Files from before there were versions have no number, which is as good as 0.
    """
    version, written = content.get(KEY), WRITTEN.get(os.path.basename(path))
    if version is None or written is None:
        return
    if isinstance(version, bool) or not isinstance(version, int) or version < 0:
        raise UserError(f"{path}: {KEY} is {str(version)[:40]!r}, a whole number is needed")
    if version > written:
        raise UserError(
            f"{path}: of version {version}, this hpc-disk-bench knows up to {written}: update it"
        )
