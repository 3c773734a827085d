"""mdtest on its own: upstream's options and layouts, on trees as upstream makes them."""

import csv
import re
import shlex
import statistics

import pytest

from hpc_disk_bench import tools
from tests.engine.test_data import flip_bit

SEED_003 = shlex.split("-i 3 -b 3 -z 3 -I 10 -w 1024 -y -u")
OWN = r"-- |mdtest-|Command line|Path|FS "


def layout(text):
    """The lines of a report without what any two runs may differ in."""
    lines = [line for line in text.splitlines() if not re.match(OWN, line)]
    return [re.sub(r" +", " ", re.sub(r"\d+\.\d+", "#", line)).rstrip() for line in lines]


@pytest.mark.parametrize(
    ("run", "options"),
    [
        ("sa-mdtest-fsx", SEED_003),
        ("sa-mdtest-fsx-P", [*SEED_003, "-P"]),
        ("sa-mdtest-n", ["-n", "1000"]),
        ("sa-mdtest-e", shlex.split("-n 1000 -F -w 1024 -e 1024 -X -G 5")),
        ("sa-mdtest-n-F-C", ["-n", "1000", "-F", "-C"]),
    ],
)
def test_the_report_is_laid_out_as_upstreams(bench, shared, run, options):
    recorded = (shared("upstream-runs", run) / "stdout.txt").read_text()
    done = bench.run("mdtest", *options, "-d", bench.data)
    assert done.returncode == 0, done.stderr
    assert layout(done.stdout) == layout(recorded)
    columns = re.search(r"^   Operation .*", recorded, re.M)[0]
    assert columns in done.stdout
    ends = [
        {match.end() for match in re.finditer(r"\d\.\d{3}(?=\s)", text)}
        for text in (
            re.search(r"^   Tree creation.*\n", text, re.M)[0] for text in (recorded, done.stdout)
        )
    ]
    assert ends[0] == ends[1]


def test_every_operation_is_measured_and_nothing_is_left(bench):
    done = bench.run("mdtest", *SEED_003, "-d", bench.data, ranks=3)
    rows = re.findall(r"^   (\w+ \w+) +([\d.]+)  ", done.stdout, re.M)
    assert len(rows) == 10
    assert all(float(rate) > 0 for _, rate in rows)
    assert not bench.data.exists()


def test_deviation_is_that_of_a_sample_and_rows_a_rank_go_to_a_file(bench, shared):
    recorded = (shared("upstream-runs", "sa-mdtest-fsx-csv") / "md.csv").read_text().splitlines()
    options = ["--saveRankPerformanceDetails=./md.csv", "-d", bench.data]
    done = bench.run("mdtest", *SEED_003, *options)
    lines = (bench.directory / "md.csv").read_text().splitlines()
    assert lines[0] == recorded[0]
    table = list(csv.DictReader(lines))
    assert [row["rank"] for row in table] == ["all", "0", "1"] * 3
    assert table[0]["items"] == "400"
    rates = [float(row["rate-File creation"]) for row in table if row["rank"] == "all"]
    row = re.search(r"^   File creation +(.*)", done.stdout, re.M)[1].split()
    expected = [max(rates), min(rates), statistics.mean(rates), statistics.stdev(rates)]
    assert [float(value) for value in row] == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("unique", [True, False])
def test_the_tree_has_upstreams_names_and_the_items_of_each_rank(bench, unique):
    options = ["-C", "-b", "2", "-z", "2", "-I", "3", "-w", "10", "-d", bench.data]
    done = bench.run("mdtest", *options, *(["-u"] if unique else []))
    assert done.returncode == 0, done.stderr
    top = bench.data / "test-dir.0-0"
    if unique:
        leaf = top / "mdtest_tree.1.0/mdtest_tree.1.2/mdtest_tree.1.6"
        expected = {f"{kind}.mdtest.1.{i}" for kind in ("dir", "file") for i in (18, 19, 20)}
    else:
        leaf = top / "mdtest_tree.0/mdtest_tree.2/mdtest_tree.6"
        expected = {
            f"{kind}.mdtest.{rank}.{i}"
            for kind in ("dir", "file")
            for rank in (0, 1)
            for i in (18, 19, 20)
        }
    assert {path.name for path in leaf.iterdir()} == expected
    assert len(list(bench.data.rglob("file.*"))) == 2 * 7 * 3
    assert {path.stat().st_size for path in bench.data.rglob("file.*")} == {10}
    done = bench.run("mdtest", "-r", *options[1:], *(["-u"] if unique else []))
    assert done.returncode == 0, done.stdout
    assert not list(bench.data.iterdir())


def test_files_at_the_leaves_only(bench):
    bench.run("mdtest", "-C", "-F", "-L", "-b", "2", "-z", "1", "-n", "8", "-d", bench.data)
    top = bench.data / "test-dir.0-0/mdtest_tree.0"
    assert not list(top.glob("file.*"))
    assert [len(list((top / f"mdtest_tree.{i}").iterdir())) for i in (1, 2)] == [8, 8]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_renaming_leaves_every_directory_with_its_name(bench, count):
    options = ["-D", "-n", str(count), "-d", bench.data]
    assert bench.run("mdtest", "-C", "-U", *options).returncode == 0
    names = {path.name for path in bench.data.rglob("dir.*")}
    assert names == {f"dir.mdtest.{rank}.{i}" for rank in (0, 1) for i in range(count)}
    done = bench.run("mdtest", "-r", *options)
    assert done.returncode == 0, done.stdout


