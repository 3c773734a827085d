"""Outputs of tools that broke off, went wrong, or are none: partial, not counted, or one error."""

import json
import random
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hpc_disk_bench import tools
from hpc_disk_bench.errors import UserError
from tests.node.test_fuzz import CONTENT, mutated

QUICK = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def test_a_run_that_broke_off_is_partial_and_keeps_what_it_measured(tool_outputs, tmp_path):
    lines = (tool_outputs / "ior.txt").read_text().splitlines(keepends=True)
    rows = [number for number, line in enumerate(lines) if line.startswith(("write ", "read "))]
    (tmp_path / "out").write_text("".join(lines[: rows[4]]) + "ERROR: write failed, (aiori.c:1)\n")
    (run,) = tools.read(tmp_path / "out")
    assert run.state == "partial"
    assert [(one.name, one.count, one.computed) for one in run.operations] == [
        ("write", 2, True),
        ("read", 2, True),
    ]
    (line,) = tools.spoken([run])
    assert line == "ior: partial, it ended early: ERROR: write failed, (aiori.c:1)"


def test_wrong_data_and_failed_operations_do_not_count(tool_outputs, tmp_path):
    text = (tool_outputs / "ior.txt").read_text()
    wrong = "WARNING: Incorrect data on read (3 errors found).\n"
    (tmp_path / "ior").write_text(text.replace("\nSummary", wrong + "\nSummary"))
    (run,) = tools.read(tmp_path / "ior")
    assert [bool(one.reasons) for one in run.operations] == [False, True]
    assert run.state == "invalid"
    on_write = wrong.replace("on read", "on write")
    (tmp_path / "ior").write_text(text.replace("\nSummary", on_write + "\nSummary"))
    (run,) = tools.read(tmp_path / "ior")
    assert [bool(one.reasons) for one in run.operations] == [True, False]
    text = (tool_outputs / "mdtest.txt").read_text()
    wrong = "WARNING: unable to stat file /d/f\n"
    (tmp_path / "mdtest").write_text(text.replace("\nSUMMARY rate", wrong + "\nSUMMARY rate"))
    assert tools.read(tmp_path / "mdtest")[0].state == "invalid"


def test_a_mean_that_its_iterations_do_not_give_is_doubted(tool_outputs, tmp_path):
    text = re.sub(r"(?m)^(write +\S+ +\S+ +)\S+( .*POSIX)", r"\g<1>1.00\2",
                  (tool_outputs / "ior.txt").read_text())  # fmt: skip
    (tmp_path / "out").write_text(text)
    (doubt,) = tools.spoken(tools.read(tmp_path / "out"))
    assert doubt == "warning: ior write: the mean that is printed is not that of its iterations"


def test_a_nan_is_no_figure_and_does_not_count(tool_outputs, tmp_path):
    text = (tool_outputs / "mdtest.txt").read_text()
    text = re.sub(r"(?m)^( {3}File stat +\S+ +\S+ +)\S+", r"\g<1>-nan", text)
    (tmp_path / "out").write_text(text)
    (run,) = tools.read(tmp_path / "out")
    (stat,) = [one for one in run.operations if (one.name, one.metric) == ("File stat", "rate")]
    assert stat.statistics.mean is None
    assert stat.reasons == ("its mean is no number",)
    text = (tool_outputs / "ior.json").read_text()
    (tmp_path / "json").write_text(re.sub(r'("bwMeanMIB": )[\d.]+', r"\1-nan", text, count=1))
    assert tools.read(tmp_path / "json")[0].state == "invalid"


@pytest.mark.parametrize(
    ("run", "line"),
    [
        ("sa-ior-baddir", 'ior ended before anything was measured: ERROR: open64("'),
        ("sa-ior-badblock", "it says: ERROR: block size must be a multiple of transfer size"),
        ("sa-ior-badopt", "no figures in it; it says: Error invalid argument: --nosuch"),
        ("sa-ior-help", "no figures in it, but the help of ior"),
        ("sa-mdtest-help", "no figures in it, but the help of mdtest"),
        ("sa-mdworkbench-help", "no figures in it, but the help of md-workbench"),
        ("sa-pfind-help", "no figures in it, but the help of pfind"),
        ("sa-ior-fsx-jsonfile", "ior's results are in the file ./summary.json, parse that"),
        ("sa-mdtest-baddir", "mdtest ended before anything was measured: ERROR: open64("),
        ("sa-mdtest-fsx-B1", "FAILED in md_validate_tests_rank0"),
    ],
)
def test_a_tool_that_measured_nothing_is_one_line(shared, parse_summary, run, line):
    path = shared("upstream-runs", run) / "stdout.txt"
    done = parse_summary(path)
    assert done.returncode == 5
    assert done.stdout == ""
    (said,) = done.stderr.splitlines()
    assert said.startswith(f"parse_summary.py: {path}: ")
    assert line in said


