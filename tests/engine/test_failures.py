"""A rank that fails ends the run, says what and where, and keeps what was measured before."""

import os
import re
import resource
import signal

import pytest

from tests.engine.conftest import PAUSING, mounted, mounted_ext4, ranks_of, read, wait_for

LINE = r'ERROR rank \d+ on \S+: phase {}: {} "{}[^"]*"( at offset \d+)?: .* \({}\)'


def assert_failed(done, phase, call, path, error):
    assert done.returncode == 1
    assert re.search(LINE.format(phase, call, re.escape(str(path)), error), done.stderr), (
        done.stderr
    )


def test_a_full_file_system_is_named_with_rank_path_and_offset(bench, tmp_path):
    with mounted(tmp_path / "small", "-t", "tmpfs", "-o", "size=20m", "tmpfs") as small:
        bench.data = small / "data"
        done = bench.run(bench.write_ini({"ior-easy": {"blockSize": "64m"}}))
        assert_failed(done, "ior-easy-write", "write", bench.data / "ior-easy", "ENOSPC")
        assert "at offset" in done.stderr


def test_a_real_ext4_that_is_full_ends_the_run(bench, tmp_path):
    with mounted_ext4(tmp_path / "ext4", 24) as ext4:
        bench.data = ext4 / "data"
        done = bench.run(bench.write_ini({"ior-hard": {"segmentCount": "5000"}}))
        assert_failed(done, "ior-hard-write", "write", bench.data / "ior-hard/file", "ENOSPC")
        assert "ior-easy-write" in bench.summary()


def test_what_was_measured_before_the_failure_is_in_the_files(bench, tmp_path):
    options = "size=200m,nr_inodes=100"
    with mounted(tmp_path / "few", "-t", "tmpfs", "-o", options, "tmpfs") as few:
        bench.data = few / "data"
        done = bench.run(bench.write_ini())
        assert_failed(done, "mdtest-easy-write", "open", bench.data / "mdtest-easy", "ENOSPC")
    assert re.search(r"\[RESULT\] +ior-easy-write +[\d.]+ GiB/s", bench.summary())
    assert "[mdtest-easy-write]\nt_start" in bench.result()


def test_a_read_only_file_system_is_refused_before_anything_runs(bench, tmp_path):
    with mounted(tmp_path / "fixed", "-t", "tmpfs", "-o", "ro", "tmpfs") as fixed:
        bench.data = fixed / "data"
        done = bench.run(bench.write_ini())
    assert done.returncode == 1
    assert "Read-only file system (EROFS)" in done.stderr
    assert not bench.results.exists()


def test_a_truncated_file_ends_the_run_and_is_named(bench):
    with bench.paused(bench.write_ini(PAUSING), "find") as process:
        os.truncate(bench.data / "ior-easy/ior_file_easy.00000001", 3 << 20)
    assert process.returncode == 1
    assert re.search(
        r"rank 1 on \S+: phase ior-easy-read: read .*ior_file_easy.00000001\" at offset 3145728: "
        "the file ends before",
        process.errors,
    )


def test_a_missing_file_ends_the_run_and_is_named(bench):
    with bench.paused(bench.write_ini(PAUSING), "find") as process:
        (bench.data / "ior-hard/file").unlink()
    assert process.returncode == 1
    assert re.search(
        r"phase ior-hard-read: open .*ior-hard/file\": No such file or directory \(ENOENT\)",
        process.errors,
    )


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_rank_that_dies_takes_the_run_with_it(bench, number):
    with bench.paused(bench.write_ini(PAUSING), "ior-hard-write") as process:
        os.kill(max(ranks_of(bench)), number)
        process.wait(timeout=30)
    assert process.returncode != 0
    assert ranks_of(bench) == []
    assert "mdtest-easy-write" in bench.summary()


def test_a_signal_to_the_launcher_ends_all_ranks_and_keeps_what_was_measured(bench):
    ini = bench.write_ini({"mdtest-hard": {"n": "1000000000"}, "debug": {"stonewall-time": "600"}})
    process = bench.start(ini)
    hard = bench.data / "mdtest-hard"
    wait_for(lambda: any(hard.rglob("file.mdtest.0.1??")), process)
    process.terminate()
    assert process.wait(timeout=30) != 0
    process.communicate()
    assert ranks_of(bench) == []
    assert "ior-hard-write" in bench.summary()
    assert "[mdtest-hard-write]" in bench.result()
    assert "\nior-hard-write,write," in read(bench.results / "latency.csv")


