"""What is remembered of a tree makes no difference to the table: only to how long it takes."""

import json
import os
import random
import shutil
import socket
import subprocess
import sys
import time

import pytest

from tests.support import trees


@pytest.fixture
def made(tmp_path, aggregate):
    """A tree of many runs that was aggregated once, and is old enough to be remembered."""
    # What still runs is looked at each time.
    runs = [run for run in trees.mixed_runs(60, seed=5) if run.state != "running"]
    root = trees.write_tree(tmp_path / "io500_results", runs)
    time.sleep(0.1)
    aggregate()
    return root


@pytest.fixture
def same(aggregate, tmp_path):
    """same(): aggregates with and without memory, which must give and say the same; the table."""

    def check(*options):
        done = aggregate(*options, "io500_results", "with.csv")
        (tmp_path / "without.csv").unlink(missing_ok=True)
        plain = aggregate("--no-cache", *options, "io500_results", "without.csv")
        assert done.stdout.replace("with.csv", "without.csv") == plain.stdout
        assert (done.stderr, done.returncode) == (plain.stderr, plain.returncode)
        assert (tmp_path / "with.csv").read_bytes() == (tmp_path / "without.csv").read_bytes()
        return (tmp_path / "with.csv").read_text()

    return check


def memory(root, form="wide"):
    return root / f".aggregate-cache-{form}-{os.geteuid()}"


def when_written(path):
    """Which file it is and when it was written; that it was read says nothing."""
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def test_an_unchanged_tree_gives_the_same_and_is_not_remembered_again(made, same):
    written = when_written(memory(made))
    for _ in range(2):
        same()
        assert when_written(memory(made)) == written


def test_a_table_that_stands_already_is_left_alone_and_another_is_mended(made, aggregate, tmp_path):
    table = tmp_path / "aggregated_results.csv"
    whole, before = table.read_bytes(), table.stat().st_ino
    aggregate()
    assert table.stat().st_ino == before
    table.write_bytes(whole[:-1])
    aggregate()
    assert table.read_bytes() == whole


def test_a_run_that_dies_without_a_word_counts_as_interrupted_though_no_file_changes(
    tree, aggregate, rows, change
):
    root = tree({"state": "running"}, {})
    (status,) = [path for path in root.rglob("status.json") if '"running"' in path.read_text()]
    status.with_name("results.json").write_text('{"partial": true}')
    sleeping = "import time; time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", sleeping, "hpc_disk_bench"])
    try:
        change(status, host=socket.gethostname(), pid=process.pid)
        time.sleep(0.1)
        aggregate()
        assert rows()[0]["state"] == "running"
    finally:
        process.kill()
        process.wait()
    aggregate()
    assert (rows()[0]["state"], rows()[0]["diagnosis"]) == ("interrupted", "HDB028")


def replaced(path):
    content = json.loads(path.read_text())
    if "find" in content:
        content["find"]["value"] = 4242.5
    path.write_text(json.dumps(content))


