"""What ior, mdtest, stream, pfind and md-workbench print, recorded from real runs, read to JSON."""

import json
import re

import pytest

from hpc_disk_bench import tools
from hpc_disk_bench.errors import UserError
from hpc_disk_bench.tools.model import statistics_of

MIB, K = 1024, 1000


@pytest.fixture(scope="module")
def read(tool_outputs):
    """read(name): the runs of a recorded output."""
    return lambda name: tools.read(tool_outputs / name)


def summary_rows(text):
    """The figures that the tables of ior and mdtest print, by operation, in their own units."""
    found = {}
    for line in text.splitlines():
        fields = line.split()
        if re.match(r"(write|read) +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ .*POSIX", line):
            found[fields[0]] = [float(field) for field in fields[1:5]]
        elif re.match(r" {3}(Directory|File|Tree) \w+ ", line):
            found.setdefault(" ".join(fields[:2]), [float(field) for field in fields[2:6]])
    return found


def test_the_figures_of_every_recorded_text_are_those_that_it_prints(shared):
    seen = 0
    for path in sorted(shared("upstream-runs").glob("sa*-*/stdout.txt")):
        printed = summary_rows(path.read_text())
        if not printed:
            continue
        (run,) = tools.read(path)
        by_name = {one.name: one for one in run.operations if one.metric != "time"}
        assert set(by_name) == {name for name, figures in printed.items() if any(figures)}, path
        for name, one in by_name.items():
            scale = MIB if run.tool == "ior" else K
            told = [figure * scale for figure in one.statistics]
            assert told == pytest.approx(printed[name], rel=1e-9), (path, name)
            seen += 1
        assert run.state == "complete"
        assert run.version == "4.1.0+dev"
        assert list(tools.spoken([run])) == []
    assert seen > 150


def test_mean_and_deviation_come_out_of_the_iterations_within_print_rounding(shared):
    seen = 0
    for path in sorted(shared("upstream-runs").glob("sa*-ior-*/*")):
        if not path.read_text().startswith(("IOR-", "{")):
            continue
        try:
            runs = tools.read(path)
        except UserError:
            continue
        for one in (one for run in runs for one in run.operations):
            own = statistics_of([row.value for row in one.iterations])
            assert len(one.iterations) == one.count
            # A row has at least four digits, so that each is off by half of the last at most.
            assert own == pytest.approx(one.statistics, rel=5e-4, abs=1e-3), (path, one.name)
            seen += 1
    assert seen > 40


def test_the_options_that_matter_are_told(read):
    (run,) = read("ior.txt")
    assert run.options["api"] == "POSIX"
    assert run.options["transfer_bytes"] == 4 << 20
    assert run.options["block_bytes"] == 16 << 20
    assert run.options["total_bytes"] == 32 << 20
    assert run.options["access"] == "file-per-process"
    assert run.options["order"] == "random"
    assert run.options["direct_io"] is False
    assert (run.ranks, run.nodes) == (2, 1)
    assert run.started == "2026-11-20T10:01:54"
    assert run.command.endswith("-z -t=4m -C")
    (stonewalled,) = read("ior-stonewall.txt")
    assert stonewalled.options["stonewall"] == 1
    (mdtest,) = read("mdtest.txt")
    assert mdtest.options["items"] == 800
    assert mdtest.options["path"].endswith("/md")


@pytest.mark.parametrize("way", ["--posix.odirect", "-O useO_DIRECT=1", "-B"])
def test_direct_io_is_seen_however_it_was_asked_for(tool_outputs, tmp_path, way):
    text = (tool_outputs / "ior.txt").read_text().replace("-t=4m -C", f"-t=4m {way}")
    (tmp_path / "out").write_text(text)
    assert tools.read(tmp_path / "out")[0].options["direct_io"] is True


def test_to_mdtest_b_means_no_barriers(tool_outputs, tmp_path):
    text = (tool_outputs / "mdtest.txt").read_text().replace("'-P'", "'-B'")
    (tmp_path / "out").write_text(text)
    assert tools.read(tmp_path / "out")[0].options["direct_io"] is False