def test_json_of_a_run_that_broke_off_is_one_line_with_its_place(
    parse_summary, tool_outputs, tmp_path
):
    text = (tool_outputs / "ior.json").read_text()
    (tmp_path / "out.json").write_text(text[: len(text) // 2])
    done = parse_summary("out.json")
    assert done.returncode == 5
    assert re.fullmatch(
        r"parse_summary.py: out.json:\d+: not JSON: .*; a run that broke off leaves half of it\n",
        done.stderr,
    )


def test_of_a_job_what_can_be_read_is_and_the_rest_is_a_line_each(
    parse_summary, tool_outputs, tmp_path
):
    failed, whole = ((tool_outputs / name).read_text() for name in ("ior-failed.txt", "ior.json"))
    half = whole[: len(whole) // 2] + "\n"
    mdtest = (tool_outputs / "mdtest.txt").read_text()
    rows = 'access,bw(MiB/s),iter\nwrite,"' + ("x" * 1000 + "\n") * 200
    parts = (
        ("Loading openmpi/4.1\n", None),
        ("Error invalid argument: --nosuch\n", "no figures in it; it says: Error invalid arg"),
        (f"{failed}{'-' * 70}\nprterun has exited\n\0", "ior ended before anything was measured"),
        (half, r"not JSON: .*; a run that broke off leaves half of it"),
        (whole, None),
        ("Writing output to d/x.json\n", "ior's results are in the file d/x.json, parse that"),
        (half, r"not JSON"),
        (mdtest, None),
        ("FATAL stream: -Q is not supported\n", "no figures in it; it says: FATAL stream: -Q"),
        (rows, "not CSV that can be read: field larger"),
    )
    text, expected = "", []
    for part, line in parts:
        if line:
            within = half.count("\n") - 1 if part == half else 0
            expected.append(rf"line {text.count(chr(10)) + 1 + within}: .*{line}")
        text += part
    (tmp_path / "job.out").write_text(text)
    done = parse_summary("job.out")
    assert [run["tool"] for run in json.loads(done.stdout)["runs"]] == ["ior", "mdtest"]
    said = done.stderr.splitlines()
    assert len(said) == len(expected), said
    for line, pattern in zip(said, expected, strict=True):
        assert re.match("parse_summary.py: job.out: " + pattern, line)


def test_the_help_of_our_own_tools_is_named(tmp_path):
    for tool in ("ior", "mdtest", "stream", "pfind", "mdworkbench"):
        (tmp_path / "out").write_text(f"Synopsis {tool} [options]\n\nFlags\n")
        with pytest.raises(UserError, match=f"no figures in it, but the help of {tool}$"):
            tools.read(tmp_path / "out")


@QUICK
@given(CONTENT)
def test_any_bytes_give_runs_or_nothing_or_one_error(check_tool_output, tmp_path, content):
    (tmp_path / "out").write_bytes(content)
    check_tool_output(tmp_path / "out")


PIECES = ("{", '"tests": [', "IOR-4: MPI Coordinated Test of Parallel I/O\n", "access bw(MiB/s)\n")
PIECES += ("write 1\n", "read nan\n", "-- started at x --\n", "SUMMARY rate: (of 9 iterations)\n")
PIECES += ("   File stat : 1 2 3 4\n", "Args: x\n", "benchmark process max:1s rate:2 iops/s\n")
PIECES += ("[DONE] rate: 1 kiops time: 1s\n", "stream-1: embedded engine\nwrite\n", "Finished: x\n")
PIECES += ("access,bw(MiB/s),iter\nwrite,1,0\n", "rank,items,rate-x,time-x\nall,3,1,1\n0,,1,1\n")
PIECES += ("Operation Max(MiB) Min(MiB) Mean(MiB)\n", "write 1 1 1e999\n", "TestID: 0\n", ",", "}")
PIECES += ('{\n"tests": [{"Results": []}]}\n', "}\n", '"', "Writing output to x\n", "\0IOR-4")
PIECES += ("access,rank,host,bytes\nread,0,h,1\n", "runtime: 1 rate: 2\n", "1" * 400, "-nan", "\0")


@QUICK
@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_pieces_of_outputs_in_any_order_likewise(check_tool_output, tmp_path, pieces):
    (tmp_path / "out").write_text("".join(pieces))
    check_tool_output(tmp_path / "out")


def test_real_outputs_with_bytes_changed_and_lost_likewise(
    check_tool_output, tool_outputs, tmp_path
):
    chance, read = random.Random(3), 0
    for path in sorted(tool_outputs.iterdir()):
        for _ in range(25):
            (tmp_path / path.name).write_bytes(mutated(path.read_bytes(), chance))
            read += check_tool_output(tmp_path / path.name)
    assert read > 200  # a little damage does not cost a run


@pytest.mark.parametrize(
    "line",
    [
        "IOR-" + "a:" * 400,
        "IOR-4: MPI Coordinated Test of Parallel I/O",
        "-- started at 1 --\nSUMMARY rate",
        "benchmark process max:1s " + "rate:" * 100,
        "WARNING: " + "failed " * 100,
        "Synopsis " + "ior" * 200,
        "ERROR: " + "(ior" * 200,
        "Key " + " " * 500 + "x",
    ],
)
def test_a_large_file_of_lines_that_are_hard_to_refuse_does_not_hang(parse_summary, tmp_path, line):
    head = "IOR-4: MPI Coordinated Test of Parallel I/O\n"
    (tmp_path / "out").write_text(head + (line + "\n") * (1_500_000 // (len(line) + 1)))
    assert parse_summary("out").returncode == 5
