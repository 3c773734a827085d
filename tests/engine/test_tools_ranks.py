"""What ior's ranks do about each other: one of two is held for a while by SIGSTOP."""

import csv
import os
import signal
import time

import pytest

from hpc_disk_bench import processes
from tests.engine.conftest import ranks_of, wait_for

TRANSFER, WHOLE = 64, 64 << 20  # bytes


def held_in_writing(bench, hold, *options):
    """Sizes of both files, rows of ranks.csv, and the epoch s when rank 1 went on: it stood still
    as it wrote its file for as long as hold(file of rank 0, process) took.
    """
    bench.data.mkdir()
    files = [bench.data / f"f.0000000{rank}" for rank in (0, 1)]
    call = ["ior", "-w", "-k", "-F", "-t", str(TRANSFER), "-o", bench.data / "f", "--record=."]
    process = bench.start(*call, *options)
    wait_for(lambda: all(file.exists() and file.stat().st_size for file in files), process)
    mine = ranks_of(bench)
    (held,) = [one.pid for one in processes.ranks("ior") if one.rank == 1 and one.pid in mine]
    os.kill(held, signal.SIGSTOP)
    hold(files[0], process)
    resumed = time.time()
    os.kill(held, signal.SIGCONT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, out + err
    with open(bench.directory / "ranks.csv", newline="") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: row["rank"])
    return [file.stat().st_size for file in files], rows, resumed


@pytest.mark.parametrize("wear_out", [0, 1])
def test_after_the_stonewall_a_rank_catches_up_only_where_it_is_told_to(bench, wear_out):
    directive = f"stoneWallingWearOut={wear_out}"
    options = ["-b", "4g", "-D", "4", "-O", directive]
    sizes, rows, _ = held_in_writing(bench, lambda *_: time.sleep(2.5), *options)
    stonewall = [TRANSFER * int(row["stonewall_operations"]) for row in rows]
    assert stonewall[1] < stonewall[0]
    assert sizes == ([stonewall[0]] * 2 if wear_out else stonewall)


@pytest.mark.parametrize(("options", "waits"), [([], False), (["-g"], True)])
def test_a_rank_waits_with_closing_only_where_it_is_told_to(bench, options, waits):
    def until_the_other_has_written_all(file, process):
        wait_for(lambda: file.stat().st_size == WHOLE, process)
        time.sleep(1.5)

    call = ["-b", str(WHOLE), *options]
    _, rows, resumed = held_in_writing(bench, until_the_other_has_written_all, *call)
    ended = [float(row["start_epoch_s"]) + float(row["end_s"]) for row in rows]
    assert ended[1] > resumed
    assert (ended[0] > resumed) == waits