def test_json_csv_and_text_of_one_command_have_the_same_shape(read):
    for name in ("ior.txt", "ior.json", "ior.csv"):
        (run,) = read(name)
        assert [(one.name, one.metric, one.count) for one in run.operations] == [
            ("write", "bandwidth", 5),
            ("read", "bandwidth", 5),
        ]
        assert run.options["transfer_bytes"] == 4 << 20
        assert run.ranks == 2
    assert read("ior.csv")[0].operations[0].computed
    assert not read("ior.json")[0].operations[0].computed


def test_rates_and_times_of_mdtest_are_apart_and_times_are_seconds(read):
    (run,) = read("mdtest.txt")
    found = {(one.name, one.metric): one.statistics for one in run.operations}
    assert found["File creation", "rate"].mean == pytest.approx(1.757827)
    # 800 files at that rate: the title of the table says ms/op, its figures are seconds.
    assert found["File creation", "time"].mean == pytest.approx(800 / 1757.8, rel=0.02)


def test_what_mdtest_was_not_asked_for_is_not_told_as_zero(shared):
    (run,) = tools.read(shared("upstream-runs", "sa-mdtest-n-F-C") / "stdout.txt")
    assert [one.name for one in run.operations] == ["File creation", "Tree creation"]


def test_lines_of_upstreams_mdtest_v_are_of_one_rank_and_no_iterations(shared):
    (run,) = tools.read(shared("upstream-runs", "sa-mdtest-fsx-v") / "stdout.txt")
    assert all(one.iterations == () for one in run.operations)
    assert run.operations[0].statistics.mean == pytest.approx(2.741801)


def test_the_csv_of_mdtests_ranks_gives_what_its_table_says(read):
    (table,), (ranks,) = read("mdtest-of-ranks.txt"), read("mdtest-ranks.csv")
    printed = {one.name: one.statistics for one in table.operations}
    assert [one.name for one in ranks.operations] == [
        one.name for one in table.operations if not one.name.startswith("Tree")
    ]
    for one in ranks.operations:
        # Upstream writes the time of all ranks for one iteration only; else the slowest stands in.
        assert one.statistics.mean == pytest.approx(printed[one.name].mean, rel=0.01)
        assert len(one.iterations) == 3


def test_stream_tells_the_precise_figure_the_naive_sum_and_each_rank(read):
    (run,) = read("stream.txt")
    precise, naive = run.operations[:2]
    assert (precise.name, precise.metric) == ("write", "bandwidth")
    assert naive.metric == "naive sum"
    ranks = naive.iterations[0].ranks
    assert [rank.host for rank in ranks] == ["vm", "vm"]
    assert sum(rank.value for rank in ranks) == pytest.approx(naive.statistics.mean, rel=1e-5)
    assert precise.statistics.mean <= naive.statistics.mean
    (rows,) = read("stream.csv")
    assert [one.metric for one in rows.operations] == ["naive sum", "naive sum"]
    assert rows.operations[0].statistics.mean == pytest.approx(naive.statistics.mean, rel=1e-3)


def test_a_csv_of_iors_ranks_gives_their_sum_alone(read):
    (run,) = read("ior-ranks.csv")
    write = run.operations[0]
    assert (write.metric, write.count, run.ranks) == ("naive sum", 2, 2)
    assert write.iterations[0].value * 2**30 == pytest.approx(1.7855283649e8 + 6.1839799088e8)


def test_md_workbench_tells_rates_and_latencies_of_each_iteration(read):
    (run,) = read("mdworkbench.txt")
    assert [(one.name, one.count) for one in run.operations] == [
        ("precreate", 1),
        ("benchmark", 2),
        ("cleanup", 1),
    ]
    bench = run.operations[1]
    assert [row.value for row in bench.iterations] == pytest.approx([5.9335, 7.3417])
    latency = bench.iterations[0].details["latency"]
    assert set(latency) == {"read", "stat", "create", "delete"}
    assert latency["create"]["max"] == 2.0306e-02


def test_pfind_tells_its_rate_on_the_screen_and_in_its_file(read):
    (told,), (stored,) = read("pfind.txt"), read("pfind.csv")
    assert (told.operations[0].statistics.mean, told.options["items"]) == (1065.193, 300)
    assert stored.operations[0].statistics.mean == pytest.approx(2066.436152)
    assert told.ranks == stored.ranks == 2


