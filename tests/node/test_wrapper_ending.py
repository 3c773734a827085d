"""How a run ends: by itself, by a failure, by a signal; and what is left behind then."""

import contextlib
import json
import os
import random
import signal
import subprocess
import time

import pytest

from tests.support.processes import processes_in, wait_for

ENDINGS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


def is_shell(process):
    """Whether Python has not taken the wrapper's place yet."""
    with open(f"/proc/{process.pid}/comm") as file:
        return file.read().startswith(("bash", "io500_wrapper"))


def whole_json(wrapper):
    """Every JSON file there is, each read; a half-written one fails here."""
    paths = [path for path in wrapper.directory.rglob("*") if ".json" in path.name]
    assert not [path for path in paths if path.suffix != ".json"]
    return {path.name: json.loads(path.read_text()) for path in paths}


def test_a_benchmark_that_fails_is_exit_code_4_with_its_evidence(wrapper, recorded):
    wrapper.use_stand_in(
        run=recorded("aborted"),
        code=134,
        says="ERROR rank 3 on chrom1: phase ior-hard-write: write: No space left (ENOSPC)",
    )
    done = wrapper.run()
    (run,) = wrapper.runs
    assert (done.returncode, done.stdout) == (4, "")
    failed = [line.split(" ", 1)[1] for line in done.stderr.splitlines() if " failed " in line]
    assert failed[0].startswith("failed HDB012 no space left on device, in ior-hard-write after ")
    assert "ERROR rank 3 on chrom1" in failed[1]
    assert "failed   the benchmark ended with exit code 134 (SIGABRT)" in failed
    assert any("failed   remedy: Free space below test_dir" in line for line in failed)
    results = f"{run.relative_to(wrapper.directory)}/results.json"
    assert failed[-2] == f"failed   kept 2 of 12 phases, marked partial: {results}"
    assert failed[-1] == "failed   removed 2 files of this run"
    status = wrapper.json("status.json")
    assert (status["state"], status["exit_code"], status["signal"]) == ("failed", 134, None)
    assert (status["last_phase"], status["phases_done"]) == ("ior-hard-write", 2)
    assert status["evidence"] == status["diagnosis"]["evidence"]
    assert status["evidence"][0] == {
        "file": "io500.err",
        "line": 1,
        "text": "ERROR rank 3 on chrom1: phase ior-hard-write: write: No space left (ENOSPC)",
    }
    assert status["diagnosis"]["code"] == "HDB012"
    assert wrapper.json("results.json")["partial"] is True
    assert not wrapper.test_dir.exists()


def test_upstream_s_own_words_are_the_evidence(wrapper, recorded):
    says = (recorded("aborted") / "io500.err").read_text()
    wrapper.use_stand_in(run=recorded("aborted"), code=134, says=says)
    wrapper.run()
    diagnosis = wrapper.json("status.json")["diagnosis"]
    assert (diagnosis["code"], diagnosis["also"]) == ("HDB012", ["HDB023"])
    assert "failed No space left on device" in diagnosis["evidence"][0]["text"]


def test_a_benchmark_that_ends_before_its_first_phase_keeps_no_figure(wrapper):
    wrapper.use_stand_in(code=1, says="FATAL Couldn't parse config file io500.ini")
    done = wrapper.run()
    assert done.returncode == 4
    assert "FATAL Couldn't parse config file" in done.stderr
    assert "kept no figure" in done.stderr
    assert not (wrapper.runs[0] / "results.json").exists()
    assert not wrapper.test_dir.exists()


def test_a_benchmark_that_ends_well_without_a_result_is_exit_code_5(wrapper):
    done = wrapper.run()
    assert done.returncode == 5
    assert "no such file, nor a result.txt or files" in done.stderr
    status = wrapper.json("status.json")
    assert (status["state"], status["exit_code"]) == ("failed", 0)
    assert not wrapper.test_dir.exists()


def test_a_benchmark_that_ends_well_in_mid_run_is_no_complete_run(wrapper, recorded):
    wrapper.use_stand_in(run=recorded("broken-off-summary"))
    done = wrapper.run()
    assert done.returncode == 4
    assert "failed HDB027 result files missing or unwritable" in done.stderr
    assert "the result files break off before the score" in done.stderr
    assert wrapper.json("status.json")["state"] == "failed"


def test_an_invalid_run_is_done_and_said_to_be_invalid(wrapper, recorded):
    wrapper.use_stand_in(run=recorded("invalid"))
    done = wrapper.run()
    assert done.returncode == 0
    assert "INVALID (stonewall-time 3s != 300s)" in done.stdout
    assert " phase 1/13 ior-easy-write done 2.273178 GiB/s 3.5 s INVALID" in done.stderr
    assert wrapper.json("status.json")["state"] == "invalid"


