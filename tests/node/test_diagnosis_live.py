"""Failures that are brought about for real, through the wrapper: code, evidence, exit code."""

import os
import resource
import signal
import subprocess
import time

import pytest

from hpc_disk_bench import processes

WRITES_MUCH = """
[global]
datadir = $TEST_DIR
timestamp-datadir = FALSE
resultdir = $OUTPUT_DIR
timestamp-resultdir = FALSE
[debug]
stonewall-time = 2
[ior-easy]
blockSize = 512m
[mdtest-easy]
n = {files}
[ior-hard]
segmentCount = 1000
[mdtest-hard]
n = 1000
"""


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


@pytest.fixture
def real(wrapper, engine):
    """A wrapper with the real engine and two ranks; configure(...) changes what they do."""
    wrapper.use(engine)
    wrapper.environ["PROBE_SECONDS"] = "0"

    def configure(text):
        path = wrapper.directory.parent / "config-live.ini"
        path.write_text(text)
        wrapper.environ["CONFIG_FILE"] = str(path)

    wrapper.configure = configure
    return wrapper


def ranks(wrapper):
    """The ranks of the wrapper's run that are there now."""
    found = [processes.ranks(path) for path in wrapper.results.glob("**/io500.ini")]
    return found[0] if found else []


def working(wrapper):
    """Whether both ranks are there and at work."""
    begun = any("[ior-easy-write]" in p.read_text() for p in wrapper.results.glob("**/result.txt"))
    return begun and len(ranks(wrapper)) == 2


def diagnosis(wrapper):
    status = wrapper.json("status.json")
    assert status["state"] == "failed"
    return status["diagnosis"]


def test_a_full_file_system_is_told_with_what_was_free(real, mount):
    real.configure(WRITES_MUCH.format(files=100))
    point = mount("-t", "tmpfs", "-o", "size=40m", "tmpfs")
    done = real.run("--force", test_dir=point)
    assert done.returncode == 4, done.stderr
    found = diagnosis(real)
    assert found["code"] == "HDB012"
    assert "No space left on device (ENOSPC)" in found["evidence"][0]["text"]
    assert found["facts"][0].startswith(f"{point} (tmpfs): 0.04 GiB")
    assert "failed HDB012 no space left on device, in ior-easy-write" in done.stderr
    assert not list(point.iterdir())


def test_a_file_system_without_inodes_is_told_from_a_full_one(real, mount):
    real.configure(WRITES_MUCH.format(files=5000).replace("512m", "2m"))
    point = mount("-t", "tmpfs", "-o", "size=400m,nr_inodes=500", "tmpfs")
    done = real.run("--force", test_dir=point)
    assert done.returncode == 4, done.stderr
    found = diagnosis(real)
    assert found["code"] == "HDB013"
    assert "and 0 inodes at the end" in found["facts"][0]
    assert not list(point.iterdir())


def test_a_rank_that_somebody_kills_is_told_with_its_number(real):
    real.configure(WRITES_MUCH.format(files=2_000_000))
    process = real.start("--force")
    try:
        wait_for(lambda: working(real))
        (victim,) = [rank for rank in ranks(real) if rank.rank == 1]
        os.kill(victim.pid, signal.SIGKILL)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 4, err
    found = diagnosis(real)
    assert found["code"] == "HDB023", found
    assert "process rank 1" in found["evidence"][0]["text"]
    assert "signal 9" in found["evidence"][0]["text"]


def test_a_rank_that_stands_still_ends_the_run_and_is_named(real):
    real.configure(WRITES_MUCH.format(files=2_000_000))
    process = real.start("--force", "--hang-timeout=2")
    try:
        wait_for(lambda: working(real))
        (victim,) = [rank for rank in ranks(real) if rank.rank == 1]
        os.kill(victim.pid, signal.SIGSTOP)
        _, err = process.communicate(timeout=90)
    finally:
        process.kill()
    assert process.returncode == 4, err
    found = diagnosis(real)
    assert found["code"] == "HDB024"
    assert f"rank 1 (process {victim.pid}) in state T" in found["facts"][0]
    told = (real.runs[0] / "hung.txt").read_text()
    assert "no progress for" in told.splitlines()[0]
    assert "rank 0 (process " in told
    assert f"rank 1 (process {victim.pid}) in state T" in told
    assert "s of CPU" in told
    assert not real.test_dir.exists()
    assert processes.counters(victim.pid) is None


def test_a_limit_on_the_size_of_files_is_a_limit_of_the_process(real):
    real.configure(WRITES_MUCH.format(files=100))
    real.environ["NUM_PROCS"] = "1"
    limit = 20 * 2**20
    process = subprocess.Popen(
        real.arguments("--force"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=real.directory,
        env=real.environ,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    _, err = process.communicate(timeout=60)
    assert process.returncode == 4, err
    assert diagnosis(real)["code"] == "HDB010"


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGUSR2], ids=lambda number: number.name)
def test_what_a_batch_system_announces_its_end_with_is_the_wall_time(wrapper, recorded, number):
    wrapper.use_stand_in(hang=1, run=recorded("aborted"))
    process = wrapper.start()
    wait_for(lambda: any("hanging" in p.read_text() for p in wrapper.results.glob("**/io500.out")))
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 4, err
    assert "failed HDB018 wall time reached, in ior-hard-write" in err
    status = wrapper.json("status.json")
    assert (status["state"], status["signal"]) == ("interrupted", number.name)


@pytest.mark.parametrize(("left", "code"), [(20, "HDB018"), (3600, "HDB019")])
def test_a_jobs_end_tells_the_wall_time_from_a_cancellation(wrapper, recorded, left, code):
    wrapper.use_stand_in(hang=1, run=recorded("aborted"))
    # A job that no scontrol of this machine knows.
    wrapper.environ["SLURM_JOB_ID"] = "999999999"
    wrapper.environ["SLURM_JOB_END_TIME"] = str(int(time.time()) + left)
    process = wrapper.start()
    wait_for(lambda: any("hanging" in p.read_text() for p in wrapper.results.glob("**/io500.out")))
    process.terminate()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 143, err
    assert wrapper.json("status.json")["diagnosis"]["code"] == code


def test_a_library_that_is_missing_is_told(wrapper):
    said = "io500: error while loading shared libraries: libmpi.so.40: cannot open shared object"
    wrapper.use_stand_in(code=127, says=said)
    done = wrapper.run()
    assert done.returncode == 4
    assert diagnosis(wrapper)["code"] == "HDB003"


def test_a_configuration_that_the_engine_refuses_is_told_with_its_line(real):
    real.configure(WRITES_MUCH.format(files=100) + "[find]\nno-such-option = 1\n")
    done = real.run("--force")
    assert done.returncode == 3
    assert "HDB009 configuration rejected" in done.stderr
    assert "unknown option no-such-option in [find]" in done.stderr
