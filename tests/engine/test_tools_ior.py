"""ior on its own: upstream's options and layouts, and data that is what it says it is."""

import csv
import json
import os
import re
import shlex

import pytest

from hpc_disk_bench import tools
from tests.engine.test_data import flip_bit

SEED_003 = ["-w", "-r", "-b=16m", "-a=POSIX", "-i=5", "-F", "-z", "-t=4m", "-C"]
# What differs between any two machines or runs, besides numbers.
OWN = r"IOR-|Began|Command line|Machine|StartTime|Path|FS |test filename|Finished|WARNING"


def layout(text):
    """The lines of a report without what any two runs may differ in."""
    lines = [line for line in text.splitlines() if not re.match(OWN, line)]
    return [re.sub(r" +", " ", re.sub(r"\d+(\.\d+)?", "#", line)).rstrip() for line in lines]


@pytest.mark.parametrize(
    ("run", "options"),
    [
        ("sa-ior-fsx", SEED_003),
        ("sa-ior-fsx-v", [*SEED_003, "-v"]),
        ("sa-ior-default", []),
        (
            "sa-ior-shared-verify",
            shlex.split("-w -r -W -R -G 1234 -b 8m -t 1m -s 4 -C -e -g -k"),
        ),
    ],
)
def test_the_text_summary_is_laid_out_as_upstreams(bench, shared, run, options):
    recorded = (shared("upstream-runs", run) / "stdout.txt").read_text()
    bench.data.mkdir()
    done = bench.run("ior", *options, "-o", bench.data / "f")
    assert done.returncode == 0, done.stderr
    assert layout(done.stdout) == layout(recorded)


def test_the_columns_of_the_summary_stand_where_upstreams_stand(bench, shared):
    recorded = (shared("upstream-runs", "sa-ior-fsx") / "stdout.txt").read_text()
    bench.data.mkdir()
    ours = bench.run("ior", *SEED_003, "-o", bench.data / "f").stdout

    def ends(text):
        row = re.search(r"^write .* POSIX +\d+$", text, re.M)[0]
        return [match.end() for match in re.finditer(r"\S+", row)]

    assert ends(ours) == ends(recorded)
    for title in ("access    bw", "------    -----", "Operation   Max"):
        line = re.search(rf"^{re.escape(title)}.*", recorded, re.M)[0]
        assert line in ours.splitlines()


def test_mean_and_deviation_are_those_of_the_rows(bench):
    bench.data.mkdir()
    done = bench.run("ior", "-O", "summaryFormat=JSON", *SEED_003, "-o", bench.data / "f")
    report = json.loads(done.stdout)
    rows = [row["bwMiB"] for row in report["tests"][0]["Results"] if row["access"] == "read"]
    mean = sum(rows) / 5
    summary = next(item for item in report["summary"] if item["operation"] == "read")
    assert len(rows) == 5
    assert summary["bwMaxMIB"] == max(rows)
    assert summary["bwMinMIB"] == min(rows)
    assert summary["bwMeanMIB"] == pytest.approx(mean, abs=0.001)
    deviation = (sum((row - mean) ** 2 for row in rows) / 5) ** 0.5
    assert summary["bwStdMIB"] == pytest.approx(deviation, abs=0.001)
    assert summary["OPsMean"] == pytest.approx(mean / 4, abs=0.001)


def keys(value):
    """The shape of a document: its keys, and those of the first element of each list."""
    if isinstance(value, dict):
        return {key: keys(item) for key, item in value.items()}
    return [keys(value[0])] if isinstance(value, list) else type(value).__name__


def test_json_goes_to_a_file_with_upstreams_keys_and_types(bench, shared):
    recorded = json.loads(
        (shared("upstream-runs", "sa-ior-fsx-jsonfile") / "summary.json").read_text()
    )
    bench.data.mkdir()
    options = ["-O", "summaryFormat=JSON", "-O", "summaryFile=./out.json"]
    done = bench.run("ior", *SEED_003, "-o", bench.data / "f", *options)
    assert "Writing output to ./out.json" in done.stdout
    ours = json.loads((bench.directory / "out.json").read_text())
    theirs, mine = keys(recorded), keys(ours)
    parameters = theirs["tests"][0].pop("Parameters"), mine["tests"][0].pop("Parameters")
    assert mine == theirs
    assert all(parameters[0].get(key, kind) == kind for key, kind in parameters[1].items())
    assert [path.name for path in bench.directory.iterdir()] == ["out.json"]


