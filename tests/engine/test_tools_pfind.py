"""pfind on its own: it counts what a plain walk of the tree finds."""

import re

import pytest

from tests.support.needs import obeying_modes


@pytest.fixture
def tree(bench):
    """Directories with 40 files each, of two sizes."""
    for i in range(6):
        directory = bench.data / f"a{i % 2}" / f"d{i}"
        directory.mkdir(parents=True)
        for j in range(40):
            (directory / f"file.{j:02}").write_bytes(b"x" * (3901 if j % 3 else 10))
    return bench.data


def matched(done):
    assert done.returncode == 0, done.stderr
    return tuple(map(int, re.search(r"^MATCHED (\d+)/(\d+)$", done.stdout, re.M).groups()))


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("more", [[], ["-N"], ["-H", "1"], ["-q", "5"]])
def test_it_counts_what_a_plain_walk_finds(bench, tree, ranks, more):
    everything = [path for path in tree.rglob("*") if path.is_file()]
    named = [path for path in everything if "01" in path.name]
    sized = [path for path in named if path.stat().st_size == 3901]
    run = [tree, "-C", *more]
    assert matched(bench.run("pfind", *run, ranks=ranks)) == (240, 240)
    assert matched(bench.run("pfind", *run, "-name", "*01*", ranks=ranks)) == (len(named), 240)
    options = ["-name", "*01*", "-size", "3901c"]
    assert matched(bench.run("pfind", *run, *options, ranks=ranks)) == (len(sized), 240)


def test_newer_counts_what_changed_since_and_the_rate_is_told(bench, tree):
    stamp = bench.directory / "stamp"
    stamp.touch()
    done = bench.run("pfind", tree, "-newer", stamp, "-C", "-D", "rates")
    changed = [
        path
        for path in tree.rglob("file.*")
        if int(path.stat().st_ctime) >= int(stamp.stat().st_ctime)
    ]
    assert matched(done) == (len(changed), 240)
    assert re.search(r"^\[DONE\] rate: [\d.]+ kiops time: [\d.]+s found: \d+ \(", done.stdout, re.M)


def test_the_calls_of_a_run_of_io500_count_as_its_phases_did(bench):
    """Their command lines, as result.txt tells them, on files as the phases leave them."""
    assert bench.run(bench.write_ini(), "--mode=extended", "--dry-run").returncode == 0
    calls = re.findall(r"^exe += \./(pfind .*)", bench.result(), re.M)
    assert len(calls) == 3
    (bench.results / "timestampfile").touch()
    for directory in ("mdtest-easy", "mdtest-hard"):
        (bench.data / directory).mkdir(parents=True)
        for i in range(102):
            size = 3901 if directory == "mdtest-hard" else 0
            (bench.data / directory / f"file.mdtest.0.{i:03}").write_bytes(b"x" * size)
    found = {call.split()[1]: matched(bench.run(*call.split())) for call in calls}
    names = sum("01" in f"{i:03}" for i in range(102))
    assert found == {
        f"{bench.data}/mdtest-easy/": (names, 102),
        f"{bench.data}": (names, 204),
        f"{bench.data}/mdtest-hard/": (names, 102),
    }


def test_a_directory_that_nobody_may_read_is_told(bench, tree):
    (tree / "a0").chmod(0)
    done = bench.run("pfind", tree, "-C", before=obeying_modes())
    (tree / "a0").chmod(0o755)
    assert done.returncode == 1
    assert "could not be looked at" in done.stdout


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ([".", "-e"], "-e is not supported"),
        ([".", "-C", "-size", "3901"], "-size 3901: expected bytes"),
        ([".", "-C", "-size", "+3900c"], "-size +3900c is not supported: only an exact size"),
        ([".", "-C", "-size", "-3900c"], "-size -3900c is not supported: only an exact size"),
        ([".", "-C", "-name", "a?c"], "-name a?c: expected *part*"),
        ([".", "-C", "-regex", "("], "-regex (: "),
        ([".", "-C", "-H", "2"], "-H = 2: expected an integer from 0 to 1"),
        ([".", "-C", "-D", "all"], "-D all is not supported"),
        (["/no/such/directory", "-C"], "/no/such/directory: No such file or directory (ENOENT)"),
        ([".", "other", "-C"], "other is not supported"),
    ],
)
def test_what_is_not_supported_is_refused_by_name_in_one_line(bench, options, line):
    done = bench.alone("pfind", *options)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("FATAL pfind: ")
    assert line in done.stderr


def test_help_names_the_options_that_there_are(bench):
    done = bench.alone("pfind", "--help")
    assert done.returncode == 0
    for option in ("-newer", "-size", "-name", "-C", "-N", "-H", "-q"):
        assert f"  {option}" in done.stdout
