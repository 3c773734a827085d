"""What counts as progress of a run, tried on real processes, and where a rank is said to stand."""

import os
import subprocess
import sys
import time

import pytest

from hpc_disk_bench import processes
from hpc_disk_bench.progress.hang import HangWatch

SECONDS = 1.0  # without progress that count as hung here
WORKS = {
    # As a look-up on a slow file system: some waiting in a call for a file, some computing.
    "waits in calls for files": "file = os.open(ini + '.pipe', os.O_RDWR)\n"
    "while os.read(file, 1):\n"
    "    end = time.process_time() + 0.003\n"
    "    while time.process_time() < end: pass\n",
    "writes slowly": "file = open(ini + '.data', 'wb', 0)\nwhile True: file.write(bytes(100000)); "
    "time.sleep(0.1)",
}
STANDS = {
    "waits for others at full speed": "while True: os.sched_yield()",
    "sleeps": "time.sleep(600)",
    "waits for a pipe": "os.mkfifo(ini + '.pipe'); open(ini + '.pipe')",
}


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


@pytest.fixture
def rank(tmp_path):
    """A function: starts a process that passes for a rank and does this; its INI."""
    started = []
    ini = tmp_path / "io500.ini"
    ini.write_text("")

    def start(code, **environ):
        script = tmp_path / f"rank{len(started)}.py"
        script.write_text(f"import os, sys, time\nini = sys.argv[1]\n{code}\n")
        command = [sys.executable, script, ini]
        started.append(subprocess.Popen(command, env={**os.environ, **environ}))
        wait_for(lambda: len(processes.ranks(ini)) == len(started))
        return ini

    yield start
    for process in started:
        process.kill()
        process.wait()


def watch(run, ini, until):
    """(HangWatch, what it said) after it said something, or after `until` seconds."""
    begun = time.monotonic()
    hang = HangWatch(run, SECONDS, begun)
    while time.monotonic() - begun < until:
        waited = hang.hung(time.monotonic(), processes.ranks(ini))
        if waited:
            return hang, waited
        time.sleep(0.05)
    return hang, None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is sure to be shown system calls")
@pytest.mark.parametrize("work", WORKS)
def test_a_rank_at_work_is_not_hung_though_no_result_file_grows(rank, tmp_path, work):
    run = tmp_path / "run"
    run.mkdir()
    pipe = tmp_path / "io500.ini.pipe"
    os.mkfifo(pipe)
    feeding = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time\nfile = open(sys.argv[1], 'wb', 0)\n"
            "while True: file.write(b'x'); time.sleep(0.02)",
            pipe,
        ]
    )
    try:
        ini = rank(WORKS[work])
        hang = HangWatch(run, SECONDS, 0.0)
        # A busy machine may let the rank wait for long: the clock of the watch waits with it.
        for now in (1.0, 2.0, 3.0):
            wait_for(lambda now=now: hang.hung(now * SECONDS, processes.ranks(ini)) is None)
    finally:
        feeding.kill()
        feeding.wait()


@pytest.mark.parametrize("stand", STANDS)
def test_a_rank_that_does_nothing_is_hung(rank, tmp_path, stand):
    run = tmp_path / "run"
    run.mkdir()
    assert watch(run, rank(STANDS[stand]), until=60)[1] >= SECONDS


def test_files_of_the_benchmark_that_grow_are_progress_and_our_own_are_not(rank, tmp_path):
    ini = rank(STANDS["sleeps"])
    run = tmp_path / "run"
    run.mkdir()
    hang, now = HangWatch(run, SECONDS, 0.0), 0.0
    for number in range(10):
        now += 0.9 * SECONDS
        (run / "ior-easy-write.txt").write_text("x" * number)
        assert hang.hung(now, processes.ranks(ini)) is None
    for number in range(3):
        now += 0.9 * SECONDS
        (run / "status.json").write_text("x" * number)
    assert hang.hung(now, processes.ranks(ini)) >= SECONDS


def test_without_a_rank_on_this_node_or_with_0_seconds_nothing_is_ended(rank, tmp_path):
    hang = HangWatch(tmp_path, SECONDS, 0.0)
    assert hang.hung(0.0, []) is None
    assert hang.hung(1000.0, []) is None
    ini = rank(STANDS["sleeps"])
    never = HangWatch(tmp_path, 0, 0.0)
    assert never.hung(1000.0, processes.ranks(ini)) is None


def test_it_is_written_down_where_each_rank_stands(rank, tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    rank(STANDS["waits for others at full speed"], PMIX_RANK="0")
    ini = rank("data = open(ini + '.data', 'w')\n" + STANDS["waits for a pipe"], PMIX_RANK="1")
    wait_for(lambda: (tmp_path / "io500.ini.pipe").exists())
    hang, waited = watch(run, ini, until=60)
    said = hang.record("mdtest-hard-stat", waited)
    pids = {one.rank: one.pid for one in processes.ranks(ini)}
    assert "s in mdtest-hard-stat: rank 1 " in said
    assert f"rank 1 (process {pids[1]}) in state S" in said
    told = (run / "hung.txt").read_text()
    assert f"rank 0 (process {pids[0]}) in state R" in told
    assert f"open: {ini}.data" in told
    if os.geteuid() == 0:
        assert f'openat "{ini}.pipe"' in said
        assert "kernel: " in told
