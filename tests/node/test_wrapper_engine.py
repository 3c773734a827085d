"""io500_wrapper.sh with the embedded engine and its mpirun, on real file systems."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest


@pytest.fixture
def real(wrapper, engine):
    wrapper.use(engine)
    return wrapper


@pytest.fixture
def short(real):
    """The real engine with files so small that a test does not wait for them."""
    path = real.directory.parent / "short.ini"
    path.write_text(
        "[global]\ndatadir = $TEST_DIR\nresultdir = $OUTPUT_DIR\n"
        "timestamp-datadir = FALSE\ntimestamp-resultdir = FALSE\n"
        "[debug]\nstonewall-time = 1\n[ior-easy]\nblockSize = 4m\n[ior-hard]\nsegmentCount = 20\n"
        "[mdtest-easy]\nn = 200\n[mdtest-hard]\nn = 200\n"
    )
    real.environ["CONFIG_FILE"] = str(path)
    return real


@pytest.fixture
def endless(short):
    """The real engine in a phase that lasts until somebody ends it."""
    path = short.directory.parent / "short.ini"
    path.write_text(path.read_text().replace("stonewall-time = 1", "stonewall-time = 300"))
    text = path.read_text().replace("[mdtest-easy]\nn = 200", "[mdtest-easy]\nn = 100000000")
    path.write_text(text)
    return short


def begun(wrapper, phase="[mdtest-easy-write]"):
    end = time.monotonic() + 30
    while not any(phase in path.read_text() for path in wrapper.results.glob("**/result.txt")):
        assert time.monotonic() < end
        time.sleep(0.05)


def check_complete(wrapper, done):
    assert done.returncode == 0, done.stderr
    metadata = wrapper.json("run_metadata.json")
    assert metadata["engine"] == "embedded"
    assert metadata["engine_version"].startswith("hpc-disk-bench-")
    assert metadata["num_procs"] == 2
    results = wrapper.json("results.json")
    assert [*results][-1] == "score"
    assert len([name for name in results if results[name].get("scored", True)]) == 13
    assert results["score"]["valid"] is False
    assert results["ior-easy-write"]["reasons"]
    assert wrapper.json("status.json")["state"] == "invalid"
    assert "INVALID" in done.stdout
    assert (wrapper.runs[-1] / "result_summary.txt").read_text().count("\n") == 16


def test_a_run_on_tmpfs_below_a_path_with_blanks(real, mount):
    point = mount("-t", "tmpfs", "-o", "size=2g", "tmpfs", on="tmpfs with blanks")
    done = real.run(test_dir=point)
    check_complete(real, done)
    assert os.listdir(point) == []
    assert real.json("run_metadata.json")["storage"]["filesystem"] == "tmpfs"
    assert " phase 13/13 ior-rnd4K-easy-read done" in done.stderr


def test_a_run_on_ext4_on_a_loop_device(short, ext4):
    point = ext4(64)
    check_complete(short, short.run(test_dir=point))
    assert os.listdir(point) == ["lost+found"]
    assert short.json("run_metadata.json")["storage"]["block_device"].startswith("loop")


def test_a_run_on_an_overlay(short, mount):
    above = mount("-t", "tmpfs", "tmpfs", on="upper")
    for name in ("lower", "up", "work"):
        (above / name).mkdir()
    options = f"lowerdir={above}/lower,upperdir={above}/up,workdir={above}/work"
    point = mount("-t", "overlay", "overlay", "-o", options)
    check_complete(short, short.run(test_dir=point))
    assert os.listdir(point) == []


def test_a_single_rank_runs_without_mpirun(short):
    short.environ.update(NUM_PROCS="1", MPIRUN="/no/such/mpirun")
    done = short.run()
    assert done.returncode == 0, done.stderr
    assert short.json("run_metadata.json")["num_procs"] == 1


def test_more_ranks_than_cores_start(short):
    short.environ["NUM_PROCS"] = str(2 * os.cpu_count() + 1)
    done = short.run()
    assert done.returncode == 0, done.stderr
    (run,) = short.runs
    text = (run / "result.txt").read_text()
    assert f"procs           = {short.environ['NUM_PROCS']}\n" in text
    assert "ranks share" in done.stderr


def test_a_job_of_one_task_with_many_cpus_starts_a_rank_for_each(short):
    del short.environ["NUM_PROCS"]
    short.environ.update(SLURM_CPUS_ON_NODE="4", SLURM_NTASKS="1", SLURM_JOB_NUM_NODES="1")
    assert short.run().returncode == 0
    assert short.json("run_metadata.json")["ppn"] == 4


def test_two_runs_at_once_on_one_directory_do_not_disturb_each_other(short):
    short.test_dir.mkdir()
    started = [short.start("--quiet", node=node) for node in ("n1", "n1", "n2")]
    for process in started:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    assert len(short.runs) == 3
    assert os.listdir(short.test_dir) == []


def test_a_full_file_system_is_exit_code_4_with_rank_path_and_reason(real, ext4):
    point = ext4(24)
    done = real.run(test_dir=point)
    assert done.returncode == 4
    (evidence, *_) = real.json("status.json")["evidence"]
    assert "ERROR rank" in evidence["text"]
    assert "No space left on device (ENOSPC)" in evidence["text"]
    assert "phase ior-easy-write" in evidence["text"]
    assert evidence["text"] in done.stderr
    assert os.listdir(point) == ["lost+found"]


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ("[ior-easy]\nblockSize = 5m\ntransferSize = 2m", "multiple"),
        ("[global]\nno-such-key = 1", "no-such-key"),
        ("[no-such-section]", "no-such-section"),
        ("[ior-easy]\ntransferSize = 2 parsecs", "transferSize"),
    ],
)
def test_what_the_engine_refuses_is_one_line_before_the_launch_and_leaves_nothing(
    short, setting, complaint
):
    path = short.directory.parent / "short.ini"
    path.write_text(f"{path.read_text()}{setting}\n")
    done = short.run()
    (line,) = done.stderr.splitlines()
    assert done.returncode == 3
    assert f"HDB009 configuration rejected: {path}" in line
    assert complaint in line
    assert short.made() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_signal_ends_all_ranks_and_removes_a_running_phase_s_files(endless, number):
    process = endless.start()
    begun(endless)
    time.sleep(0.3)
    process.send_signal(number)
    _, err = process.communicate(timeout=40)
    assert process.returncode == 128 + number
    assert "HDB019 cancelled" in err
    assert "kept 1 of 12 phases, marked partial" in err
    assert not endless.test_dir.exists()
    ranks = subprocess.run(
        ["pgrep", "-f", str(endless.directory)], capture_output=True, check=False
    )
    assert ranks.stdout == b""
    results = endless.json("results.json")
    assert results["partial"] is True
    assert "score" not in results


def test_a_rank_that_is_killed_ends_the_run_at_once(endless):
    process = endless.start()
    begun(endless)
    command = ["pgrep", "-f", f"io500-embedded {endless.runs[0]}"]
    ranks = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    os.kill(int(ranks[-1]), signal.SIGKILL)
    _, err = process.communicate(timeout=40)
    assert process.returncode == 4
    assert "failed" in err
    assert endless.json("results.json")["partial"] is True
    assert not endless.test_dir.exists()


def test_it_runs_with_hardly_an_environment_through_a_link_on_python_3_9(short, python39):
    link = short.directory / "link.sh"
    link.symlink_to(short.arguments()[0])
    (short.directory / "bin").mkdir()
    (short.directory / "bin/python3").symlink_to(python39)
    keep = ("IO500_BIN", "NUM_PROCS", "CONFIG_FILE")
    short.environ = {name: short.environ[name] for name in keep}
    short.environ["PATH"] = "/usr/bin:/bin"
    short.environ["VIRTUAL_ENV"] = str(short.directory)
    process = short.start(command=["bash", "-c", '"$@"', "bash", link, *short.arguments()[1:]])
    out, err = process.communicate()
    check_complete(short, subprocess.CompletedProcess([], process.returncode, out, err))


def test_the_engine_s_files_are_laid_out_like_upstream_s(short, recorded):
    assert short.run().returncode == 0
    (run,) = short.runs

    def layout(path):
        """Every line with its figures blanked: those in the column of values to their width."""
        lines = (path / "result_summary.txt").read_text().splitlines()[1:]
        masked = [re.sub(r"(?<=time )[\d.]+|(?<=Bandwidth )[\d.]+", "#", line) for line in lines]
        masked = [re.sub(r"(?<=IOPS )[\d.]+|(?<=TOTAL )[\d.]+", "#", line) for line in masked]
        return [re.sub(r" +\d[\d.]*", lambda found: len(found[0]) * "#", line) for line in masked]

    assert layout(run) == layout(recorded("invalid"))


def test_upstream_s_timestamped_directories_are_found_one_level_deeper(short):
    path = short.directory.parent / "short.ini"
    path.write_text(path.read_text().replace("= FALSE", "= TRUE"))
    check = short.run()
    assert check.returncode == 0, check.stderr
    (run,) = short.runs
    (summary,) = run.glob("*/result_summary.txt")
    assert re.fullmatch(r"[\d.]{10}-[\d.]{8}", summary.parent.name)
    assert len(short.json("results.json")) == 15
    assert short.json("status.json")["phases_done"] == 13
    assert not short.test_dir.exists()


def test_the_table_takes_the_run(short, root):
    short.run()
    command = [sys.executable, root / "aggregate_results.py", short.results, "table.csv"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=short.directory, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    header, row = (short.directory / "table.csv").read_text().splitlines()
    assert "ior_easy_write_value" in header
    assert json.dumps(short.json("results.json")["find"]["value"]) in row


def test_a_single_rank_leaves_no_shared_memory_behind(short):
    """In a mount namespace with a /dev/shm of its own, for other programs use the machine's."""
    short.environ["NUM_PROCS"] = "1"
    del short.environ["OMPI_MCA_btl"]
    script = 'mount -t tmpfs tmpfs /dev/shm || exit 77; "$@" >&2; ls -A /dev/shm'
    command = ["unshare", "--mount", "bash", "-c", script, "bash", *short.arguments()]
    process = short.start(command=command)
    left, err = process.communicate()
    if process.returncode not in (0, 4):
        pytest.skip(f"no mount namespace can be made here: {err}")
    assert "phase 13/13" in err
    assert left == ""
