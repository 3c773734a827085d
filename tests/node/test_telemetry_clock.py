"""Several nodes on one clock: how far another is off, and in which phase a late row belongs."""

import csv
import os
import random
import subprocess
import sys
import time

import pytest

from hpc_disk_bench.telemetry.clock import Clock
from hpc_disk_bench.telemetry.phases import PhaseWatch
from hpc_disk_bench.telemetry.ranks import Ranks
from hpc_disk_bench.telemetry.rows import header, line_of


def answers(clock, ahead, *, seed=0, count=20, at=1.77e9):
    """Let a clock that is so many seconds ahead answer; each way takes 1 to 300 ms of its own."""
    draw = random.Random(seed)
    for second in range(count):
        there, back = (draw.uniform(0.001, 0.3) for _ in range(2))
        sent = at + second
        clock.answered(sent, sent + there + ahead, sent + there + back)


@pytest.mark.parametrize("ahead", [-3600.0, -0.4, 7.3])
@pytest.mark.parametrize("seed", range(5))
def test_an_offset_is_never_more_wrong_than_it_says(ahead, seed):
    clock = Clock()
    assert clock.offset is None
    answers(clock, ahead, seed=seed)
    assert abs(clock.offset + ahead) <= clock.error
    assert clock.error < 0.15


def test_clocks_that_agree_as_far_as_can_be_told_are_not_changed():
    clock = Clock()
    answers(clock, 0.0005)
    assert clock.offset == 0
    assert clock.error > 0.0005


def test_a_clock_that_is_set_in_mid_run_is_followed_at_once():
    clock = Clock()
    answers(clock, 7.3)
    answers(clock, 0.0, count=1, at=1.78e9)
    assert abs(clock.offset) <= clock.error
    assert clock.unsure  # so that more answers are asked for before a row is dated


def test_a_clock_of_this_node_that_is_set_back_meanwhile_tells_nothing():
    clock = Clock()
    clock.answered(100.0, 50.0, 90.0)
    assert clock.offset is None


def test_a_row_that_comes_late_bears_the_phase_of_its_own_second(tmp_path, monkeypatch):
    watch = PhaseWatch(tmp_path)
    for now, text in ((100.0, "[ior-easy-write]\n"), (101.0, ""), (102.0, "[ior-hard-write]\n")):
        monkeypatch.setattr(time, "time", lambda now=now: now)
        with open(tmp_path / "result.txt", "a") as file:
            file.write(text)
        watch.look()
    assert watch.phase == "ior-hard-write"
    assert watch.at(100.9) == "ior-easy-write"
    assert watch.at(101.001) == "ior-easy-write"
    assert watch.at(102.001) == "ior-hard-write"
    # A row of the next second has to wait for the look at that second.
    assert watch.has_looked_at(102.3)
    assert not watch.has_looked_at(103.001)


def test_a_rank_s_first_second_counts_what_it_did_since_it_began(tmp_path):
    """Found a sample after it began, what its counters stand at was done in that interval."""
    ini = tmp_path / "io500.ini"
    ini.write_text("")
    ranks = Ranks(ini)
    assert ranks.sample(1, 0.0, changed=True)["ranks"] == 0
    program = tmp_path / "rank.py"
    program.write_text(
        "import os, sys\nwith open(os.devnull, 'wb', 0) as file: file.write(bytes(10_000_000))\n"
        "print(flush=True)\nsys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, program, ini], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        process.stdout.readline()
        row = ranks.sample(2, 2.0, changed=False)
        assert row["ranks"] == 1
        assert 5_000_000 <= row["ranks_written_bytes_per_s"] < 5_100_000
        assert ranks.sample(1, 3.0, changed=False)["ranks_written_bytes_per_s"] == 0
    finally:
        process.communicate()


def test_a_sampler_that_never_tells_its_time_is_recorded_without_an_offset(tmp_path):
    """Such as one of another version: its rows stand by its own clock, which is said."""
    run, programs = tmp_path / "run", tmp_path / "bin"
    run.mkdir()
    programs.mkdir()
    (run / "io500.ini").write_text("")
    (run / "run_metadata.json").write_text("{}")
    row = line_of({"time_epoch": 1.7e9, "interval_s": 1.0, "node": "n2", "ranks": 3})
    ssh = programs / "ssh"
    ssh.write_text(f"#!/bin/bash\nprintf '%s\\n' hello '{row.strip()}'\ncat >'{run}/asked'\n")
    ssh.chmod(0o755)
    entry = os.path.join(os.path.dirname(__file__), "../../hpc_disk_bench/__main__.py")
    command = [sys.executable, "-I", entry, "telemetry", f"--directory={tmp_path}"]
    environ = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    environ.pop("SLURM_JOB_ID", None)
    process = subprocess.Popen(
        [*command, f"--ini={run / 'io500.ini'}", "--node=n2"],
        env=environ, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    end = time.monotonic() + 30
    while not (run / "asked").exists() or not (run / "asked").read_text():
        assert time.monotonic() < end
        time.sleep(0.05)
    assert process.communicate("")[1] == ""
    text = (run / "telemetry.csv").read_text()
    assert text.startswith(header())
    (found,) = [row for row in csv.DictReader(text.splitlines()) if row["node"] == "n2"]
    assert (found["time_epoch"], found["clock_offset_s"]) == ("1700000000.000", "")
    assert (found["clock_error_s"], found["ranks"]) == ("", "3")