def test_an_embedded_engine_that_does_not_run_here_is_refused_before_anything_is_made(wrapper):
    path = wrapper.directory.parent / "io500-embedded"
    path.write_text(
        "#!/bin/sh\necho 'libmpi.so.40: cannot open shared object file' >&2\nexit 127\n"
    )
    path.chmod(0o755)
    wrapper.environ["IO500_BIN"] = str(path)
    done = wrapper.run()
    assert done.returncode == 3
    assert "libmpi.so.40: cannot open shared object file; try: make engine" in done.stderr
    assert wrapper.made() == []


@pytest.mark.parametrize("number", ENDINGS, ids=lambda number: number.name)
def test_a_signal_ends_the_run_keeps_what_was_measured_and_removes_its_data(hanging, number):
    process = hanging.start()
    wait_for(hanging.hangs)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (ENDINGS[number], "")
    assert "failed HDB019 cancelled, in ior-hard-write after " in err
    assert f"failed   the run was ended by {number.name}" in err
    assert "kept 2 of 12 phases, marked partial" in err
    assert not hanging.test_dir.exists()
    assert processes_in(hanging.directory) == []
    status = hanging.json("status.json")
    assert (status["state"], status["signal"]) == ("interrupted", number.name)
    assert hanging.json("results.json")["partial"] is True
    metadata = hanging.json("run_metadata.json")
    assert metadata["end_epoch"] >= metadata["start_epoch"]


def test_ranks_that_ignore_the_signal_are_killed(hanging):
    hanging.use_stand_in(hang="deaf")
    process = hanging.start()
    wait_for(hanging.hangs)
    process.terminate()
    process.communicate(timeout=40)
    assert process.returncode == 143
    assert processes_in(hanging.directory) == []
    assert not hanging.test_dir.exists()


def test_a_job_cancelled_as_slurm_does_it_ends_the_same_way(hanging):
    """CONT and TERM to the wrapper and to all its children at once."""
    process = hanging.start()
    wait_for(hanging.hangs)
    for number in (signal.SIGCONT, signal.SIGTERM):
        for pid in processes_in(hanging.directory):
            os.kill(pid, number)
    process.communicate(timeout=30)
    assert process.returncode == 143
    assert hanging.json("status.json")["state"] == "interrupted"
    assert not hanging.test_dir.exists()


def test_a_run_under_nohup_survives_the_hang_up(hanging):
    process = hanging.start(command=["nohup", *hanging.arguments()])
    wait_for(hanging.hangs)
    process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert process.poll() is None
    process.terminate()
    process.communicate(timeout=30)
    assert process.returncode == 143


def test_signals_at_random_moments_leave_nothing_half_done(wrapper, recorded):
    wrapper.use_stand_in(hang=1, run=recorded("aborted"))
    moments = random.Random(500)
    for attempt in range(16):
        number = moments.choice(list(ENDINGS))
        process = wrapper.start("--quiet")
        time.sleep(moments.uniform(0, 0.6))
        in_shell = is_shell(process)
        process.send_signal(number)
        if number == signal.SIGINT and in_shell:
            # Bash forgets one that comes as a command substitution is about to end. It is sent
            # again, as a person would.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            process.send_signal(number)
        _, err = process.communicate(timeout=30)
        # Before Python has started there is nothing to do but to end.
        assert process.returncode in (ENDINGS[number], -number, 1), (attempt, err)
        whole_json(wrapper)
        assert not wrapper.test_dir.exists(), (attempt, number)
    assert processes_in(wrapper.directory) == []


def test_a_second_signal_does_not_cut_the_removal_short(hanging):
    process = hanging.start()
    wait_for(hanging.hangs)
    for _ in range(5):
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert not hanging.test_dir.exists()


def test_ctrl_c_in_a_terminal_ends_the_run_in_the_words_of_a_terminal(hanging):
    master, slave = os.openpty()
    process = subprocess.Popen(
        hanging.arguments(),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=hanging.directory,
        env={**hanging.environ, "TERM": "xterm"},
        preexec_fn=lambda: os.setsid() or __import__("fcntl").ioctl(0, 0x540E, 0),
    )
    os.close(slave)
    wait_for(hanging.hangs)
    os.write(master, b"\x03")
    process.wait(timeout=30)
    seen = b""
    try:
        while chunk := os.read(master, 65536):
            seen += chunk
    except OSError:  # all of the terminal's users are gone
        pass
    os.close(master)
    text = seen.decode()
    assert process.returncode == 130
    assert "\x1b[1mtarget   \x1b[0m c / n1 / local / ssd    1 rank on 1 node" in text
    assert "\x1b[31mfailed   \x1b[0m \x1b[31mHDB019 cancelled, in ior-hard-write after" in text
    assert not hanging.test_dir.exists()


