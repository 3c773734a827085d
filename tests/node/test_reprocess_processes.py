"""Parsing a tree in several processes: the same as in one, and an end whatever befalls them."""

import json
import multiprocessing
import shutil
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from hpc_disk_bench import workers
from hpc_disk_bench.results import load


def test_several_processes_give_the_same_tree_and_the_same_words(root, recorded, tmp_path):
    trees = [tmp_path / name for name in ("one", "three")]
    said = []
    for tree, jobs in zip(trees, ("1", "3"), strict=True):
        for number in range(20):
            run = tree / f"c/n1/local/ssd/2026.01.01-00.00.{number:02}"
            name = ("invalid", "aborted", "two-phases")[number % 3]
            shutil.copytree(recorded(name), run, copy_function=shutil.copyfile)
        command = [root / "reprocess_all_results.sh", f"--jobs={jobs}", tree]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        said.append(done.stdout.replace(str(tree), "TREE"))
    assert said[0] == said[1]
    assert "20 parsed" in said[0]
    contents = [
        {path.relative_to(tree): path.read_bytes() for path in tree.rglob("*.json")}
        for tree in trees
    ]
    assert contents[0] == contents[1]


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_at_once_and_leaves_whole_files_alone(
    root, recorded, tmp_path, number, jobs
):
    for place in range(400):
        shutil.copytree(recorded("invalid"), tmp_path / f"n/{place:03}")
    command = [root / "reprocess_all_results.sh", "--jobs", jobs, "--quiet", tmp_path]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not list(tmp_path.glob("n/*/results.json")):
        time.sleep(0.01)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (128 + number, "", "")
    written = list(tmp_path.glob("n/*/results.json"))
    assert len(written) < 400
    whole = load(recorded("invalid")).as_json()
    assert all(json.loads(path.read_text()) == whole for path in written)
    assert list(tmp_path.glob("n/*/.*.part")) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_that_is_killed_ends_it_with_a_word_and_the_rest_is_for_the_next_call(
    root, recorded, tmp_path, number
):
    for place in range(400):
        shutil.copytree(recorded("invalid"), tmp_path / f"n/{place:03}")
    command = [root / "reprocess_all_results.sh", "--jobs=2", tmp_path]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not list(tmp_path.glob("n/*/results.json")):
        time.sleep(0.01)
    psutil.Process(process.pid).children(recursive=True)[-1].send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 5
    assert err.endswith(
        ": one of 2 processes was killed, most often for want of memory: what was done stays;"
        " call again for the rest, with a smaller --jobs\n"
    )
    assert err.count("\n") == 1
    written = len(list(tmp_path.glob("n/*/results.json")))
    assert 0 < written < 400
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    counts = done.stdout.splitlines()[-1]
    assert counts.startswith(f"{400 - written} parsed, 0 changed, {written} unchanged")


def _deaf_but_for_the_first(task):
    if task:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        Path(task).touch()
        time.sleep(600)


def test_processes_that_hear_no_signal_are_ended_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "GRACE", 0.5)
    deaf = tmp_path / "deaf"
    with workers.in_order(_deaf_but_for_the_first, ["", deaf], 2) as answers:
        assert next(answers) is None
        while not deaf.exists():
            time.sleep(0.01)
    assert multiprocessing.active_children() == []


def _deaf(task):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return task


def test_a_process_that_heard_no_signal_while_it_waited_hears_that_no_task_comes(monkeypatch):
    monkeypatch.setattr(workers, "GRACE", 600)
    with workers.in_order(_deaf, range(8), 2) as answers:
        assert list(answers) == [*range(8)]
    assert multiprocessing.active_children() == []


def _failing(task):
    if task == 5:
        raise BrokenPipeError(f"task {task}")
    return task


def test_what_goes_wrong_in_a_task_is_shown_where_it_did_and_ends_it(capfd):
    with pytest.raises(RuntimeError), workers.in_order(_failing, range(20), 2) as answers:
        list(answers)
    assert "in _failing" in (said := capfd.readouterr().err)
    assert said.endswith("BrokenPipeError: task 5\n")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_processes_end_with_their_parent(root, recorded, tmp_path, number):
    for place in range(400):
        shutil.copytree(recorded("invalid"), tmp_path / f"n/{place:03}")
    command = [root / "reprocess_all_results.sh", "--jobs=2", "--quiet", tmp_path]
    process = subprocess.Popen(command)
    while not list(tmp_path.glob("n/*/results.json")):
        time.sleep(0.01)
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(number)
    process.wait()
    assert len(children) == 2
    assert psutil.wait_procs(children, timeout=30)[1] == []
