"""Limits of time of the workloads on their own: what is left out is said, and seen as left out."""

import json
import re

import pytest

from hpc_disk_bench import tools

ROW = re.compile(r"^write (?!.*POSIX).* (\d) *$", re.M)
PAUSES = ["-w", "-i", "9", "-d", "1"]  # a second of rest before each iteration but the first


def read_again(bench, text):
    """The one run that parse_summary.py would see in this output."""
    path = bench.directory / "output"
    path.write_text(text)
    (run,) = tools.read(path)
    return run


def test_ior_begins_no_iteration_after_its_minutes(bench, racing):
    bench.data.mkdir()
    call = ["ior", *PAUSES, "-T", "1", "-o", bench.data / "f"]
    done = bench.run(*call, before=racing(80))  # a second of rest is more than one of its minutes
    assert done.returncode == 0, done.stderr
    rows = ROW.findall(done.stdout)
    assert 0 < len(rows) < 9
    told = re.search(
        r"^WARNING: (\d) of 9 iterations done when the time of -T 1 \(m", done.stdout, re.M
    )
    assert int(told[1]) == len(rows)
    run = read_again(bench, done.stdout)
    assert (run.state, len(run.operations[0].iterations)) == ("partial", len(rows))
    assert list(bench.data.iterdir()) == []


def test_ior_says_so_beside_a_summary_for_programs(bench, racing):
    bench.data.mkdir()
    call = ["ior", *PAUSES, "-T", "1", "-O", "summaryFormat=JSON", "-o", bench.data / "f"]
    done = bench.run(*call, before=racing(80))
    count = len(json.loads(done.stdout)["tests"][0]["Results"])
    assert 0 < count < 9
    assert f"WARNING: {count} of 9 iterations done" in done.stderr
    assert read_again(bench, done.stdout).state == "partial"


def test_ior_does_all_iterations_where_its_minutes_suffice(bench):
    bench.data.mkdir()
    done = bench.run("ior", "-w", "-i", "3", "-T", "1", "-o", bench.data / "f")
    assert ROW.findall(done.stdout) == ["0", "1", "2"]
    assert "WARNING" not in done.stdout
    assert read_again(bench, done.stdout).state == "complete"


@pytest.mark.parametrize("more", [[], ["-H", "1"], ["-N"]])
def test_pfind_stops_at_its_stonewall(bench, racing, more):
    for i in range(300):
        directory = bench.data / f"d{i}"
        directory.mkdir(parents=True)
        for j in range(10):
            (directory / f"file.{j}").touch()
    call = ["pfind", bench.data, "-C", "-D", "rates", *more]
    done = bench.run(*call, "-s", "1", before=racing(10_000))
    assert done.returncode == 0, done.stderr
    assert "WARNING: stopped after 1 s: what was not seen by then is not counted" in done.stdout
    found, total = map(int, re.search(r"^MATCHED (\d+)/(\d+)$", done.stdout, re.M).groups())
    assert found == total < 3000
    assert read_again(bench, done.stdout).state == "partial"
    done = bench.run(*call, "-s", "100")
    assert "MATCHED 3000/3000" in done.stdout
    assert read_again(bench, done.stdout).state == "complete"
