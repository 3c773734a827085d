"""stream: a fixed volume, and how fast each rank was and all of them together."""

import csv
import os
import re

import pytest

from hpc_disk_bench import tools
from tests.engine.conftest import mounted_ext4
from tests.engine.test_data import flip_bit

MIB = 1 << 20


def stream(bench, *options, ranks=3):
    bench.data.mkdir(exist_ok=True)
    return bench.run("stream", *options, "-o", bench.data / "f", ranks=ranks)


def figures(text):
    """Of each direction: (rank, MiB, seconds, MiB/s) of each rank, naive sum, precise, its time."""
    parts = re.split(r"^(write|read)\n", text, flags=re.M)[1:]
    row = r"Rank=(\d+): host=\S+ total IO = (\d+) MiB time = ([\d.]+) s IO bandwidth = ([\d.]+)"
    found = {}
    for direction, part in zip(parts[::2], parts[1::2], strict=True):
        ranks = [tuple(map(float, values)) for values in re.findall(row, part)]
        naive = float(re.search(r"Naive linear bandwidth summation = ([\d.]+)", part)[1])
        precise = re.search(r"More precise .* = ([\d.]+) MiB/s \(([\d.]+) s", part)
        found[direction] = (ranks, naive, float(precise[1]), float(precise[2]))
    return found


@pytest.mark.parametrize("volume", [["-s", "40m"], ["-n", "120m"]])
def test_the_figures_of_the_ranks_add_up_and_the_precise_one_is_over_the_whole_time(bench, volume):
    done = stream(bench, *volume)
    assert done.returncode == 0, done.stderr
    told = figures(done.stdout)
    assert set(told) == {"write", "read"}
    for ranks, naive, precise, seconds in told.values():
        assert [row[:2] for row in ranks] == [(0, 40), (1, 40), (2, 40)]
        assert naive == pytest.approx(sum(row[3] for row in ranks), abs=0.01)
        assert precise == pytest.approx(120 / seconds, rel=0.05)
        assert seconds >= max(row[2] for row in ranks) - 0.001
        assert precise <= naive * 1.001
    assert not list(bench.data.iterdir())


def test_a_volume_that_is_no_multiple_is_rounded_up_and_told(bench):
    done = stream(bench, "-w", "-k", "-n", "10m", "-t", "3m")
    assert "Volume              : 18 MiB in total, 6 MiB a rank" in done.stdout
    assert [path.stat().st_size for path in bench.data.iterdir()] == [6 * MIB] * 3


def test_volumes_are_told_exactly_whatever_their_unit(bench):
    call = ["stream", "-w", "-s", "1500k", "-o", bench.directory / "f", "-t"]
    for transfer, moved in ((100 << 10, 1_536_000), (47_008, 47_008 * 33)):
        (bench.directory / "text").write_text(bench.alone(*call, str(transfer)).stdout)
        (run,) = tools.read(bench.directory / "text")
        sizes = [run.options[f"{name}_bytes"] for name in ("transfer", "block", "total")]
        assert sizes == [transfer, moved, moved]
        assert run.operations[1].iterations[0].ranks[0].bytes == moved


def test_one_shared_file_holds_what_all_ranks_wrote(bench):
    done = stream(bench, "-w", "-k", "--shared", "--per-rank", "5m")
    assert done.returncode == 0, done.stderr
    assert {path.name: path.stat().st_size for path in bench.data.iterdir()} == {"f": 15 * MIB}
    done = stream(bench, "-r", "-R", "-k", "--shared", "--per-rank", "5m")
    assert done.returncode == 0
    flip_bit(bench.data / "f", 7 * MIB + 5)
    done = stream(bench, "-r", "-R", "--shared", "--per-rank", "5m", "--csv", "./ranks.csv")
    assert done.returncode == 1
    (run,) = tools.read(bench.directory / "ranks.csv")
    assert (run.state, run.ranks) == ("invalid", 3)
    assert run.operations[0].reasons == ("1 transfers with wrong data",)
    assert f'wrong data in "{bench.data / "f"}" at offset {7 * MIB + 5}' in done.stdout
    assert (bench.data / "f").exists()  # a call that only reads leaves what it did not write


def test_a_volume_that_fits_in_memory_is_warned_of(bench):
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / (1 << 30)
    done = stream(bench, "-w", "-s", "1m")
    assert f"fits in its memory (0.0 of {memory:.1f} GiB)" in done.stdout


def test_a_volume_larger_than_memory_is_not(bench, tmp_path):
    """It ends at once, since the file system is far too small for it; the warning comes before."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with mounted_ext4(tmp_path / "small", 20) as small:
        bench.data = small / "data"
        done = stream(bench, "-w", "-n", str(memory + MIB), ranks=2)
    assert done.returncode == 1
    assert "No space left on device (ENOSPC)" in done.stderr
    assert "phase stream write" in done.stderr
    assert "WARNING" not in done.stdout


def test_direct_io_is_used_and_told(bench, tmp_path):
    with mounted_ext4(tmp_path / "ext4", 100) as ext4:
        bench.data = ext4 / "data"
        done = stream(bench, "-d", "-R", "-s", "8m")
        assert done.returncode == 0, done.stderr
        assert "Direct I/O          : yes" in done.stdout
        done = stream(bench, "-d", "-s", "8m", "-t", "1000")
        assert done.returncode == 1
        assert "direct I/O of 1000 bytes is refused here (EINVAL)" in done.stderr


def test_a_row_a_rank_and_direction_goes_to_a_file(bench):
    stream(bench, "-s", "2m", "--csv", "./ranks.csv")
    with open(bench.directory / "ranks.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["access"], row["rank"]) for row in rows] == [
        (access, str(rank)) for access in ("write", "read") for rank in range(3)
    ]
    for row in rows:
        assert row["bytes"] == str(2 * MIB)
        assert float(row["bandwidth_Bps"]) == pytest.approx(
            2 * MIB / float(row["time_s"]), rel=1e-3
        )


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ([], "how much?"),
        (["-s", "1m", "-n", "1m"], "how much?"),
        (["-s", "1m", "-t", "0"], "a transfer has 1 byte or more"),
        (["-s", "9000000t"], "expected a size"),
        (["-s", "1m", "--nosuch"], "--nosuch is not supported"),
        (["-s", "1m", "-a", "MPIIO", "-d"], "no option --posix.odirect"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(bench, options, line):
    done = bench.alone("stream", *options)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("FATAL ")
    assert line in done.stderr
    assert not list(bench.directory.iterdir())


def test_help_names_the_options_that_there_are(bench):
    done = bench.alone("stream", "--help")
    for option in ("-s, --per-rank", "-n, --total", "-d, --direct", "-f, --shared", "-w", "-r"):
        assert f"  {option}" in done.stdout