CHANGES = {
    "a value changed in place": lambda run: replaced(run / "results.json"),
    "a run removed": shutil.rmtree,
    "a run renamed": lambda run: run.rename(run.with_name("2031.01.01-00.00.00")),
    "results lost": lambda run: (run / "results.json").unlink(),
    "results broken": lambda run: (run / "results.json").write_text("{"),
    "status lost": lambda run: (run / "status.json").unlink(missing_ok=True),
    "metadata lost": lambda run: (run / "run_metadata.json").unlink(),
    "a copy made": lambda run: shutil.copytree(run, run.parent / "backup/of" / run.name),
    "an empty directory": lambda run: (run.parent / "2031.02.02-00.00.00").mkdir(),
    "a new node's run": lambda run: trees.write_tree(
        next(p for p in run.parents if p.name == "io500_results"),
        [trees.Run(trees.Node("new1"), "local", "", "ssd")],
    ),
    "node metadata changed": lambda run: [
        path.write_text(path.read_text().replace("Rocky", "Some"))
        for path in next(p for p in run.parents if p.name == "io500_results").rglob("node_*.json")
    ],
    "node metadata lost": lambda run: next(
        path for p in run.parents for path in p.glob("node_metadata.json")
    ).unlink(),
    "same size and times": lambda run: (
        shutil.copy2(run / "results.json", run / "r"),
        (run / "r").write_bytes((run / "r").read_bytes().replace(b"0.", b"1.")),
        shutil.copystat(run / "results.json", run / "r"),
        (run / "r").rename(run / "results.json"),
    ),
    "an AppleDouble file at the top": lambda run: (
        next(p for p in run.parents if p.name == "io500_results")
        .joinpath("._results.json")
        .write_bytes(b"\0")
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_every_change_is_seen(made, same, what):
    before = same()
    run = sorted(made.rglob("results.json"))[7].parent
    CHANGES[what](run)
    after = same()
    unseen = ("an empty directory", "an AppleDouble file at the top", "a copy made")
    if what not in unseen:
        assert before != after
    assert same() == after


def test_a_phase_that_is_new_to_the_table_widens_every_row_that_is_remembered(made, same, change):
    extra = {"value": 2.5, "unit": "kIOPS", "time": 3.0, "valid": False, "reasons": ["a, b"]}
    results = sorted(made.rglob("results.json"))
    before = same()
    extended = {"bandwidth": 1.0, "iops": 4.0, "total": 2.0, "valid": True}
    change(results[3], **{"find-hard": extra, "score_extended": extended})
    time.sleep(0.1)
    wider = same()
    assert "find_hard_value" in wider
    assert same() == wider
    change(results[3], **{"find-hard": ..., "score_extended": ...})
    time.sleep(0.1)
    assert same() == before


def test_the_long_form_is_remembered_apart(made, same, aggregate):
    first = same("--long")
    assert same("--long") == first
    assert memory(made, "long").exists()
    assert first != same()


def test_a_broken_memory_is_no_obstacle_and_is_made_anew(made, same):
    whole = memory(made).read_bytes()
    expected = same()
    dice = random.Random(4)
    for k in range(24):
        broken = bytearray(whole)
        if k % 2:
            del broken[dice.randrange(len(broken)) :]
        else:
            place = dice.randrange(len(broken))
            broken[place] ^= 1 << dice.randrange(8)
        memory(made).write_bytes(broken)
        assert same() == expected
    for content in (b"", b"\0" * 100, whole[:31] + b"[]\n", whole[:31] + b'{"code": 1}\n', b"x"):
        memory(made).write_bytes(content)
        assert same() == expected
    assert len(memory(made).read_bytes()) == len(whole)


def test_what_another_version_remembers_is_not_used(made, same, aggregate):
    whole = memory(made).read_bytes()
    mark, header, rest = whole.split(b"\n", 2)
    old = json.loads(header)
    memory(made).write_bytes(b"\n".join((mark, json.dumps(old | {"code": "0"}).encode(), rest)))
    same()
    assert memory(made).read_bytes().split(b"\n")[1] == header


def test_where_no_memory_can_be_written_the_table_comes_all_the_same(made, same):
    expected = same()
    memory(made).unlink()
    memory(made).mkdir()
    assert same() == expected
    assert not [path.name for path in made.iterdir() if path.name.endswith(".part")]


def test_a_link_or_a_pipe_in_its_place_is_not_followed(made, same, tmp_path):
    expected = same()
    target = tmp_path / "somebody else's"
    target.write_text("keep")
    memory(made).unlink()
    memory(made).symlink_to(target)
    assert same() == expected
    assert target.read_text() == "keep"
    memory(made).unlink()
    os.mkfifo(memory(made))
    assert same() == expected


def test_only_its_owner_may_read_it_and_it_can_be_done_without(made, aggregate):
    assert memory(made).stat().st_mode & 0o777 == 0o600
    memory(made).unlink()
    aggregate("--no-cache")
    assert not memory(made).exists()
