"""The tools' options: all that recorded calls have, and what the rarer ones do."""

import json
import re
import shlex
from collections import defaultdict

import pytest

# Calls that upstream's own programs refuse.
REFUSED = {"sa-ior-fsx-B", "sa-ior-badopt", "sa-mdtest-fsx-B1"}
NAMES = {"ior": "ior", "mdtest": "mdtest", "md-workbench": "mdworkbench", "pfind": "pfind"}
SEED_TABLES = {
    "ior": ["-w", "-r", "-B", "-o", "-a", "-F", "-Z", "-z", "-i", "-C", "-b", "-t"],
    "mdtest": ["-i", "-b", "-z", "-I", "-w", "-y", "-u", "-d"],
}


def recorded_calls(shared):
    """(tool, words) of every call of the recorded runs: those of users and those of IO500."""
    runs = shared("upstream-runs")
    for file in runs.glob("sa*/cmd.txt"):
        if file.parent.name not in REFUSED:
            line = re.search(r"^cmd: (.*)", file.read_text(), re.M)[1]
            words = shlex.split(line)
            tool = next(i for i, word in enumerate(words) if word.rpartition("/")[2] in NAMES)
            yield NAMES[words[tool].rpartition("/")[2]], words[tool + 1 :]
    for file in (*runs.glob("*/results/**/result.txt"), *shared("samples").glob("*/result.txt")):
        for line in re.findall(r"exe += \./(.*)", file.read_text(errors="replace")):
            name, *words = line.split()
            yield NAMES[name], words


def options_of(words):
    """The options among the words, directives as "-O key"."""
    before = ""
    for word in words:
        if before == "-O":
            yield f"-O {word.partition('=')[0]}"
        elif re.match(r"-(?!\d{2})\S", word) and word not in ("-O", "-h", "--help"):
            option = word.partition("=")[0]
            yield f"-O {word.split('=')[1]}" if option == "-O" and word.count("=") > 1 else option
        before = word


@pytest.mark.parametrize("tool", ["ior", "mdtest", "mdworkbench", "pfind"])
def test_every_option_of_the_recorded_calls_is_there(bench, shared, tool):
    wanted = defaultdict(set)
    for name, words in recorded_calls(shared):
        wanted[name].update(options_of(words))
    wanted[tool].update(SEED_TABLES.get(tool, ()))
    text = bench.alone(tool, "--help").stdout
    spelt = set(re.findall(r"(?:^  |, )(-[\w.-]+)", text, re.M))
    directives = re.findall(r"^  (?:-O (\w+)|.*?  (\w+) --)", text, re.M)
    spelt |= {f"-O {key}".lower() for pair in directives for key in pair if key}
    assert len(wanted[tool]) > 4
    missing = {word for word in wanted[tool] if word not in spelt and word.lower() not in spelt}
    # Memory of a GPU, and interfaces that the embedded engine does not have, are refused by name.
    assert all(re.match(r"-.*allocateBufferOnGPU|--(dfs|chfs)\.", word) for word in missing), (
        missing
    )


def names(directory):
    return sorted(
        str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()
    )


def test_ior_writes_files_of_their_own_for_each_iteration(bench):
    bench.data.mkdir()
    bench.run("ior", "-w", "-k", "-m", "-i", "2", "-F", "-o", bench.data / "f")
    assert names(bench.data) == [f"f.{i}.0000000{rank}" for i in range(2) for rank in range(2)]
    done = bench.run("ior", "-w", "-r", "-m", "-i", "2", "-o", bench.data / "g")
    assert done.returncode == 0
    assert len(names(bench.data)) == 4


def test_ior_leaves_ranks_out(bench):
    bench.data.mkdir()
    done = bench.run("ior", "-w", "-k", "-F", "-N", "2", "-o", bench.data / "f", ranks=3)
    assert done.returncode == 0, done.stderr
    assert names(bench.data) == ["f.00000000", "f.00000001"]
    assert re.search(r"^tasks +: 2$", done.stdout, re.M)
    done = bench.run("ior", "-N", "4", "-o", bench.data / "g", ranks=2)
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        1,
        "FATAL ior: -N 4: this call has 2 ranks",
    )


