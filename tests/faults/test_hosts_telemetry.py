"""A run over two hosts: what each did is in telemetry.csv, second by second on one clock."""

import csv
import os
import signal
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.faults.conftest import Faults
from tests.faults.hosts import Hosts
from tests.faults.spread import over_both, start, with_sshd
from tests.support.processes import wait_for

pytestmark = pytest.mark.alone

HELD = "ior-easy-write"  # the phase in which the ranks of h2 are held up
AHEAD = 7.3  # s of the clock of h2
# Beyond the phase that is held up, hardly anything is written; small transfers into few files give
# a storage of any speed enough to do, and little to sync and to remove.
CONFIG = """\
[global]
datadir = $TEST_DIR
timestamp-datadir = FALSE
resultdir = $OUTPUT_DIR
timestamp-resultdir = FALSE
drop-caches = FALSE
[debug]
stonewall-time = 6
[ior-easy]
transferSize = 64
blockSize = 4g
[ior-easy-read]
run = FALSE
[ior-hard]
segmentCount = 20
[mdtest-easy]
n = 200
[mdtest-hard]
n = 200
[find]
run = FALSE
[ior-rnd4K-easy-read]
run = FALSE
"""
# The run's ranks start once both hosts are sampled: what is held up is the first thing they do. The
# checks before it start ranks too.
LAUNCHER = """\
#!/bin/sh
for run in "{results}"/*/*/*/*/*/io500.ini; do
  while [ -e "$run" ] && ! grep -q ,h2, "${{run%/*}}/telemetry.csv"; do sleep 0.1; done
done
exec {mpirun} "$@"
"""


class Run(NamedTuple):
    """A finished run over h1 and h2, whose clock is so many seconds ahead."""

    ahead: float
    held: tuple  # (from, until): when the ranks of h2 stood still, by the clock of h1
    rows: list  # of telemetry.csv
    series: list
    ranks: list
    warnings: list

    def within(self, begun, ended):
        """{host: its rows of intervals in this time}."""
        found = {"h1": [], "h2": []}
        for row in self.rows:
            end = float(row["time_epoch"])
            if begun <= end - float(row["interval_s"]) and end <= ended:
                found[row["node"]].append(row)
        return found

    def span(self, phase):
        """(begin, end) of a phase by the engine's record, in UTC seconds."""
        rows = [row for row in self.series if row["phase"] == phase]
        begun = [float(row["start_epoch_s"]) for row in rows]
        ends = [float(row["start_epoch_s"]) + float(row["duration_s"]) for row in rows]
        return min(begun), max(ends)


@pytest.fixture(scope="module")
def run(real_parts, engine, mpirun, tmp_path_factory):
    """The Run. Without libfaketime both hosts are on one clock."""
    with_sshd(real_parts)
    fake = sorted(Path("/usr").glob("lib*/**/faketime/libfaketime.so.1"))
    environment = f"LD_PRELOAD={fake[0]} FAKETIME=+{AHEAD}s" if fake else ""
    environment += " FAKETIME_DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1" if fake else ""
    hosts = Hosts(tmp_path_factory.mktemp("hosts"), environment)
    try:
        spread = over_both(Faults(tmp_path_factory.mktemp("wrapper"), engine), mpirun)
        path = spread.directory / "config.ini"
        path.write_text(CONFIG)
        spread.environ["CONFIG_FILE"] = str(path)
        _wait_for_samplers(spread)
        process = start(spread, hosts)
        held = _hold(spread, hosts, engine, process)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, (out, err)
    finally:
        hosts.stop()
    (place,) = spread.runs
    tables = (_rows(place / name) for name in ("telemetry.csv", "timeseries.csv", "ranks.csv"))
    warnings = spread.json("run_metadata.json")["warnings"]
    return Run(AHEAD if fake else 0, held, *tables, warnings)


