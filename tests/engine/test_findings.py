"""Findings in runs of the real engine, with faults provoked while a phase goes on."""

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from hpc_disk_bench import processes
from tests.engine.conftest import mounted_ext4, wait_for

ONLY_ONE = {
    name: {"run": "FALSE"}
    for name in ("ior-hard", "mdtest-hard", "find", "ior-rnd4K-easy-read", "ior-easy-read")
}
MEBI = 1 << 20


def findings(root, results):
    done = subprocess.run(
        [root / "inspect_run.py", results, "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {phase["phase"]: phase["findings"] for phase in json.loads(done.stdout)}


@pytest.fixture
def throttled(tmp_path, real_parts):
    """A control group of block devices: throttled.limit(device, bytes a second), throttled.join."""
    real_parts.root()
    above = Path("/sys/fs/cgroup/blkio")
    if not (above / "blkio.throttle.write_bps_device").exists():
        real_parts.lack("no blkio control group (cgroup v1)")
    group = above / f"hdb-test-{os.getpid()}"
    group.mkdir()
    try:
        yield Throttle(group)
    finally:
        for _ in range(100):
            with contextlib.suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.05)


class Throttle:
    def __init__(self, group):
        self._group = group

    def join(self):
        (self._group / "cgroup.procs").write_text(str(os.getpid()))

    def limit(self, directory, rate):
        number = os.stat(directory).st_dev
        device = f"{os.major(number)}:{os.minor(number)}"
        (self._group / "blkio.throttle.write_bps_device").write_text(f"{device} {rate}")


def test_a_disk_that_slows_down_in_mid_phase_is_a_sudden_drop_to_what_it_gives(
    root, bench, tmp_path, throttled
):
    with mounted_ext4(tmp_path / "disk", 2048) as disk:
        bench.data = disk / "data"
        ini = bench.write_ini(
            ONLY_ONE,
            {
                "global": {"api": "POSIX --posix.odirect"},
                "debug": {"stonewall-time": "17"},
                "ior-easy": {"blockSize": "1g", "transferSize": "1m"},
                "mdtest-easy": {"run": "FALSE"},
            },
        )
        throttled.limit(disk, 60 * MEBI)
        process = subprocess.Popen(
            bench.command(ini),
            cwd=bench.directory,
            env=bench.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=throttled.join,
        )
        log = bench.results / "result.txt"
        wait_for(lambda: log.exists() and "[ior-easy-write]" in log.read_text(), process)
        time.sleep(8)
        throttled.limit(disk, 20 * MEBI)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, out + err
    (found,) = findings(root, bench.results)["ior-easy-write"]
    assert found["kind"] == "drop"
    assert found["level"] == pytest.approx(60 * MEBI, rel=0.2)
    assert found["after"] == pytest.approx(20 * MEBI, rel=0.2)
    assert found["lost_share"] == pytest.approx(2 / 3, rel=0.2)
    assert found["at_s"] == pytest.approx(8, abs=2)


def test_a_rank_that_is_held_up_again_and_again_is_the_straggler(root, bench):
    ini = bench.write_ini(
        ONLY_ONE,
        {
            "debug": {"stonewall-time": "4"},
            "ior-easy": {"run": "FALSE"},
            "mdtest-easy": {"n": "100000000"},
        },
    )
    process = bench.start(ini, ranks=3)
    log = bench.results / "result.txt"
    wait_for(lambda: log.exists() and "[mdtest-easy-write]" in log.read_text(), process)
    (held,) = [rank.pid for rank in processes.ranks(ini) if rank.rank == 1]
    ended = threading.Event()

    def hold_up():
        while not ended.wait(0.3):
            os.kill(held, signal.SIGSTOP)
            time.sleep(0.4)
            os.kill(held, signal.SIGCONT)

    helper = threading.Thread(target=hold_up, daemon=True)
    helper.start()
    wait_for(lambda: "[mdtest-easy-stat]" in log.read_text(), process)
    ended.set()
    helper.join()
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, out + err
    found = findings(root, bench.results)
    (straggler,) = found["mdtest-easy-write"]
    assert (straggler["kind"], straggler["rank"]) == ("straggler", 1)
    assert straggler["rate_to_others"] < 0.7
    assert f"for rank 1 on {os.uname().nodename}" in straggler["text"]
    assert found["mdtest-easy-stat"] == []