def test_ior_tells_every_transfer(bench, shared):
    recorded = shared("upstream-runs", "sa-ior-csvdetails") / "perop-0-00000.csv"
    bench.data.mkdir()
    details = f"savePerOpDataCSV={bench.directory}/ops"
    sizes = ["-b", "512k", "-t", "64k"]
    bench.run("ior", "-w", "-r", "-i", "2", *sizes, "-o", bench.data / "f", "-O", details)
    files = sorted(bench.directory.glob("ops-*"))
    assert [file.name for file in files] == [
        f"ops-{access}-{iteration}-0000{rank}.csv"
        for access in ("read", "write")
        for iteration in range(2)
        for rank in range(2)
    ]
    for file in files:
        head, *rows = file.read_text().splitlines()
        assert head == recorded.read_text().splitlines()[0]
        assert len(rows) == 8
        cells = [[float(cell) for cell in row.split(",")] for row in rows]
        assert cells == sorted(cells, key=lambda row: row[0])
        assert all(pytest.approx(row[1] * row[2], rel=1e-4) == 64 << 10 for row in cells)


@pytest.mark.parametrize(
    ("options", "order"),
    [(["-Z"], "random task offset"), (["-Z", "-Z"], "shuffled tasks"), (["-C"], None)],
)
def test_ior_names_the_random_order_of_ranks_and_its_seed(bench, options, order):
    told = {"ordering inter file": order or "constant task offset"}
    told |= {"task order seed": 7} if order else {"task offset": 1}
    call = ["ior", "-w", "-X", "7", "-o", bench.directory / "f", *options]
    text = re.findall(r"^(order.* inter.*|task o.*?) +: (.*)", bench.alone(*call).stdout, re.M)
    assert dict(text) == {key: str(value) for key, value in told.items()}
    done = bench.alone(*call, "-O", "summaryFormat=JSON")
    assert told.items() <= json.loads(done.stdout)["tests"][0]["Options"].items()


def test_ior_fills_blocks_before_it_writes_them_at_random(bench):
    bench.data.mkdir()
    where = ["-o", bench.data / "f", "-b", "256k", "-t", "32k", "-s", "2", "-G", "3", "-z", "-k"]
    done = bench.run("ior", "-w", *where, "--randomPrefill=128k", ranks=3)
    assert done.returncode == 0, done.stderr
    done = bench.run("ior", "-r", "-R", *where, ranks=3)
    assert (done.returncode, "Incorrect" in done.stdout) == (0, False)
    done = bench.run("ior", "-w", "--randomPrefill=128k", "-o", bench.data / "g", ranks=1)
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        1,
        "FATAL ior: --randomPrefill needs one -z, and -b to be a multiple of it",
    )


def test_ior_says_all_of_upstreams_parameters_in_json(bench, shared):
    recorded = shared("upstream-runs", "sa-ior-fsx-jsonfile") / "summary.json"
    bench.data.mkdir()
    more = ["-M", "1m", "-T", "7", "-Y", "-m", "-K", "-O", "summaryFormat=JSON"]
    done = bench.run("ior", "-w", "-o", bench.data / "f", *more)
    ours = json.loads(done.stdout)["tests"][0]["Parameters"]
    assert set(json.loads(recorded.read_text())["tests"][0]["Parameters"]) <= set(ours)
    asked = {"memoryPerNode": 1 << 20, "maxTimeDuration": 7}
    asked |= dict.fromkeys(("fsyncperwrite", "multiFile", "keepFileWithError"), 1)
    assert {key: ours[key] for key in asked} == asked
    done = bench.alone("ior", "-M", "101%")
    assert done.returncode == 1
    assert "-M 101%: expected a size such as 2g, or a share such as 75%" in done.stderr


def test_mdtest_spreads_the_items_of_a_rank_over_trees(bench):
    bench.data.mkdir()
    options = ["-F", "-n", "25", "-I", "10", "-N", "1", "-w", "50", "-e", "50", "-d", bench.data]
    assert bench.run("mdtest", "-C", *options).returncode == 0
    sizes = {0: 10, 1: 10, 2: 5}
    assert names(bench.data) == sorted(
        f"test-dir.0-{tree}/mdtest_tree.0/file.mdtest.{rank}.{item}"
        for tree, count in sizes.items()
        for rank in range(2)
        for item in range(count)
    )
    done = bench.run("mdtest", "-T", "-R", "-E", "-X", "-r", *options)
    assert done.returncode == 0, done.stdout
    assert not list(bench.data.iterdir())


