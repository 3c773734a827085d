"""A core that a rank comes to share with somebody else's programs in mid-phase."""

import contextlib
import itertools
import os
import subprocess
import time
from typing import NamedTuple

import pytest

from hpc_disk_bench import processes
from hpc_disk_bench.report.inside import record
from tests.engine.conftest import scratch
from tests.faults.inspected import begin_of, found_in
from tests.support.needs import night
from tests.support.processes import prefer, wait_for

# Writes of a few bytes to memory, one after the other: all that they need is the core.
WRITING = """[global]
datadir = $TEST_DIR
timestamp-datadir = FALSE
resultdir = $OUTPUT_DIR
timestamp-resultdir = FALSE
[debug]
stonewall-time = 30
[ior-easy]
transferSize = 32
blockSize = 4g
[ior-easy-read]
run = FALSE
[ior-rnd4K-easy-read]
run = FALSE
[ior-hard]
run = FALSE
[mdtest-easy]
run = FALSE
[mdtest-hard]
run = FALSE
[find]
run = FALSE
"""
# So many leave the rank an eighth: more than the rate of a virtual machine changes by itself.
HOG, HOGS = "while :; do :; done", 7


@pytest.mark.alone
@night("has the machine for itself for a minute")
def test_programs_that_take_a_rank_s_core_are_a_drop_by_as_much_with_its_cause(
    faults, root, tmp_path, real_parts
):
    real_parts.root()
    ini = tmp_path / "writing.ini"
    ini.write_text(WRITING)
    faults.environ["CONFIG_FILE"] = str(ini)
    core = max(os.sched_getaffinity(0))
    with scratch(tmp_path) as data, contextlib.ExitStack() as ending:
        faults.test_dir = data
        process = faults.start("--force")
        wait_for(lambda: process.poll() is not None or in_phase(faults, "[ior-easy-write]"))
        (run,) = faults.runs
        (rank,) = processes.ranks(run / "io500.ini")
        keep_on(core, rank.pid)
        looks = [look(rank.pid)]
        time.sleep(14)
        looks.append(look(rank.pid))
        for _ in range(HOGS):
            hog = subprocess.Popen(["sh", "-c", HOG], start_new_session=True)
            ending.callback(hog.wait)
            ending.callback(hog.kill)
            keep_on(core, hog.pid)
        time.sleep(14)
        looks.append(look(rank.pid))
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, (out, err)

    before, after = itertools.starmap(since, itertools.pairwise(looks))
    print(f"the rank had {before.cpu:.2f} and {after.cpu:.2f} of the core")
    drop, said = found_in(root, run, "ior-easy-write")
    assert (drop["kind"], drop["confidence"]) == ("drop", "high")
    assert drop["level"] == pytest.approx(before.written, rel=0.2)
    assert drop["after"] == pytest.approx(after.written, rel=0.2)
    assert drop["lost_share"] == pytest.approx(1 - after.cpu / before.cpu, rel=0.2)
    assert drop["at_s"] == pytest.approx(looks[1].time - begin_of(run, "ior-easy-write"), abs=2)
    got = next(one for one in drop["meanwhile"] if one["column"] == "ranks_cpu")
    assert got["before"] == pytest.approx(before.cpu, rel=0.2)
    assert got["after"] == pytest.approx(after.cpu, rel=0.2)
    assert "; meanwhile what the ranks got of the CPUs went from " in said
    shown = record.coded(record.read(run), 300)["findings"]
    assert [text for _, kind, text, *_ in shown if kind == "drop"] == [drop["text"]]
    assert drop["text"] in said


class Look(NamedTuple):
    time: float  # epoch s
    cpu: float  # s that a process has had of the CPUs
    written: int  # bytes


def look(pid):
    counters = processes.counters(pid)
    return Look(time.time(), counters.cpu, counters.written)


def since(first, last):
    """What a process did a second between two looks, and the time between them."""
    seconds = last.time - first.time
    return Look(seconds, (last.cpu - first.cpu) / seconds, (last.written - first.written) / seconds)


def in_phase(faults, name):
    return any(name in path.read_text() for path in faults.results.glob("**/result.txt"))


def keep_on(core, pid):
    """Keep a process on this core, and others, as far as may be, off it."""
    for thread in map(int, os.listdir(f"/proc/{pid}/task")):
        os.sched_setaffinity(thread, {core})
    prefer(pid)
