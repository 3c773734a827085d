"""What is made once for all tests, also where several workers run them."""

import fcntl
import tempfile
from pathlib import Path


def shared_directory(config, tmp_path_factory):
    """The scratch directory of this run of the tests; workers have theirs in it."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if hasattr(config, "workerinput") else base


def once(directory, name, make):
    """The path `name` in the directory: made by make(scratch directory), which returns where it is,
    by the first that asks, while others wait.
    """
    mark = directory / f"{name}.made"
    with open(directory / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not mark.exists():
            made = make(Path(tempfile.mkdtemp(prefix=f"{name}-", dir=directory)))
            mark.write_text(str(made))
    return Path(mark.read_text())