@pytest.mark.parametrize("more", [["-c"], ["-k"], ["-c", "-k", "-u"], ["--verify-write"], ["-R"]])
def test_mdtest_makes_the_same_files_in_other_ways(bench, more):
    bench.data.mkdir()
    options = ["-n", "9", "-N", "1", "-w", "70", "-e", "70", "-G", "4", "-d", bench.data]
    done = bench.run("mdtest", *options, *more, "-X", "-i", "2", ranks=3)
    assert (done.returncode, "WARNING" in done.stdout) == (0, False), done.stdout
    assert not list(bench.data.iterdir())
    assert bench.run("mdtest", "-F", "-C", *options, *more, ranks=3).returncode == 0
    assert len(names(bench.data)) == 27
    done = bench.run("mdtest", "-F", "-E", "-X", *options, *set(more) & {"-u"}, ranks=3)
    assert (done.returncode, "WARNING" in done.stdout) == (0, False), done.stdout


def test_pfind_prints_what_it_found(bench):
    for name in ("a/file-1", "a/b/file-22", "a/other"):
        (bench.data / name).parent.mkdir(parents=True, exist_ok=True)
        (bench.data / name).touch()
    done = bench.run("pfind", bench.data, "-regex", "^file-[0-9]+$")
    *paths, last = sorted(done.stdout.splitlines(), key=lambda line: line.startswith("MATCHED"))
    assert sorted(paths) == [f"{bench.data}/a/b/file-22", f"{bench.data}/a/file-1"]
    assert last == "MATCHED 2/3"


def test_pfind_tells_every_rank_as_upstream_does(bench, shared):
    recorded = shared("upstream-runs", "sa-pfind") / "stdout.txt"
    for i in range(40):
        (bench.data / f"d{i % 4}").mkdir(parents=True, exist_ok=True)
        (bench.data / f"d{i % 4}/f-{i:02}").touch()
    done = bench.run("pfind", bench.data, "-name", "*01*", "-C", "-D", "rates", "-P")

    def shape(text):
        return re.sub(r"[\d.]+", "N", text)

    assert shape(done.stdout) == shape(recorded.read_text())
    counts = re.findall(r"^\[\d\].*found: (\d+) \(scanned (\d+) files", done.stdout, re.M)
    assert [sum(int(pair[i]) for pair in counts) for i in range(2)] == [1, 40]


def workbench(bench, *options, ranks=3):
    return bench.run("mdworkbench", f"-o={bench.data}/w", "-D=2", "-X", *options, ranks=ranks)


def test_mdworkbench_only_reads_where_asked_to(bench):
    bench.data.mkdir()
    sizes = ["-P=20", "-I=20", "-O=2"]
    assert workbench(bench, *sizes, "-1").returncode == 0
    before = {path: path.stat().st_mtime_ns for path in bench.data.rglob("file-*")}
    done = workbench(bench, *sizes, "-2", "-R=2", "--read-only")
    assert (done.returncode, done.stdout.count("(0 errs)")) == (0, 2)
    assert " create(" not in done.stdout
    assert {path: path.stat().st_mtime_ns for path in bench.data.rglob("file-*")} == before
    assert len(before) == 120
    assert workbench(bench, *sizes, "-2", "-R=2").returncode == 0
    assert workbench(bench, *sizes, "-3").returncode == 0
    assert not list(bench.data.iterdir())


def test_mdworkbench_stops_at_the_stonewall_with_all_ranks_at_the_same_file(bench):
    bench.data.mkdir()
    sizes = ["-P=3000", "-I=3000"]
    assert workbench(bench, *sizes, "-1").returncode == 0
    # Each operation is followed by a rest of hundreds of times its own, so that a second ends it.
    done = workbench(bench, *sizes, "-2", "-R=1", "-t=300", "-w=1", "-W")
    assert done.returncode == 0, done.stdout
    position = (bench.directory / "md-workbench.status").read_text()
    assert 0 < int(position.removeprefix("pos: ")) < 3000
    done = workbench(bench, *sizes, "-3")
    assert (done.returncode, "(0 errs)" in done.stdout) == (0, True)
    assert not list(bench.data.iterdir())