def _wait_for_samplers(spread):
    mpirun, _, rest = spread.environ["MPIRUN"].partition(" ")
    launcher = spread.directory / "launcher"
    launcher.write_text(LAUNCHER.format(results=spread.results, mpirun=mpirun))
    launcher.chmod(0o755)
    spread.environ["MPIRUN"] = f"{launcher} {rest}"


def _hold(spread, hosts, engine, process):
    """Hold the ranks of h2 up in mid-phase; (from, until) when they stood still."""
    file = "io500.*/data/ior-easy/ior_file_easy.*"
    wait_for(lambda: process.poll() is not None or spread.found(file), 180)
    assert process.poll() is None, process.communicate()
    time.sleep(1)
    pids = hosts.ranks_on("h2", engine)
    assert len(pids) == 2
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    begun = time.time()
    time.sleep(3.5)
    ended = time.time()
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
    return begun, ended


def _rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_both_hosts_were_in_each_phase_at_the_seconds_at_which_the_engine_was(run):
    assert {row["node"] for row in run.rows} == {"h1", "h2"}
    assert not [text for text in run.warnings if "sampled" in text or "telemetry" in text]
    seen = []
    for phase in {row["phase"] for row in run.series}:
        begun, end = run.span(phase)
        if end - begun < 2:  # may lie between two looks
            continue
        seen.append(phase)
        first, last = [], []
        for host in ("h1", "h2"):
            times = [
                float(row["time_epoch"])
                for row in run.rows
                if (row["node"], row["phase"]) == (host, phase)
            ]
            first.append(min(times))
            last.append(max(times))
            # A heading comes a moment before its phase, and is looked for each second.
            assert begun - 1 < min(times) < begun + 2, (phase, host)
            assert end - 1 < max(times) < end + 2, (phase, host)
        assert max(first) - min(first) < 1, phase
        assert max(last) - min(last) < 1, phase
    assert HELD in seen


def test_a_host_that_stood_still_did_so_at_its_seconds_while_the_other_went_on(run):
    rows = run.within(*run.held)
    wrote = {host: [float(row["ranks_written_bytes_per_s"]) for row in rows[host]] for host in rows}
    assert min(len(wrote["h1"]), len(wrote["h2"])) >= 2
    assert min(wrote["h1"]) > 0
    assert max(wrote["h2"]) == 0
    assert {row["phase"] for host in rows for row in rows[host]} == {HELD}
    assert all(row["ranks"] == "2" for host in rows for row in rows[host])


def test_what_a_host_s_sampler_saw_is_what_its_ranks_say_they_wrote(run):
    begun, end = run.span(HELD)
    for host in ("h1", "h2"):
        seen = sum(
            float(row["ranks_written_bytes_per_s"]) * float(row["interval_s"])
            for row in run.rows
            if row["node"] == host and begun < float(row["time_epoch"]) < end + 1.5
            if row["ranks"] != "0"  # all is over
        )
        done = sum(
            int(row["bytes"]) for row in run.ranks if (row["host"], row["phase"]) == (host, HELD)
        )
        assert done > 20e6
        # Words between the ranks, and the phases before it, count with the kernel as well.
        assert 0.97 * done < seen < 1.1 * done + 5e6, host


def test_a_host_s_clock_that_is_off_is_said_and_made_up_for(run, real_parts):
    if not run.ahead:
        real_parts.lack("not installed: libfaketime (apt install faketime)")
    for row in run.rows:
        offset, error = float(row["clock_offset_s"]), float(row["clock_error_s"])
        if row["node"] == "h1":
            assert (offset, error) == (0, 0)
        else:
            assert abs(offset + run.ahead) <= error + 0.001  # as far as its digits go
    # The record of a host's ranks is on the host's own clock: that was off, and by as much.
    began = {
        host: next(float(row["start_epoch_s"]) for row in run.ranks if row["host"] == host)
        for host in ("h1", "h2")
    }
    assert began["h2"] - began["h1"] == pytest.approx(run.ahead, abs=1)
