"""Kills at random moments: whatever is torn apart, nothing is half-written and nothing is left that
is not recognised.

HDB_NIGHT=1 tries a hundred moments, every day sees some of them.
"""

import json
import os
import random
import signal
import subprocess
import time

from hpc_disk_bench.leftovers import leftovers
from hpc_disk_bench.marked import unfinished
from tests.support.needs import IS_NIGHT
from tests.support.processes import processes_in, wait_for

MOMENTS = 100 if IS_NIGHT else 10
NUMBERS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)


def kill(process, number):
    """The signal for the wrapper's whole group, as a terminal or a batch system sends it."""
    if process.poll() is None:
        os.killpg(process.pid, number)
    _, err = process.communicate(timeout=60)
    return err


def test_kills_at_random_moments_leave_nothing_half_done(faults):
    moments = random.Random(int(os.environ.get("HDB_SEED", "7")))
    seen = set()
    for attempt in range(MOMENTS):
        number = NUMBERS[attempt % len(NUMBERS)]
        # Some before Python is there, most in the run, some in its ending.
        ranks = 2 if IS_NIGHT and attempt % 5 == 4 else 1
        faults.environ["NUM_PROCS"] = str(ranks)
        process = subprocess.Popen(
            faults.arguments("--quiet"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=faults.environ,
            cwd=faults.directory,
            start_new_session=True,
        )
        faults.started.append(process)
        time.sleep(moments.uniform(0, 3.5 if ranks == 2 else 2))
        err = kill(process, number)
        wait_for(lambda: not processes_in(faults.directory))
        about = f"attempt {attempt}, {number.name}: {err}"
        # Python itself, before it has come to us, may say where Ctrl-C met it.
        assert ", in main" not in err, about
        for path in faults.directory.rglob("*.json"):
            json.loads(path.read_text())
        if faults.test_dir.exists():
            found, others = leftovers(faults.test_dir)
            known = {left.path for left in found} | set(unfinished(faults.test_dir))
            assert known == {str(path) for path in faults.test_dir.iterdir()}, about
            assert not others, about
            assert number == signal.SIGKILL or not known, about
            faults.clean()
            assert faults.nothing_is_left(), about
        for run in faults.runs:
            state = json.loads((run / "status.json").read_text())["state"]
            assert state not in ("preparing", "running"), about
            seen.add(state)
    assert "interrupted" in seen