def test_a_job_that_ran_several_tools_gives_all_of_them(tool_outputs, tmp_path):
    names = ("ior.txt", "mdtest.txt", "pfind.txt", "mdworkbench.txt", "stream.txt")
    text = "Loading openmpi/4.1\n".join((tool_outputs / name).read_text() for name in names)
    (tmp_path / "job.out").write_text(text)
    runs = tools.read(tmp_path / "job.out")
    assert [run.tool for run in runs] == ["ior", "mdtest", "pfind", "mdworkbench", "stream"]
    assert {run.state for run in runs} == {"complete"}


@pytest.mark.parametrize("name", ["ior.txt", "mdtest.txt", "stream.txt"])
def test_a_launchers_zero_byte_before_an_output_does_not_hide_it(
    read, tool_outputs, tmp_path, name
):
    """As Open MPI ends what it says of a call that failed: no new line stands behind it."""
    failed, good = ((tool_outputs / one).read_text() for one in ("ior-failed.txt", name))
    frame = "-" * 70
    (tmp_path / "job.out").write_text(f"{failed}{frame}\nprterun has exited\n{frame}\n\0{good}")
    assert tools.read(tmp_path / "job.out") == read(name)


ORDERS = (
    ("mdtest.txt", "ior.json"),
    ("ior.json", "mdtest.txt"),
    ("mdtest.txt", "ior.csv"),
    ("ior.csv", "mdtest.txt"),
    ("ior.txt", "ior.csv", "ior.json"),
    ("ior.json", "ior.json", "pfind.txt"),
    ("pfind.csv", "stream.csv", "ior-ranks.csv", "ior.json", "mdtest-ranks.csv", "ior.csv"),
)


@pytest.mark.parametrize("said", ["", 'WARNING: The file "/d/f" exists already\n', "${x {\n"])
@pytest.mark.parametrize("names", ORDERS, ids="+".join)
def test_outputs_of_all_forms_in_one_file_are_read_in_their_order(
    read, tool_outputs, tmp_path, names, said
):
    (tmp_path / "job.out").write_text(
        "".join(said + (tool_outputs / name).read_text() for name in names)
    )
    runs, unread = tools.read_all(tmp_path / "job.out")
    assert unread == []
    assert [run._replace(warnings=()) for run in runs] == [
        run._replace(warnings=()) for name in names for run in read(name)
    ]


def test_json_that_a_program_wrote_again_is_read_as_well(read, tool_outputs, tmp_path):
    content = json.loads((tool_outputs / "ior.json").read_text())
    forms = [json.dumps(content), json.dumps(content, indent=0), f"  {json.dumps(content)}"]
    for text in (*forms, "\n".join(forms[:2])):
        (tmp_path / "out").write_text(f"{text}\n")
        assert set(map(str, tools.read(tmp_path / "out"))) == {str(read("ior.json")[0])}


def test_an_ior_script_with_two_tests_gives_two_runs(tool_outputs, tmp_path):
    """As upstream prints it: the options of each before its rows, one summary at the end."""
    text = (tool_outputs / "ior.txt").read_text()
    start, cut = text.index("TestID"), text.index("\nSummary of all tests")
    second = text[start:cut].replace("TestID              : 0", "TestID              : 1")
    second = second.replace("xfersize            : 4 MiB", "xfersize            : 1 MiB")
    rows = text[cut:].splitlines(keepends=True)
    other = [re.sub(r"( NA +)0 ", r"\g<1>1 ", row) for row in rows if " POSIX " in row]
    other = [row.replace("4194304", "1048576") for row in other]
    both = text[:cut] + "\n" + second + "".join(rows[:5]) + "".join(other) + "".join(rows[5:])
    (tmp_path / "out").write_text(both)
    runs = tools.read(tmp_path / "out")
    assert [run.test for run in runs] == [0, 1]
    assert [run.options["transfer_bytes"] for run in runs] == [4 << 20, 1 << 20]
    assert [len(one.iterations) for run in runs for one in run.operations] == [5, 5, 5, 5]
    assert {run.state for run in runs} == {"complete"}


