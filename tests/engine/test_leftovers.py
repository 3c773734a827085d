"""What an earlier run left and what is of no run: removed by its names, told, never counted."""

import os
import re

import pytest

from tests.engine.conftest import PAUSING
from tests.engine.test_exchange import lay_out


def files_below(directory):
    return [path for path in directory.rglob("*") if path.is_file()]


@pytest.mark.parametrize("ranks", [1, 2])
def test_cleanup_needs_no_more_ranks_than_it_is_given(bench, ranks):
    lay_out(bench, 5)
    for rank in range(5):
        unique = bench.data / f"ior-easy/{rank}/ior_file_easy.{rank:08d}"
        sets = [bench.data / f"mdworkbench/{rank}_{number}/file-7" for number in (0, 9)]
        for path in (unique, *sets, bench.data / f"concurrent/ior_file_easy.{rank:08d}"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    ini = bench.write_ini({"find": {"nproc": "5"}})
    done = bench.run(ini, "--cleanup", "--mode=extended", ranks=ranks)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stdout
    assert not bench.data.exists()


def test_names_that_only_look_like_a_runs_stay(bench):
    names = [
        *("ior-easy/ior_file_easy.00000001.bak", "ior-easy/ior_file_easy.-1", "ior-easy/2x/f"),
        *("mdtest-easy/test-dir.0-0/mdtest_tree.1.1/file.mdtest.0.0", "mdworkbench/0_10/file-1"),
        *("mdtest-hard/test-dir.0-0/mdtest_tree.0/file.mdtest.0.", "mdworkbench/0_1/file-1x"),
        "mdtest-hard/test-dir.0-0/mdtest_tree.0/file.mdtest.0.1.2",
    ]
    for name in names:
        (bench.data / name).parent.mkdir(parents=True, exist_ok=True)
        (bench.data / name).touch()
    done = bench.run(bench.write_ini(), "--cleanup", "--mode=extended")
    assert done.returncode == 0, done.stderr
    assert {str(path.relative_to(bench.data)) for path in files_below(bench.data)} == {*names}
    assert f"the data directory {bench.data} stays" in done.stdout


def test_files_of_an_earlier_run_are_no_creations(bench):
    lay_out(bench, 3)
    done = bench.run(bench.write_ini())
    assert done.returncode == 0, done.stderr
    invalid = re.findall(r"\[RESULT\] +(mdtest-\S+) .*\[INVALID\]", bench.summary())
    assert invalid == ["mdtest-easy-write", "mdtest-hard-write"]
    reason = "; ERROR INVALID Files of an earlier run were there, which were opened, not created"
    assert bench.result().count(reason) == 2
    assert "files of an earlier run are there" in done.stdout
    assert "; WARNING the data directory held " in bench.result()
    assert list(bench.data.iterdir()) == []


def test_trees_that_are_empty_are_no_matter(bench):
    (bench.data / "mdtest-easy/test-dir.0-0/mdtest_tree.0.0").mkdir(parents=True)
    assert bench.run(bench.write_ini()).returncode == 0
    assert "Files of an earlier run" not in bench.result()


def test_what_is_of_no_run_is_told_and_stays(bench):
    with bench.paused(bench.write_ini(PAUSING), "find") as process:
        for name in ("mine", "ior-hard/mine"):
            (bench.data / name).touch()
    assert f"the data directory {bench.data} stays" in process.output
    done = bench.run(bench.write_ini())
    assert re.search(r'WARNING: .* holds "(mine|ior-hard)" already: find counts it', done.stdout)
    assert f"WARNING: {bench.data}/ior-hard stays" in done.stdout
    assert "mdtest-easy stays" not in done.stdout
    assert {path.name for path in files_below(bench.data)} == {"mine"}


@pytest.mark.parametrize("option", ["-w", "-r"])
def test_a_pipe_is_neither_removed_nor_waited_for(bench, option):
    pipe = bench.directory / "pipe"
    os.mkfifo(pipe)
    done = bench.run("ior", option, "-o", pipe, ranks=1)
    assert done.returncode == 1
    assert f'"{pipe}" is a pipe, not a file' in done.stderr
    assert pipe.is_fifo()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes device nodes")
def test_a_device_is_not_removed_to_write_a_file(bench):
    device = bench.directory / "null"
    os.mknod(device, 0o020666, os.makedev(1, 3))
    done = bench.run("ior", "-w", "-o", device, ranks=1)
    assert done.returncode == 1
    assert f'"{device}" is a device, not a file' in done.stderr
    assert device.is_char_device()
