"""What ior's ranks do about each other: one of two is held for a while by SIGSTOP."""

import csv
import os
import signal
import time

import pytest

from tests.engine.conftest import ranks_of, wait_for

HELD = 2.5  # s
TRANSFER = 64


def rank_of(pid):
    with open(f"/proc/{pid}/environ", "rb") as file:
        return int(
            dict(pair.split(b"=", 1) for pair in file.read().split(b"\0")[:-1])[b"PMIX_RANK"]
        )


def held_in_writing(bench, *options):
    """Sizes of both files and rows of ranks.csv, where rank 1 stood still as it wrote its file."""
    bench.data.mkdir()
    files = [bench.data / f"f.0000000{rank}" for rank in (0, 1)]
    call = ["ior", "-w", "-k", "-F", "-t", str(TRANSFER), "-o", bench.data / "f", "--record=."]
    process = bench.start(*call, *options)
    wait_for(lambda: all(file.exists() and file.stat().st_size for file in files), process)
    (held,) = [pid for pid in ranks_of(bench) if rank_of(pid) == 1]
    os.kill(held, signal.SIGSTOP)
    time.sleep(HELD)
    os.kill(held, signal.SIGCONT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, out + err
    with open(bench.directory / "ranks.csv", newline="") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: row["rank"])
    return [file.stat().st_size for file in files], rows


@pytest.mark.parametrize("wear_out", [0, 1])
def test_after_the_stonewall_a_rank_catches_up_only_where_it_is_told_to(bench, wear_out):
    directive = f"stoneWallingWearOut={wear_out}"
    sizes, rows = held_in_writing(bench, "-b", "4g", "-D", "4", "-O", directive)
    stonewall = [TRANSFER * int(row["stonewall_operations"]) for row in rows]
    assert stonewall[1] < stonewall[0]
    assert sizes == ([stonewall[0]] * 2 if wear_out else stonewall)


@pytest.mark.parametrize(("options", "waits"), [([], False), (["-g"], True)])
def test_a_rank_waits_with_closing_only_where_it_is_told_to(bench, options, waits):
    _, rows = held_in_writing(bench, "-b", "64m", *options)
    ended = [float(row["end_s"]) for row in rows]
    assert ended[1] > HELD
    assert (ended[0] > HELD) == waits
