"""A run's own directory in the results tree, and the run_metadata.json in it."""

import contextlib
import math
import time
from pathlib import Path

from hpc_disk_bench import hosts
from hpc_disk_bench.errors import REFUSED, UserError
from hpc_disk_bench.files import write_json
from hpc_disk_bench.tree import METADATA
from hpc_disk_bench.versions import KEY, WRITTEN


def directory_above(target):
    """<results>/<cluster>/<node>/<storage>[/<volume>]/<device>, where a target's runs are."""
    levels = (target.cluster, target.node, target.storage, target.volume, target.device)
    return Path(target.results, *filter(None, levels))


def make_run_directory(above):
    """Make <above>/<YYYY.MM.DD-HH.MM.SS>/ and return it.

    The directory is this run's alone: where another run took the second, the next one is waited
    for. UserError (exit code 3) where it cannot be made.
    """
    try:
        above.mkdir(parents=True, exist_ok=True)
        while True:
            now = time.time()
            directory = above / time.strftime("%Y.%m.%d-%H.%M.%S", time.localtime(now))
            with contextlib.suppress(FileExistsError):
                directory.mkdir()
                return directory
            time.sleep(math.floor(now) + 1 - now)
    except OSError as error:
        raise UserError(f"{above}: cannot be made: {error.strerror}", REFUSED) from error


class RunMetadata:
    """run_metadata.json: written before the launch, completed after it."""

    def __init__(self, directory, target, template, engine, survey):
        """target: the run's options as the wrapper passed them; engine: (kind, version, path);
        survey: what the checks before the launch found."""
        self._path = Path(directory, METADATA)
        kind, version, binary = engine
        nodes = survey.nodes
        self.content = {
            "cluster_name": target.cluster,
            "node_name": target.node,
            "storage_type": target.storage,
            "storage_volume": target.volume,
            "device_type": target.device,
            "timestamp": self._path.parent.name,
            "num_procs": target.ranks,
            "test_dir": target.test_dir,
            KEY: WRITTEN[METADATA],
            "engine": kind,
            "engine_version": version,
            "engine_path": binary,
            "config_file": target.config_name,
            "config_sha256": template.sha256,
            "nodes": list(nodes) if nodes else None,
            "node_count": len(nodes) if nodes else None,
            "ppn": max(nodes.values()) if nodes else None,
            "job_id": hosts.job_id(),
            "start_epoch": None,
            "end_epoch": None,
            "utc_offset_seconds": time.localtime().tm_gmtoff,
            "storage": survey.facts,
            "warnings": survey.warnings,
            "checks": [finding.as_json() for finding in survey.findings],
            "expected": survey.expected,
        }

    def write(self, **changes):
        """Write the file, with changes to its content."""
        self.content.update(changes)
        write_json(self._path, self.content)

    def add_warnings(self, sentences):
        """What came to light while the benchmark ran, and was not foreseen by the checks; written
        with the next write()."""
        self.content["warnings"] = list(dict.fromkeys([*self.content["warnings"], *sentences]))
