"""Whether a run's own files can be written, before anything is measured."""

import os

from hpc_disk_bench import node
from hpc_disk_bench.checks.finding import impossible
from hpc_disk_bench.files import try_to_write
from hpc_disk_bench.run_directory import directory_above


def require_results(target):
    """UserError (exit code 3) where the results tree would refuse the run. Nothing is made."""
    needed = [directory_above(target)]
    metadata = node.metadata_path(target.results, target.cluster, target.node)
    if not os.path.exists(metadata):
        needed.append(metadata.parent)
    for directory in needed:
        # What is missing is made later, below the deepest directory that is there.
        there = next(path for path in (directory, *directory.parents) if os.path.lexists(path))
        try:
            try_to_write(there)
        except OSError as error:
            problem = f"results in {target.results}: {there} cannot be written to"
            remedy = "set IO500_RESULTS_DIR to another place"
            raise impossible("HDB027", f"{problem}: {error.strerror}: {remedy}") from error
