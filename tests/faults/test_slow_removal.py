"""A storage that lets files go slowly: the run says how far it is, and lets itself be cut short."""

import signal

from hpc_disk_bench.leftovers import leftovers
from tests.support.processes import wait_for


def test_ctrl_c_during_a_long_removal_leaves_the_rest_for_clean(faults, faulty):
    faults.test_dir = faulty("unlink", "*", 1, 0.05) / "scratch"
    faults.go_on_long()
    process = faults.start("--force")
    files = "io500.*/data/mdtest-easy/**/file.mdtest*"
    wait_for(lambda: len(faults.found(files)) > 500, 180)
    process.send_signal(signal.SIGTERM)
    # At 20 files a second it takes longer than the user has patience for.
    said = next(line for line in process.stderr if " removing " in line)
    assert "Ctrl-C leaves the rest" in said
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 143
    assert "failed to remove all of the run's data, ended by SIGINT: what is left is in " in err
    (path,) = faults.test_dir.iterdir()
    assert (path / ".hpc-disk-bench.json").exists()
    status = faults.json("status.json")
    assert (status["state"], status["left_behind"]) == ("interrupted", str(path))
    ((left,), others) = leftovers(faults.test_dir, seconds=0)
    assert (left.path, left.at_work, others) == (str(path), False, [])