def test_names_that_json_must_quote_come_back_as_they_are(bench):
    bench.data.mkdir()
    name = f'{bench.data}/a "b" \\c\td'
    done = bench.run("ior", "-w", "-o", name, "-O", "summaryFormat=JSON")
    assert json.loads(done.stdout)["tests"][0]["Parameters"]["testFileName"] == name


def test_json_is_utf_8_whatever_bytes_a_name_has(bench):
    name = os.fsencode(bench.directory) + b"/" + "é€😀".encode() + b"\xe9\xff\xed\xa0\x80\xc0\xaf"
    summary = bench.directory / "json"
    options = ["-O", "summaryFormat=JSON", "-O", f"summaryFile={summary}"]
    assert bench.alone("ior", "-w", "-o", name, *options).returncode == 0
    told = json.loads(summary.read_bytes().decode("utf-8"))["tests"][0]
    assert told["Options"]["test filename"] == f"{bench.directory}/é€😀" + 7 * "\ufffd"


def test_csv_has_upstreams_header_and_a_row_a_pass(bench, shared):
    recorded = (shared("upstream-runs", "sa-ior-fsx-csv") / "stdout.txt").read_text().splitlines()
    bench.data.mkdir()
    # A file that is there makes a warning, which must not get among the rows.
    (bench.data / "f.00000000").touch()
    done = bench.run("ior", *SEED_003, "-o", bench.data / "f", "-O", "summaryFormat=CSV")
    ours = done.stdout.splitlines()
    assert ours[0] == recorded[0]
    assert [re.sub(r"\d+", "#", row) for row in ours] == [
        re.sub(r"\d+", "#", row) for row in recorded
    ]
    rows = list(csv.DictReader(ours))
    assert [(row["access"], row["iter"]) for row in rows[:3]] == [
        ("write", "0"),
        ("read", "0"),
        ("write", "1"),
    ]
    assert "exists already" in done.stderr


@pytest.mark.parametrize("order", [[], ["-z"], ["-C"], ["-Z"], ["-Z", "-Z", "-z"]])
@pytest.mark.parametrize("files", [[], ["-F"], ["-F", "-u"]])
def test_every_order_reads_back_every_byte_that_was_written(bench, order, files):
    bench.data.mkdir()
    where = ["-o", bench.data / "f", "-b", "640k", "-t", "64k", "-s", "3", "-G", "-7"]
    done = bench.run("ior", "-w", "-k", *where, *order, *files, ranks=3)
    assert done.returncode == 0, done.stderr
    sizes = sorted(path.stat().st_size for path in bench.data.rglob("f*"))
    assert sizes == ([3 * 1920 << 10] if not files else [1920 << 10] * 3)
    done = bench.run("ior", "-r", "-R", "-k", *where, *order, *files, ranks=3)
    assert done.returncode == 0, done.stdout
    assert "Incorrect" not in done.stdout


def test_a_shuffled_write_leaves_the_same_file_as_one_in_order(bench):
    bench.data.mkdir()
    options = ["-w", "-k", "-F", "-b", "700k", "-t", "100k", "-s", "2", "-l", "offset"]
    for name, order in (("a", []), ("b", ["-z"])):
        bench.run("ior", *options, *order, "-o", bench.data / name)
    for rank in ("00000000", "00000001"):
        assert (bench.data / f"a.{rank}").read_bytes() == (bench.data / f"b.{rank}").read_bytes()


def test_a_flipped_bit_is_found_by_file_offset_and_rank(bench):
    bench.data.mkdir()
    file = bench.data / "f.00000001"
    options = ["-o", bench.data / "f", "-F", "-b", "1m", "-t", "256k", "-k", "-G=5"]
    assert bench.run("ior", "-w", *options).returncode == 0
    flip_bit(file, 300001)
    done = bench.run("ior", "-r", "-R", *options)
    assert done.returncode == 1
    assert f'wrong data in "{file}" at offset 300001' in done.stdout
    assert "rank 1 on" in done.stdout


def reasons(path):
    """Why operations in the file do not count, by their names, as its reader has it."""
    (run,) = tools.read(path)
    found = {one.name: one.reasons for one in run.operations if one.reasons}
    assert run.state == ("invalid" if found else "complete")
    return found