OLD_IOR = """\
IOR-3.0.1: MPI Coordinated Test of Parallel I/O

Began: Fri Mar 22 12:41:45 2019
Command line used: ior -w -r -b 200m -t 20m -F
Machine: Linux cpn-d13-16

Test 0 started: Fri Mar 22 12:41:45 2019
Summary:
\tapi                = POSIX
\ttest filename      = /scratch/f
\taccess             = file-per-process
\tclients            = 16 (8 per node)
\trepetitions        = 1
\txfersize           = 20 MiB
\tblocksize          = 200 MiB
\taggregate filesize = 3.12 GiB

access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ---------- ---------  --------   --------   --------   --------   ----
write     512.00     204800     20480      0.001      6.24       0.002      6.25       0
read      1024.00    204800     20480      0.001      3.12       0.002      3.13       0
remove    -          -          -          -          -          -          0.01       0

Max Write: 512.00 MiB/sec (536.87 MB/sec)
Max Read:  1024.00 MiB/sec (1073.74 MB/sec)

Summary of all tests:
Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev    Mean(s) Test# #Tasks tPN reps fPP
write         512.00     512.00     512.00       0.00    6.25000 0 16 8 1 1
read         1024.00    1024.00    1024.00       0.00    3.13000 0 16 8 1 1

Finished: Fri Mar 22 12:42:00 2019
"""
OLD_MDTEST = """\
-- started at 10/01/2020 04:40:42 --

mdtest-1.9.3 was launched with 16 total task(s) on 2 node(s)
Command line used: mdtest "-i" "5" "-d" "/lustre/testdir"
Path: /lustre
FS: 1.1 TiB   Used FS: 0.0%   Inodes: 5.7 Mi   Used Inodes: 0.0%

72 tasks, 28800 files/directories

SUMMARY rate: (of 5 iterations)
   Operation                      Max            Min           Mean        Std Dev
   ---------                      ---            ---           ----        -------
   Directory creation:       3431.708       3431.707       3431.708          0.000
   File stat         :      36838.570      36838.503      36838.527          0.023
   Tree removal      :        208.332        181.817        195.706          8.746

-- finished at 10/01/2020 04:42:35 --
"""


def test_the_layout_of_ior_3_is_read_by_its_titles(tmp_path):
    (tmp_path / "out").write_text(OLD_IOR)
    (run,) = tools.read(tmp_path / "out")
    assert (run.version, run.state, run.ranks) == ("3.0.1", "complete", 16)
    assert [one.statistics.mean for one in run.operations] == [0.5, 1.0]
    assert run.started == "2019-03-22T12:41:45"
    assert run.options["transfer_bytes"] == 20 << 20


def test_the_layout_of_mdtest_1_9_is_read_too(tmp_path):
    (tmp_path / "out").write_text(OLD_MDTEST)
    (run,) = tools.read(tmp_path / "out")
    assert (run.version, run.state, run.ranks, run.nodes) == ("1.9.3", "complete", 16, 2)
    assert [(one.name, one.count) for one in run.operations] == [
        ("Directory creation", 5),
        ("File stat", 5),
        ("Tree removal", 5),
    ]
    assert run.operations[1].statistics == pytest.approx((36.83857, 36.838503, 36.838527, 2.3e-5))


def test_the_command_prints_what_the_oldest_python_reads(
    parse_summary, tool_outputs, python39, check_tool_output
):
    for path in sorted(tool_outputs.iterdir()):
        if path.name == "ior-failed.txt":
            continue
        assert check_tool_output(path), path
        done = parse_summary(path, python=python39)
        assert (done.returncode, done.stderr) == (0, ""), path
        runs = tools.read(path)
        assert json.loads(done.stdout) == tools.as_json([tools.Output(path.name, tuple(runs))])


def test_a_summary_of_io500_stays_what_it_was(parse_summary, recorded, tmp_path):
    summary = recorded("extended") / "result_summary.txt"
    other = tmp_path / "job.out"
    other.write_bytes(summary.read_bytes())
    assert "score" in json.loads(parse_summary(other).stdout)
    assert (
        json.loads(parse_summary(summary).stdout).keys()
        == json.loads(parse_summary(other).stdout).keys()
    )
