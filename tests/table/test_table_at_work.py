"""Aggregations beside wrappers that write, beside each other, and killed at any moment."""

import csv
import io
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support import trees

WRITERS, AGGREGATIONS = 20, 50
RUNS = """
for ((n = 0; n < 40; n++)); do
  [[ ! -e $2/stop ]] || exit 0
  "$1/io500_wrapper.sh" busy "$3" local ssd "$2/test $3" >/dev/null 2>"$2/err.$3" || exit 1
  sleep 1
done
"""


@pytest.fixture
def writers(root, tmp_path):
    """Twenty wrappers that run a stand-in benchmark into tmp_path/io500_results, over and over."""
    recorded = next((root / "tests/fixtures/upstream/valid").rglob("result_summary.txt")).parent
    environ = {
        **os.environ,
        "IO500_BIN": str(root / "tests/node/support/stand-in-io500"),
        "STAND_IN_RUN": str(recorded),
        "IO500_RESULTS_DIR": str(tmp_path / "io500_results"),
        "NUM_PROCS": "1",
        # What is tried here is the writing; the checks before a run have their own tests.
        "CONFIG_FILE": str(root / "tests/support/config-tiny.ini"),
        "PROBE_SECONDS": "0",
    }
    processes = [
        subprocess.Popen(
            ["bash", "-c", RUNS, "writer", root, tmp_path, f"n{k}"],
            env=environ,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        for k in range(WRITERS)
    ]
    try:
        yield processes
    finally:
        (tmp_path / "stop").touch()
        for process in processes:
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def test_while_wrappers_write_no_aggregation_sees_half_a_file(aggregate, tmp_path, root, writers):
    tree = tmp_path / "io500_results"
    deadline = time.monotonic() + 60
    while not [*tree.rglob("results.json")]:
        assert time.monotonic() < deadline
        time.sleep(0.1)

    def one(number):
        # Some write each its own table, some all the same one; some without the memory.
        name = "shared.csv" if number % 3 == 0 else f"{number}.csv"
        options = ["--no-cache"] if number % 5 == 0 else []
        time.sleep(0.5)
        return name, aggregate(*options, tree, name)

    with ThreadPoolExecutor(4) as pool:
        done = [*pool.map(one, range(AGGREGATIONS))]
    for process in writers:
        assert process.poll() in (None, 0)
    sizes = []
    for name, process in done:
        assert (process.returncode, process.stderr) == (0, "")
        for words in ("not JSON", "not UTF-8", "cannot be read", "not a JSON object", "Note on"):
            assert words not in process.stdout
        text = (tmp_path / name).read_text()
        lines = [*csv.reader(io.StringIO(text, newline=""))]
        assert {len(line) for line in lines} == {len(lines[0])}
        rows = [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]
        assert {row["state"] for row in rows} <= {"complete", "running"}
        assert len({row["find_value"] for row in rows if row["state"] == "complete"}) <= 1
        sizes.append(len(rows))
    assert max(sizes) > min(sizes)
    (tmp_path / "stop").touch()
    for process in writers:
        assert process.wait(60) == 0
    for name, options in (("a.csv", []), ("b.csv", ["--no-cache"])):
        assert aggregate(*options, tree, name).returncode == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert leftovers(tmp_path) == []


def leftovers(directory):
    return [path.name for path in directory.rglob(".*") if path.name.endswith(".part")]


def test_killed_at_any_moment_it_leaves_the_old_table_or_the_new_one(root, tmp_path, aggregate):
    tree = trees.write_tree(tmp_path / "io500_results", trees.mixed_runs(400))
    assert aggregate("io500_results", "whole.csv").returncode == 0
    whole, table = (tmp_path / "whole.csv").read_bytes(), tmp_path / "t.csv"
    (memory,) = tree.glob(".aggregate-cache-*")
    seen = set()
    for delay in range(24):
        table.write_bytes(b"old")
        memory.unlink(missing_ok=True)
        process = subprocess.Popen(
            [sys.executable, root / "aggregate_results.py", "-q", "io500_results", table],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
        )
        time.sleep(0.02 * delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        seen.add(table.read_bytes())
        # A killed one may leave its parts; what it remembered is whole or not there.
        if memory.exists():
            assert aggregate("io500_results", "again.csv").returncode == 0
            assert (tmp_path / "again.csv").read_bytes() == whole
    assert seen <= {b"old", whole}
    memory.unlink(missing_ok=True)
    assert aggregate("io500_results", "t.csv").returncode == 0
    assert table.read_bytes() == whole
    assert leftovers(tmp_path) == []


def test_parts_of_the_dead_go_and_those_of_the_living_and_of_others_stay(tree, aggregate, tmp_path):
    tree({})
    host = "".join(sign for sign in os.uname().nodename if sign.isalnum() or sign == ".")[:40]
    dead = subprocess.Popen(["true"])
    dead.wait()
    name = ".aggregated_results.csv"
    parts = {
        f"{name}.{host}-{dead.pid}-0123abcd.part": False,
        f"{name}.{host}-{os.getpid()}-0123abcd.part": True,
        f"{name}.another-{dead.pid}-0123abcd.part": True,
        f"{name}.anotherhost-{dead.pid}-0123abcd.part": True,
        f"{name}.part": True,
        f".mine.csv.{host}-{dead.pid}-0123abcd.part": True,
    }
    for part in parts:
        (tmp_path / part).write_text("half")
    old = f"{name}.anotherhost-{dead.pid}-01234567.part"
    (tmp_path / old).write_text("half")
    os.utime(tmp_path / old, (0, 0))
    aggregate()
    assert {part: (tmp_path / part).exists() for part in parts} == parts
    assert not (tmp_path / old).exists()