def test_wrong_data_makes_a_run_invalid_in_every_format(bench):
    where = ["-o", bench.directory / "f", "-b", "12k", "-t", "4k", "-k", "-G=5"]
    assert bench.alone("ior", "-w", *where).returncode == 0
    details = ["-O", "saveRankPerformanceDetailsCSV=./ranks.csv"]

    def read(name, *options):
        done = bench.alone("ior", "-r", "-R", "-i", "2", *where, *options)
        (bench.directory / name).write_text(done.stdout)
        return done.returncode

    def all_formats():
        codes = [read("text", *details)]
        codes += [read(name, "-O", f"summaryFormat={name}") for name in ("JSON", "CSV")]
        told = {n: reasons(bench.directory / n) for n in ("text", "JSON", "CSV", "ranks.csv")}
        return codes, told

    codes, told = all_formats()
    assert (codes, [*told.values()]) == ([0] * 3, [{}] * 4)
    flip_bit(bench.directory / "f", 5000)
    codes, told = all_formats()
    assert codes == [1] * 3
    assert told.pop("text") == {"read": ("WARNING: Incorrect data on read (1 errors found).",)}
    assert [*told.values()] == [{"read": ("2 transfers with wrong data",)}] * 3
    report = json.loads((bench.directory / "JSON").read_text())
    assert [row["errors"] for row in report["tests"][0]["Results"]] == [1, 1]


def test_what_the_check_of_writing_finds_counts_to_writing(bench):
    """Two ranks write into one file, which each takes for its own."""
    bench.data.mkdir()
    (bench.data / "f.00000001").symlink_to("f.00000000")
    where = ["-o", bench.data / "f", "-F", "-E", "-k", "-b", "64k", "-t", "4k", "-i", "2"]
    more = ["-O", "summaryFormat=CSV,saveRankPerformanceDetailsCSV=./ranks.csv"]
    done = bench.run("ior", "-w", "-W", "-r", *where, *more)
    assert done.returncode == 1
    (bench.directory / "csv").write_text(done.stdout)
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert [row["access"] for row in rows] == ["write", "read"] * 2
    assert all(int(row["errors"]) >= 16 for row in rows[::2])
    assert [row["errors"] for row in rows[1::2]] == ["", ""]
    for name in ("csv", "ranks.csv"):
        assert list(reasons(bench.directory / name)) == ["write"]


def test_the_stonewall_is_kept_for_a_later_call_that_reads(bench):
    bench.data.mkdir()
    stone = bench.directory / "stone"
    options = ["-F", "-k", "-b", "4g", "-t", "1m", "-o", bench.data / "f"]
    status = ["-O", f"stoneWallingStatusFile={stone}"]
    write = ["-w", "-e", "-D", "1", "-O", "stoneWallingWearOut=1", *status]
    done = bench.run("ior", *write, *options)
    assert done.returncode == 0, done.stderr
    count = int(stone.read_text())
    assert [path.stat().st_size for path in bench.data.iterdir()] == [count << 20] * 2
    assert "stonewalling pairs accessed min: " in done.stdout
    summary = re.search(r"^write .* POSIX.*", done.stdout, re.M)[0].split()
    assert float(summary[10]) >= 1
    done = bench.run("ior", "-r", "-R", *status, *options)
    assert done.returncode == 0
    assert f"Using actual aggregate bytes moved = {2 * count << 20}" in done.stdout


def test_files_are_removed_unless_kept_and_nothing_else_is(bench):
    bench.data.mkdir()
    (bench.data / "other").touch()
    options = ["-F", "-u", "-b", "1m", "-o", bench.data / "f"]
    bench.run("ior", "-w", "-k", *options)
    assert len(list(bench.data.rglob("f.*"))) == 2
    bench.run("ior", "-r", *options)  # reads only: what it did not write stays
    assert len(list(bench.data.rglob("f.*"))) == 2
    bench.run("ior", "-w", "-r", *options)
    assert [path.name for path in bench.data.iterdir()] == ["other"]


def test_a_row_a_rank_and_pass_goes_to_a_file(bench, shared):
    recorded = (shared("upstream-runs", "sa-ior-csvdetails") / "ranks.csv").read_text()
    bench.data.mkdir()
    options = ["-i", "2", "-F", "-b", "1m", "-o", bench.data / "f"]
    bench.run("ior", *options, "-O", "saveRankPerformanceDetailsCSV=./ranks.csv")
    ours = (bench.directory / "ranks.csv").read_text()
    assert ours.splitlines()[0] == recorded.splitlines()[0]
    assert [row.split(",")[:2] for row in ours.splitlines()] == [
        row.split(",")[:2] for row in recorded.splitlines()
    ]