def test_a_flipped_bit_and_a_missing_file_are_told_and_end_in_exit_code_1(bench):
    options = shlex.split("-F -n 20 -w 3901 -e 3901 -G -5 -u -N 1")
    assert bench.run("mdtest", "-C", *options, "-d", bench.data).returncode == 0
    tree = bench.data / "test-dir.0-0/mdtest_tree.1.0"
    flip_bit(tree / "file.mdtest.0.7", 3900)
    done = bench.run("mdtest", "-E", "-X", *options, "-d", bench.data)
    assert done.returncode == 1
    assert f'wrong data in "{tree}/file.mdtest.0.7" at offset 3900' in done.stdout
    assert "File read: 1 operations failed" in done.stdout
    assert bench.run("mdtest", "-E", *options, "-d", bench.data).returncode == 0
    (tree / "file.mdtest.0.7").unlink()
    ranks = bench.directory / "md.csv"
    options += ["--saveRankPerformanceDetails", ranks]
    done = bench.run("mdtest", "-T", *options, "-d", bench.data)
    assert done.returncode == 1
    (run,) = tools.read(ranks)
    assert (run.state, run.ranks, run.operations[0].name) == ("invalid", 2, "File stat")
    assert run.operations[0].reasons == ("1 operations failed or found wrong data",)
    assert f'stat "{tree}/file.mdtest.0.7": No such file or directory (ENOENT)' in done.stdout


@pytest.mark.parametrize("of_ranks", [False, True])
def test_an_operation_that_failed_every_time_does_not_count(bench, of_ranks):
    ranks = bench.directory / "md.csv"
    options = ["-r", "-F", "-n", "5", "-d", bench.data, "--saveRankPerformanceDetails", ranks]
    done = bench.alone("mdtest", *options)
    assert done.returncode == 1
    (bench.directory / "text").write_text(done.stdout)
    (run,) = tools.read(ranks if of_ranks else bench.directory / "text")
    assert run.state == "invalid"
    (removal,) = [one for one in run.operations if one.name == "File removal"]
    assert (removal.statistics.mean, removal.count) == (0, 1)
    assert "5 operations failed" in removal.reasons[0]


def test_reading_part_of_a_file_compares_that_part(bench):
    options = shlex.split("-F -n 5 -w 3901 -e 1001 -X --dataPacketType random")
    assert bench.run("mdtest", *options, "-d", bench.data).returncode == 0


def test_the_calls_of_a_run_of_io500_do_what_its_phases_did(bench):
    """Their command lines, as result.txt tells them, one by one."""
    bench.data.mkdir()
    few = {"mdtest-easy": {"n": "70"}, "mdtest-hard": {"n": "70"}}
    assert bench.run(bench.write_ini(few), "--dry-run").returncode == 0
    calls = re.findall(r"^exe += \./(mdtest .*)", bench.result(), re.M)
    assert len(calls) == 7
    bench.data.mkdir(exist_ok=True)
    for call in calls:
        if call.split()[-4:-3] == ["-r"] and "easy" in call:
            easy = bench.data / "mdtest-easy/test-dir.0-0"
            assert len(list((easy / "mdtest_tree.1.0").glob("file.mdtest.0.*"))) == 70
        done = bench.run(*call.split())
        assert done.returncode == 0, (call, done.stdout, done.stderr)
    assert not [path for path in bench.data.rglob("*") if path.is_file()]
    assert (bench.results / "mdtest-hard.stonewall").read_text() == "70"


def test_the_stonewall_stops_creating_and_is_kept(bench):
    stone = bench.directory / "stone"
    options = ["-F", "-n", "50000000", "-u", "-x", stone, "-d", bench.data]
    done = bench.run("mdtest", "-C", "-W", "1", *options)
    assert done.returncode == 0, done.stderr
    count = int(stone.read_text())
    assert len(list(bench.data.rglob("file.*"))) == 2 * count
    assert bench.run("mdtest", "-r", *options).returncode == 0
    assert not list(bench.data.iterdir())


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ([], "how many?"),
        (["-n", "5", "-S"], "-S is not supported"),
        (["-n", "5", "-F", "-D"], "leave nothing to do"),
        (["-n", "5", "-b", "3", "-z", "3"], "less than one item for each of 40 directories"),
        (["-n", "5", "-b", "9", "-z", "99"], "more than 10^9 directories"),
        (["-n", "5", "-w", "1", "-e", "2"], "-e 2 is more than -w 1"),
        (["-n", "5", "-l", "1"], "-l is not supported"),
        (["-n", "5", "-B", "1"], "-B is not supported"),
        (["-n", "5", "--allocateBufferOnGPU"], "--allocateBufferOnGPU is not supported"),
        (["-n", "5", "-a", "DUMMY"], "-a DUMMY is not supported"),
        (["-n", "five"], "-n = five: expected an integer"),
    ],
)
def test_what_is_not_supported_is_refused_by_name_in_one_line(bench, options, line):
    done = bench.alone("mdtest", *options)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("FATAL mdtest: ")
    assert line in done.stderr
    assert not list(bench.directory.iterdir())


def test_help_names_the_options_that_there_are(bench):
    done = bench.alone("mdtest", "--help")
    named = set(re.findall(r"^  (-\w|--[\w.-]+)\b", done.stdout, re.M))
    asked = "-i -b -z -I -w -y -u -d -n -L -F -P -G -N -x -C -Y -W -T -E -X -r -t -e -a"
    assert {*shlex.split(asked)} <= named


def test_a_directory_that_cannot_be_made_is_named(bench):
    done = bench.alone("mdtest", "-n", "1", "-d", "/no/such/directory")
    assert done.returncode == 1
    assert 'mkdir "/no/such/directory": No such file or directory (ENOENT)' in done.stderr
