"""Every interface moves the same bytes to the same places; latencies of all are counted."""

import csv
import re

import pytest

from tests.engine.conftest import PAUSING, mounted_ext4
from tests.engine.test_data import SEEDS, STAMP, flip_bit, words

INTERFACES = ["POSIX", "MPIIO", "IOURING --iouring.depth=1", "IOURING --iouring.depth=5"]


def skip_without(done):
    if "compiled without liburing" in done.stderr:
        pytest.skip("the engine was compiled without liburing (apt install liburing-dev)")


@pytest.mark.parametrize("packet", ["timestamp", "offset", "random"])
@pytest.mark.parametrize("api", INTERFACES)
def test_what_one_interface_writes_plain_calls_read_back_right(bench, api, packet):
    """POSIX reads, verifying every byte, what the interface wrote; and the other way round."""
    options = {"global": {"dataPacketType": packet}}
    for group in ("ior-easy", "ior-hard"):
        options[f"{group}-write"], options[f"{group}-read"] = {"API": api}, {"API": "POSIX"}
    done = bench.run(bench.write_ini(options))
    skip_without(done)
    assert done.returncode == 0, done.stderr
    assert not re.search(r"ior-\w+-read .*\[INVALID\]", bench.summary())
    for group in ("ior-easy", "ior-hard"):
        options[f"{group}-write"], options[f"{group}-read"] = {"API": "POSIX"}, {"API": api}
    done = bench.run(bench.write_ini(options))
    assert done.returncode == 0, done.stderr
    assert not re.search(r"ior-\w+-read .*\[INVALID\]", bench.summary())


@pytest.mark.parametrize("api", INTERFACES[1:])
def test_an_interface_finds_a_flipped_bit(bench, api):
    options = {"ior-easy": {"API": api}}
    ini = bench.write_ini(PAUSING, options)
    skip_without(bench.run(ini, "--dry-run"))
    with bench.paused(ini, "find", f"--timestamp={STAMP}") as process:
        easy = bench.data / "ior-easy/ior_file_easy.00000000"
        assert easy.read_bytes() == words(SEEDS["ior-easy"], 0, 2 << 20) * 2
        flip_bit(easy, 999)
    assert process.returncode == 0, process.errors
    assert f'wrong data in "{easy}" at offset 999' in process.output
    assert "; ERROR INVALID Errors (1)" in bench.result()


def test_all_ranks_together_in_every_transfer_of_the_shared_file(bench):
    together = {"ior-hard": {"API": "MPIIO", "collective": "TRUE"}}
    done = bench.run(bench.write_ini(together), ranks=4)
    assert done.returncode == 0, done.stderr
    assert "type                : collective" in (bench.results / "ior-hard-write.txt").read_text()
    assert re.search(r"^exe .* -w -c -D 1 -a MPIIO", bench.result(), re.M)
    assert not re.search(r"ior-hard-read .*\[INVALID\]", bench.summary())


def test_the_stonewall_stops_collective_transfers_on_all_ranks_at_once(bench):
    many = {"ior-hard": {"API": "MPIIO", "collective": "TRUE", "segmentCount": "10000000"}}
    done = bench.run(bench.write_ini(many), ranks=3)
    assert done.returncode == 0, done.stderr
    text = (bench.results / "ior-hard-write.txt").read_text()
    least, most = re.search(r"pairs accessed min: (\d+) max: (\d+)", text).groups()
    assert least == most


def test_direct_io_goes_past_the_page_cache_and_says_where_it_cannot(bench, tmp_path):
    with mounted_ext4(tmp_path / "ext4", 100) as ext4:
        bench.data = ext4 / "data"
        direct = {"API": "POSIX --posix.odirect"}
        done = bench.run(bench.write_ini({"ior-easy": direct}))
        assert done.returncode == 0, done.stderr
        assert not re.search(r"ior-easy-read .*\[INVALID\]", bench.summary())
        done = bench.run(bench.write_ini({"ior-hard": direct}))
        assert done.returncode == 1
        assert "direct I/O of 47008 bytes is refused here (EINVAL)" in done.stderr


def test_latencies_of_every_phase_are_counted_and_in_order(bench):
    assert bench.run(bench.write_ini(), "--mode=extended").returncode == 0
    with open(bench.results / "latency.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    counts = {(row["phase"], row["operation"]): int(row["count"]) for row in rows}
    assert counts[("ior-easy-write", "write")] == 2 * 2
    assert counts[("ior-hard-read", "read")] == 2 * 20
    for operation in ("write", "stat", "delete"):
        name = "create" if operation == "write" else operation
        assert counts[(f"mdtest-easy-{operation}", name)] == 2 * 150
    for operation in ("read", "stat", "create", "delete"):
        assert counts[("mdworkbench-bench", operation)] > 0
    for row in rows:
        quantiles = [float(row[f"{name}_s"]) for name in ("p50", "p95", "p99", "p99.9", "max")]
        assert quantiles == sorted(quantiles)
        assert 0 < quantiles[0] < 10
    keys = re.findall(
        r"^latency-(\w+) += p50 [\d.]+ p95 [\d.]+ .* max [\d.]+$", bench.result(), re.M
    )
    assert len(keys) == len(rows)
