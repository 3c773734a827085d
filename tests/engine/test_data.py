"""What the engine writes lies and reads as upstream's does, and is checked when read."""

import os
import re
import struct

import pytest

from tests.engine.conftest import PAUSING

STAMP = "2026.11.20-09.54.40"
SEEDS = {"ior-easy": 1836005187, "ior-hard": 1836015875, "mdtest-hard": -1572773627}


def words(seed, rank, size):
    """A rank's `timestamp` packet: word i is rank << 32 | seed + i, the rest the byte's index."""
    mask = 2**64 - 1
    data = b"".join(
        struct.pack("<Q", (rank << 32 | ((seed & mask) + i)) & mask) for i in range(size // 8)
    )
    return data + bytes(i & 255 for i in range(size // 8 * 8, size))


def start_paused(bench, phase, *changes, ranks=2):
    return bench.paused(bench.write_ini(PAUSING, *changes), phase, ranks=ranks)


def tree(data):
    return {
        str(path.relative_to(data)): path.stat().st_size
        for path in data.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_files_lie_where_upstream_puts_them(bench, ranks):
    with start_paused(bench, "find", ranks=ranks):
        found = tree(bench.data)
    expected = {f"ior-easy/ior_file_easy.{rank:08d}": 4 << 20 for rank in range(ranks)}
    expected["ior-hard/file"] = 20 * ranks * 47008
    for rank in range(ranks):
        easy = f"mdtest-easy/test-dir.0-0/mdtest_tree.{(rank + 1) % ranks}.0"
        hard = "mdtest-hard/test-dir.0-0/mdtest_tree.0"
        for number in range(150):
            expected[f"{easy}/file.mdtest.{rank}.{number}"] = 0
            expected[f"{hard}/file.mdtest.{rank}.{number}"] = 3901
    assert found == expected


def test_one_shared_easy_file_and_directories_of_their_own_by_choice(bench):
    with start_paused(bench, "find", {"ior-easy": {"filePerProc": "FALSE"}}):
        found = tree(bench.data)
    assert found["ior-easy/ior_file_easy"] == 2 * (4 << 20)
    with start_paused(bench, "find", {"ior-easy": {"uniqueDir": "TRUE"}}) as process:
        found = tree(bench.data)
    assert {name for name in found if name.startswith("ior-easy")} == {
        "ior-easy/0/ior_file_easy.00000000",
        "ior-easy/1/ior_file_easy.00000001",
    }
    assert process.returncode == 0
    assert not bench.data.exists()


def test_the_content_is_upstreams_pattern(bench):
    with bench.paused(bench.write_ini(PAUSING), "find", f"--timestamp={STAMP}"):
        check_content(bench.data)


def check_content(data):
    for rank in (0, 1):
        easy = (data / f"ior-easy/ior_file_easy.{rank:08d}").read_bytes()
        assert easy == words(SEEDS["ior-easy"], rank, 2 << 20) * 2
        small = data / f"mdtest-hard/test-dir.0-0/mdtest_tree.0/file.mdtest.{rank}.7"
        assert small.read_bytes() == words(SEEDS["mdtest-hard"], rank, 3901)
    hard = (data / "ior-hard/file").read_bytes()
    pair = words(SEEDS["ior-hard"], 0, 47008) + words(SEEDS["ior-hard"], 1, 47008)
    assert hard == pair * 20


def flip_bit(path, offset):
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 0x10]))


@pytest.mark.parametrize("packet", ["timestamp", "offset", "incompressible", "random"])
def test_a_flipped_bit_is_found_and_named(bench, packet):
    with start_paused(bench, "find", {"global": {"dataPacketType": packet}}) as process:
        easy = bench.data / "ior-easy/ior_file_easy.00000001"
        flip_bit(easy, (2 << 20) + 12345)
    assert process.returncode == 0
    assert f'rank 1 on {os.uname().nodename}: wrong data in "{easy}" at offset 2109497' in (
        process.output
    )
    assert "ior-easy-read" in re.search(r".*ior-easy-read.*\[INVALID\]", bench.summary())[0]
    assert "; ERROR INVALID Errors (1) occured during phase in IOR." in bench.result()
    assert not re.search(r"ior-hard-read.*\[INVALID\]", bench.summary())


def test_unharmed_data_of_every_packet_type_is_read_as_right(bench):
    for packet in ("timestamp", "offset", "incompressible", "random"):
        done = bench.run(bench.write_ini({"global": {"dataPacketType": packet}}))
        assert done.returncode == 0
        assert "wrong data" not in done.stdout
        assert not re.search(r"-read .*\[INVALID\]", bench.summary()), packet


def test_a_wrong_or_missing_small_file_makes_its_phase_invalid(bench):
    with start_paused(bench, "find") as process:
        hard = bench.data / "mdtest-hard/test-dir.0-0/mdtest_tree.0"
        flip_bit(hard / "file.mdtest.0.3", 3900)
        os.truncate(hard / "file.mdtest.1.4", 100)
        (bench.data / "mdtest-easy/test-dir.0-0/mdtest_tree.0.0/file.mdtest.1.5").unlink()
    assert process.returncode == 0
    result = bench.result()
    assert "; ERROR INVALID 2 operations failed or found wrong data" in section(
        result, "mdtest-hard-read"
    )
    for phase in ("mdtest-easy-stat", "mdtest-easy-delete"):
        assert "; ERROR INVALID 1 operations failed or found wrong data" in section(result, phase)
        assert re.search(rf"{phase} .*\[INVALID\]", bench.summary())
    assert not bench.data.exists()


def section(result, name):
    return result.split(f"[{name}]\n")[1].split("\n[")[0]


def test_failed_operations_are_not_counted_as_done(bench):
    with start_paused(bench, "find"):
        for path in (bench.data / "mdtest-easy/test-dir.0-0/mdtest_tree.0.0").iterdir():
            path.unlink()
    row = (bench.results / "mdtest-easy-stat.csv").read_text().splitlines()[1].split(",")
    rate, seconds = [float(cell) for cell in row[2:] if cell]
    assert rate * seconds == pytest.approx(150, rel=1e-6)


def test_the_engine_reads_and_removes_the_files_of_an_earlier_run(bench):
    """The read phases of one run work on the files and counts that another has written."""
    stamp = f"--timestamp={STAMP}"
    with bench.paused(bench.write_ini(PAUSING), "find", stamp) as process:
        process.terminate()
        process.wait(timeout=30)
    readers = {
        name: {"run": "FALSE"}
        for name in ("ior-easy-write", "mdtest-easy-write", "ior-hard-write", "mdtest-hard-write")
    }
    done = bench.run(bench.write_ini(readers), stamp)
    assert done.returncode == 0, done.stderr
    marked = set(re.findall(r"\[RESULT\] +(\S+) .*\[INVALID\]", bench.summary()))
    assert marked <= {"find"}
    assert "only 8 of the 12 scored phases ran" in bench.result()