def test_direct_io_is_asked_for_in_three_spellings(bench):
    for option in (["--posix.odirect"], ["-B"], ["-O", "USEo_direct=1"]):
        done = bench.alone("ior", "-w", "-a", "MPIIO", *option)
        assert done.returncode == 1
        assert "no option --posix.odirect" in done.stderr


def test_the_calls_of_a_run_of_io500_do_what_its_phases_did(bench):
    """Their command lines, as result.txt tells them, one by one."""
    done = bench.run(bench.write_ini({"ior-rnd4K-easy-read": {"run": "TRUE"}}), "--dry-run")
    assert done.returncode == 0
    calls = re.findall(r"^exe += \./(ior .*)", bench.result(), re.M)
    for directory in ("ior-easy", "ior-hard"):
        (bench.data / directory).mkdir(parents=True)
    assert len(calls) == 5
    for call in sorted(calls, key=lambda call: " -w " not in call):
        done = bench.run(*call.split())
        assert done.returncode == 0, (call, done.stderr)
    files = sorted(path.name for path in bench.data.rglob("*") if path.is_file())
    assert files == ["file", "ior_file_easy.00000000", "ior_file_easy.00000001"]
    assert (bench.data / "ior-easy/ior_file_easy.00000000").stat().st_size == 4 << 20
    assert int((bench.results / "ior-hard.stonewall").read_text()) == 20


def test_a_link_called_ior_is_ior(bench):
    link = bench.directory / "ior"
    link.symlink_to(bench.binary)
    bench.binary = link
    done = bench.alone("-w", "-o", bench.directory / "f")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^Command line +: \S+/ior -w", done.stdout, re.M)


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_names_the_options_that_there_are(bench, option):
    done = bench.alone("ior", option)
    assert done.returncode == 0
    named = set(re.findall(r"^  (-\w|--[\w.-]+)\b", done.stdout, re.M))
    assert {*shlex.split("-w -r -B -o -a -F -Z -z -i -C -b -t -s -Q -G -k -e -D -R -W -v")} <= named
    for key in ("stoneWallingStatusFile", "summaryFormat", "summaryFile"):
        assert f"-O {key}=" in done.stdout


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["-w", "--nosuch"], "--nosuch is not supported"),
        (["-j", "3"], "-j is not supported"),
        (["-O", "allocateBufferOnGPU=1"], "-O allocateBufferOnGPU is not supported"),
        (["-O", "summaryFormat=XML"], "there are default, JSON and CSV"),
        (["-w", "-b", "3m", "-t", "2m"], "must be a multiple of transfer size"),
        (["-t", "0"], "must be a multiple"),
        (["-t", "2x"], "-t = 2x: expected a size"),
        (["-i", "0"], "-i = 0: expected an integer from 1"),
        (["-i"], "-i needs a value"),
        (["-w=1"], "takes no value"),
        (["-G", "99999999999"], "-G = 99999999999: expected"),
        (["-a", "HDFS"], "POSIX, MPIIO and IOURING"),
        (["-c"], "-c needs -a MPIIO"),
        (["-u"], "-u needs -F"),
        (["-l", "zeros"], "--dataPacketType = zeros"),
        (["stray"], "stray is not supported"),
        (["-b", "8000000t", "-t", "1m", "-s", "9999"], "more than a file can hold"),
        (["-w", "-r", "-R", "-z", "-z"], "leaves parts of a file unwritten"),
    ],
)
def test_what_is_not_supported_is_refused_by_name_in_one_line(bench, options, line):
    done = bench.alone("ior", *options)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("FATAL ior: ") or "API" in done.stderr
    assert line in done.stderr
    assert not list(bench.directory.iterdir())


def test_a_directory_that_is_not_there_is_named(bench):
    done = bench.alone("ior", "-w", "-o", "/no/such/directory/f")
    assert done.returncode == 1
    assert re.search(
        r'^ERROR rank 0 on \S+: phase ior write, iteration 0: open "/no/such/directory/f": '
        r"No such file or directory \(ENOENT\)$",
        done.stderr,
        re.M,
    )
