"""md-workbench on its own: upstream's options, steps and lines."""

import re
import shlex

import pytest

from tests.engine.test_data import flip_bit

SMALL = shlex.split("-D=4 -P=20 -I=20 -R=2")


def layout(text):
    """The lines of a report without what any two runs may differ in: words and their order."""
    lines = text.splitlines()[1:]
    number = r"\d+(\.\d+)?(e[+-]\d+)?"
    return [re.sub(number, "#", re.sub(r"\(version.*|time: .*", "", line)) for line in lines]


def test_the_report_is_laid_out_as_upstreams(bench, shared):
    recorded = (shared("upstream-runs", "sa-mdworkbench") / "stdout.txt").read_text()
    done = bench.run("mdworkbench", f"-o={bench.data}", *SMALL)
    assert done.returncode == 0, done.stderr
    assert layout(done.stdout) == layout(recorded)
    for count in ("total objects: 480 ", "dsets: 8 objects:160 ", "objects:160 dsets: 8 "):
        assert count in recorded
        assert count in done.stdout
    assert not bench.data.exists()
    assert not list(bench.directory.iterdir())


def test_where_the_files_begin_is_kept_for_a_further_call_or_where_asked_for(bench):
    options = [f"-o={bench.data}", "-D=1", "-P=3", "-I=3", "-R=1"]
    status = bench.directory / "md-workbench.status"
    assert bench.alone("mdworkbench", *options).returncode == 0
    assert not status.exists()
    asked = bench.alone("mdworkbench", *options, f"--run-info-file={status.name}")
    assert (asked.returncode, status.read_text()) == (0, "pos: 3\n")
    status.unlink()
    assert bench.alone("mdworkbench", *options, "-1", "-2").returncode == 0
    assert status.read_text() == "pos: 3\n"
    assert bench.alone("mdworkbench", *options, "-3").returncode == 0
    assert not bench.data.exists()


def test_the_steps_go_on_from_one_call_to_the_next(bench):
    options = [f"-o={bench.data}", "-D=2", "-P=9", "-I=4", "--process-reports"]
    assert bench.run("md-workbench", "-1", *options).returncode == 0
    names = {path.name for path in (bench.data / "1_1").iterdir()}
    assert names == {f"file-{i}" for i in range(9)}
    done = bench.run("mdworkbench", "-2", "-R=2", "-X", *options)
    assert done.returncode == 0, done.stdout
    assert len(re.findall(r"^[01]: benchmark process", done.stdout, re.M)) == 4
    names = {path.name for path in (bench.data / "1_1").iterdir()}
    assert names == {f"file-{i}" for i in range(8, 17)}
    assert (bench.directory / "md-workbench.status").read_text() == "pos: 8\n"
    assert bench.run("mdworkbench", "-3", *options).returncode == 0
    assert not bench.data.exists()


def test_a_directory_that_was_there_stays(bench):
    bench.data.mkdir()
    done = bench.run("mdworkbench", f"-o={bench.data}", "-D=1", "-P=5", "-I=5")
    assert done.returncode == 0
    assert not list(bench.data.iterdir())


def test_a_flipped_bit_is_found_where_reading_compares(bench):
    options = [f"-o={bench.data}", "-D=1", "-P=5", "-I=5", "-R=1"]
    bench.run("mdworkbench", "-1", *options)
    flip_bit(bench.data / "0_0/file-3", 17)
    done = bench.run("mdworkbench", "-2", "-X", *options)
    assert done.returncode == 1
    assert f'wrong data in "{bench.data}/0_0/file-3" at offset 17' in done.stdout
    assert "(1 errs)" in done.stdout


def test_the_calls_of_a_run_of_io500_do_what_its_phases_did(bench):
    """Their command lines, as result.txt tells them, one by one."""
    few = {"mdworkbench": {"precreatePerSet": "6", "filesPerProc": "6"}}
    assert bench.run(bench.write_ini(few), "--mode=extended", "--dry-run").returncode == 0
    calls = re.findall(r"^exe += \./(md-workbench .*)", bench.result(), re.M)
    assert len(calls) == 3
    bench.data.mkdir()
    for call in calls:
        done = bench.run(*call.split())
        assert done.returncode == 0, (call, done.stdout, done.stderr)
    assert not list(bench.data.iterdir())


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["-P=5", "-I=6"], "-I 6 is more than the -P 5"),
        (["-a", "MPIIO"], "-a MPIIO is not supported"),
        (["--adaptive-waiting"], "--adaptive-waiting is not supported"),
        (["--allocateBufferOnGPU"], "--allocateBufferOnGPU is not supported"),
        (["-w=2"], "-w needs -W"),
        (["-t=-1"], "-t = -1: expected a number"),
        (["-2"], "md-workbench.status, which an earlier -1 wrote, is not there"),
    ],
)
def test_what_is_not_supported_is_refused_by_name_in_one_line(bench, options, line):
    done = bench.alone("mdworkbench", *options)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("FATAL md-workbench: ")
    assert line in done.stderr
    assert not list(bench.directory.iterdir())


def test_help_names_the_options_that_there_are(bench):
    done = bench.alone("md-workbench", "-h")
    assert done.returncode == 0
    named = set(re.findall(r"^  (-\w)\b", done.stdout, re.M))
    assert {*shlex.split("-1 -2 -3 -X -a -o -t -O -D -G -P -I -R -S -v")} <= named
