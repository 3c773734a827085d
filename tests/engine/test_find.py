"""The find phase sees every file once, whatever the tree and however many ranks."""

import os
import re

import pytest

from tests.engine.conftest import PAUSING

WALKS = {
    "stealing": {},
    "stealing from the next": {"pfind-steal-next": "TRUE"},
    "hashing": {"pfind-parallelize-single-dir-access-using-hashing": "TRUE"},
    "a short queue": {"pfind-queue-length": "1"},
    "fewer ranks": {"nproc": "1"},
}


def grow_tree(top):
    """Wide, deep, empty and uneven directories, and names that match by chance."""
    for wide in range(60):
        directory = top / f"wide{wide}"
        directory.mkdir(parents=True)
        for number in range(wide % 7 * 10):
            (directory / f"x01-{number}").touch()
    deep = top
    for level in range(40):
        deep = deep / f"level-{level}"
        deep.mkdir()
        (deep / "leaf").touch()
    os.symlink(top, top / "loop01")
    (top / "right").mkdir()
    for number in range(25):
        (top / f"right/a01b{number}").write_bytes(b"x" * 3901)
        (top / f"right/a01c{number}").write_bytes(b"x" * 3900)


def counts(result):
    section = result.split("[find]\n")[1].split("\n[")[0]
    return tuple(int(re.search(rf"{key} += (\d+)", section)[1]) for key in ("found", "total-files"))


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("walk", WALKS)
def test_every_walk_finds_the_same(bench, walk, ranks):
    with bench.paused(bench.write_ini(PAUSING, {"find": WALKS[walk]}), "find", ranks=ranks) as run:
        grow_tree(bench.data / "foreign")
        files = [path for path in bench.data.rglob("*") if path.is_symlink() or not path.is_dir()]
        stamp = int((bench.results / "timestampfile").stat().st_ctime)
        matching = [
            path
            for path in files
            if "01" in path.name
            and path.lstat().st_size == 3901
            and int(path.lstat().st_ctime) >= stamp
        ]
    assert run.returncode == 0, run.errors
    assert counts(bench.result()) == (len(matching), len(files))
    assert len(matching) >= 25


def test_finding_nothing_is_invalid(bench):
    bench.run(bench.write_ini({"mdtest-hard": {"n": "1"}}))
    assert "; ERROR INVALID Find didn't find anything, this is likely invalid." in bench.result()
    assert re.search(r" find .*\[INVALID\]", bench.summary())


def test_the_rows_of_the_ranks_add_up(bench):
    bench.run(bench.write_ini(), ranks=4)
    rows = (bench.results / "find.csv").read_text().splitlines()[2:]
    columns = list(zip(*(row.split(", ") for row in rows), strict=True))
    found, total = (sum(map(int, columns[i])) for i in (3, 4))
    assert len(rows) == 4
    assert (found, total) == counts(bench.result())
    assert sum(map(int, columns[7])) == sum(map(int, columns[9]))


def script(bench, *lines):
    path = bench.directory / "own find.sh"
    path.write_text("\n".join(["#!/bin/sh", 'printf "%s\\n" $WORD "$@" > arguments', *lines, ""]))
    path.chmod(0o755)
    (bench.directory / "link").symlink_to(path)
    options = {"external-mpi-args": "env WORD=seen", "external-extra-args": "--fast $(touch bad)"}
    return {"find": {"external-script": "./link", **options}}


def test_a_script_of_ones_own_does_the_find(bench):
    done = bench.run(bench.write_ini(script(bench, "echo talk", "echo MATCHED 7/4321")))
    assert done.returncode == 0, done.stderr
    assert counts(bench.result()) == (7, 4321)
    assert 'last-output     = "MATCHED 7/4321"' in bench.result()
    arguments = (bench.directory / "arguments").read_text().splitlines()
    stamp = "./results/timestampfile"
    rest = ["-newer", stamp, "-size", "3901c", "-name", "*01*"]
    assert arguments == ["seen", "--fast", "$(touch", "bad)", str(bench.data), *rest]
    assert not (bench.directory / "bad").exists()
    assert not re.search(r" find .*\[INVALID\]", bench.summary())


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["echo MATCHED 7/9", "exit 3"], "Exit code 768 != 0 from find command"),
        (["echo MATCHED 0/9"], "Find didn't find anything"),
        ([], "Find didn't find anything"),
    ],
)
def test_a_script_that_fails_or_finds_nothing_makes_its_phase_invalid(bench, lines, reason):
    assert bench.run(bench.write_ini(script(bench, *lines))).returncode == 0
    assert f"; ERROR INVALID {reason}" in bench.result()
    assert re.search(r" find .*\[INVALID\]", bench.summary())


def test_the_lines_of_a_script_that_gives_no_count_are_counted(bench):
    assert bench.run(bench.write_ini(script(bench, "seq 12"))).returncode == 0
    assert counts(bench.result()) == (12, 12)
    assert "; WARNING the last line is not MATCHED found/total" in bench.result()


def test_a_script_that_names_no_interpreter_is_run_as_a_shell_would(bench):
    options = script(bench, "echo MATCHED 7/9")
    own = bench.directory / "own find.sh"
    own.write_text(own.read_text().partition("\n")[2])
    options["find"]["external-mpi-args"] = ""
    done = bench.run(bench.write_ini(options))
    assert done.returncode == 0, done.stderr
    assert counts(bench.result()) == (7, 9)


def test_a_missing_script_is_refused_before_anything_runs(bench):
    done = bench.run(bench.write_ini({"find": {"external-script": "./nowhere"}}))
    assert done.returncode == 1
    assert "external-script = ./nowhere: cannot be executed: No such file" in done.stderr
    assert not bench.results.exists()