def test_a_rank_that_may_open_no_more_files_ends_the_run(bench):
    with bench.paused(bench.write_ini(PAUSING), "mdtest-hard-write") as process:
        resource.prlimit(max(ranks_of(bench)), resource.RLIMIT_NOFILE, (3, 3))
    assert process.returncode != 0
    path = f"{bench.data}/mdtest-hard/test-dir.0-0/mdtest_tree.0/file.mdtest."
    assert re.search(LINE.format("mdtest-hard-write", "open", path, "EMFILE"), process.errors)
    assert "ior-hard-write" in bench.summary()


def test_files_that_somebody_else_removed_make_their_phases_invalid(bench):
    with bench.paused(bench.write_ini(PAUSING), "mdtest-easy-stat") as process:
        for path in list(bench.data.rglob("mdtest_tree.0.0/file.mdtest.1.1?")):
            path.unlink()
        (bench.data / "mdtest-hard/test-dir.0-0/mdtest_tree.0/file.mdtest.0.7").unlink()
    assert process.returncode == 0
    for phase, errors in (
        ("mdtest-easy-stat", 10),
        ("mdtest-hard-stat", 1),
        ("mdtest-easy-delete", 10),
        ("mdtest-hard-read", 1),
    ):
        assert re.search(rf"{phase} .*\[INVALID\]", bench.summary())
        section = bench.result().partition(f"\n[{phase}]\n")[2].partition("\n[")[0]
        assert f"ERROR INVALID {errors} operations failed" in section
    assert re.search(r'rank 0 on \S+: stat ".*file.mdtest.1.1\d": No such file', process.output)
    assert not bench.data.exists()


def test_cleanup_removes_what_an_aborted_run_left_and_nothing_else(bench):
    with bench.paused(bench.write_ini(PAUSING), "ior-hard-write") as process:
        process.terminate()
        process.wait(timeout=30)
    (bench.results / "mdtest-easy.stonewall").unlink(missing_ok=True)
    mine = bench.data / "mdtest-easy/test-dir.0-0/mdtest_tree.0.0/file.mdtest.mine"
    mine.write_text("not the benchmark's")
    other = bench.data / "notes.txt"
    other.touch()
    assert len(list(bench.data.rglob("file.mdtest.*"))) == 301

    done = bench.run(bench.write_ini(), "--cleanup")
    assert done.returncode == 0, done.stderr
    assert {path for path in bench.data.rglob("*") if path.is_file()} == {mine, other}
    assert "stays" in done.stdout
    assert bench.summary().rstrip().endswith("[INVALID]")

    mine.unlink()
    other.unlink()
    assert bench.run(bench.write_ini(), "--cleanup").returncode == 0
    assert not bench.data.exists()


def test_a_data_directory_that_was_there_stays_with_what_it_holds(bench):
    bench.data.mkdir()
    kept = bench.data / "kept"
    kept.write_text("mine")
    done = bench.run(bench.write_ini())
    assert done.returncode == 0
    assert list(bench.data.rglob("*")) == [kept]


def test_a_wrong_file_makes_the_interactive_phase_and_the_extended_score_invalid(bench):
    small = {"mdworkbench": {"precreatePerSet": "5", "filesPerProc": "5"}}
    ini = bench.write_ini(PAUSING, small)
    with bench.paused(ini, "mdworkbench-bench", "--mode=extended") as process:
        sets = sorted(path.name for path in (bench.data / "mdworkbench").iterdir())
        os.truncate(bench.data / "mdworkbench/1_3/file-2", 10)
        (bench.data / "mdworkbench/0_9/file-4").unlink()
    assert process.returncode == 0
    assert sets == sorted(f"{rank}_{number}" for rank in (0, 1) for number in range(10))
    # One file is too short to be read; the other fails to be looked at, read and removed.
    assert "; ERROR INVALID 4 operations failed or found wrong data" in bench.result()
    assert re.search(r"mdworkbench-bench .*\[INVALID\]", bench.summary())
    assert re.search(r"\[SCOREX\].*\[INVALID\]", bench.summary())
    assert not bench.data.exists()


def test_cleanup_removes_an_aborted_extended_run_too(bench):
    small = {"mdworkbench": {"precreatePerSet": "5", "filesPerProc": "5"}}
    with bench.paused(bench.write_ini(PAUSING, small), "find", "--mode=extended") as process:
        process.terminate()
        process.wait(timeout=30)
    assert len(list(bench.data.rglob("file-*"))) == 100
    assert bench.run(bench.write_ini(), "--cleanup", "--mode=extended").returncode == 0
    assert not bench.data.exists()