def test_no_color_is_honoured_on_a_terminal(wrapper, recorded):
    wrapper.use_stand_in(run=recorded("invalid"))
    wrapper.environ.update(NO_COLOR="1", TERM="xterm")
    command = ["script", "-qec", " ".join(f"'{part}'" for part in wrapper.arguments()), "/dev/null"]
    process = wrapper.start(command=command)
    out, _ = process.communicate()
    assert process.returncode == 0
    assert "\x1b" not in out
    assert out.splitlines()[0].startswith("target    c / n1 / local / ssd")
    assert any(line.startswith("phases     1/13 ior-easy-write") for line in out.splitlines())


def test_only_the_run_s_own_directory_is_removed(hanging):
    """Not what lies beside it, nor what a link in it leads to, nor another run's data."""
    hanging.test_dir.mkdir()
    (hanging.test_dir / "io500.other").mkdir()
    (hanging.test_dir / "io500.other/.hpc-disk-bench.json").write_text("{}")
    outside = hanging.directory / "outside"
    outside.mkdir()
    (outside / "precious").write_text("data")
    process = hanging.start()
    wait_for(hanging.hangs)
    (data,) = hanging.test_dir.glob("io500.*/data")
    (data / "link").symlink_to(outside)
    process.terminate()
    process.communicate(timeout=30)
    assert os.listdir(hanging.test_dir) == ["io500.other"]
    assert (outside / "precious").read_text() == "data"


@pytest.mark.parametrize("change", ["marker gone", "marker of another", "a link"])
def test_a_directory_that_is_no_longer_the_run_s_own_is_left_alone(hanging, change):
    process = hanging.start()
    wait_for(hanging.hangs)
    (data,) = hanging.test_dir.glob("io500.*/data")
    marker = data.parent / ".hpc-disk-bench.json"
    if change == "marker gone":
        marker.unlink()
    elif change == "marker of another":
        marker.write_text('{"pid": 1}')
    else:
        data.parent.rename(hanging.directory / "moved")
        data.parent.symlink_to(hanging.directory / "moved")
    process.terminate()
    _, err = process.communicate(timeout=30)
    assert process.returncode == 143
    assert f"failed to remove {data.parent}: left alone: " in err
    assert data.is_dir()
    assert (data / "ior-easy/ior_file_easy.00000000").exists()


def test_what_is_mounted_in_the_data_is_not_emptied(hanging, mount):
    point = mount("-t", "tmpfs", "tmpfs")
    (point / "precious").write_text("data")
    process = hanging.start()
    wait_for(hanging.hangs)
    (data,) = hanging.test_dir.glob("io500.*/data")
    inside = data / "inside"
    inside.mkdir()
    subprocess.run(["mount", "--bind", point, inside], check=True)
    try:
        process.terminate()
        _, err = process.communicate(timeout=30)
        assert (inside / "precious").read_text() == "data"
        assert "inside: another file system is mounted there" in err
        assert sorted(os.listdir(data.parent)) == [".hpc-disk-bench.json", "data"]
        assert os.listdir(data) == ["inside"]
    finally:
        subprocess.run(["umount", inside], check=True)


def test_the_marker_says_whose_data_it_is(hanging):
    process = hanging.start()
    wait_for(hanging.hangs)
    (marker,) = hanging.test_dir.glob("io500.*/.hpc-disk-bench.json")
    content = json.loads(marker.read_text())
    assert content["pid"] == process.pid
    assert content["run_directory"] == str(hanging.runs[0])
    process.terminate()
    process.communicate(timeout=30)


def test_a_results_tree_that_fills_up_does_not_leave_the_data_behind(hanging, mount):
    point = mount("-t", "tmpfs", "-o", "size=1m", "tmpfs")
    hanging.results = point / "results"
    hanging.environ["IO500_RESULTS_DIR"] = str(hanging.results)
    process = hanging.start()
    wait_for(hanging.hangs)
    subprocess.run(["dd", "if=/dev/zero", f"of={point}/filler"], capture_output=True, check=False)
    process.terminate()
    _, err = process.communicate(timeout=30)
    assert process.returncode == 143
    assert "Traceback" not in err
    assert "No space left on device" in err
    assert not hanging.test_dir.exists()
    assert hanging.json("run_metadata.json")["end_epoch"] is None
    assert hanging.json("status.json")["state"] == "running"
