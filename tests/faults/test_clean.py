"""io500_wrapper.sh --clean on a storage that does not answer: it says so, and ends."""

import os
import signal
import subprocess

from tests.node.test_clean import forge
from tests.support.processes import processes_in


def start(faults, *flags):
    return subprocess.Popen(
        [faults.arguments()[0], "--clean", *flags, faults.test_dir],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**faults.environ, "STORAGE_TIMEOUT": "1"},
    )


def clean(started):
    """The exit code, and what it printed, also if a process that it left behind still runs."""
    out, err = started.communicate(timeout=60)
    return started.returncode, out, err


def test_a_mount_whose_server_is_gone_is_named_with_a_remedy(faults, faulty):
    faults.test_dir = faulty()
    forge(faults.test_dir / "io500.00000001")
    (server,) = processes_in(faults.test_dir)
    os.kill(server, signal.SIGSTOP)
    for one in [start(faults), start(faults, "--dry-run"), start(faults, "--force")]:
        code, out, err = clean(one)
        assert (code, out) == (3, "")
        (line,) = err.splitlines()
        assert f"HDB030 {faults.test_dir}: the storage does not answer" in line
        assert "look at its mount and server" in line
    os.kill(server, signal.SIGCONT)
    assert clean(start(faults, "--force"))[0] == 0
    assert not list(faults.test_dir.iterdir())


def test_a_storage_that_hangs_at_a_marker_cannot_hold_the_command(faults, faulty):
    faults.test_dir = faulty("read", ".hpc-disk-bench.json", 1, 3600.0)
    forge(faults.test_dir / "io500.00000001")
    # Read to their ends: the process that is left hanging does not hold what a reader waits for.
    code, out, err = clean(start(faults))
    assert (code, out) == (3, "")
    assert f"HDB030 {faults.test_dir}: the storage does not answer" in err
    assert "Traceback" not in err
