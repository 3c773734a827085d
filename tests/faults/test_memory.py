"""A job's memory limit: the kernel kills a rank, and the run says why."""

import os
from pathlib import Path

import pytest

V1, V2 = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")
LIMIT = 192 * 2**20  # bytes: plenty for the wrapper, too little for the buffers of a rank


@pytest.fixture
def memory_limit(real_parts):
    """A control group whose processes together get LIMIT of memory; the file that takes them."""
    real_parts.root()
    if (V1 / "memory.limit_in_bytes").exists():
        group, setting = V1 / f"hpc-disk-bench-{os.getpid()}", "memory.limit_in_bytes"
    elif "memory" in _read(V2 / "cgroup.subtree_control"):
        group, setting = V2 / f"hpc-disk-bench-{os.getpid()}", "memory.max"
    else:
        real_parts.lack("no cgroup with a memory controller can be made here")
    group.mkdir()
    (group / setting).write_text(str(LIMIT))
    yield group / "cgroup.procs"
    group.rmdir()


def _read(path):
    return path.read_text() if path.exists() else ""


def test_a_rank_that_the_kernel_kills_for_its_memory_is_out_of_memory(faults, memory_limit):
    text = Path(faults.environ["CONFIG_FILE"]).read_text()
    path = faults.directory / "config-greedy.ini"
    greedy = text.replace("transferSize = 1m", "transferSize = 512m")
    path.write_text(greedy.replace("blockSize = 16m", "blockSize = 512m"))
    faults.environ["CONFIG_FILE"] = str(path)
    enter = 'echo $$ >"$1" && shift && exec "$@"'
    command = ["bash", "-c", enter, "-", memory_limit, *faults.arguments("--force")]
    faults.failed_with("HDB022", faults.start(command=command), "memory")
    assert faults.nothing_is_left()
