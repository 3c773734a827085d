"""What the rarer options of the workloads do to the storage: system calls, files, memory."""

import collections
import csv
import re
import subprocess

import pytest

from tests.engine.conftest import mounted_ext4, ranks_of, wait_for
from tests.engine.test_data import flip_bit
from tests.engine.test_interfaces import skip_without

MIB = 1 << 20
WITHOUT_A_FILE = ("sync", "clock_nanosleep")


@pytest.fixture
def traced(bench, real_parts):
    """A function: a workload with one rank; (call, rest of the line) of those on its data."""
    real_parts.programs("strace")

    def run(calls, *arguments):
        log = bench.directory / "trace"
        bench.data.mkdir(exist_ok=True)
        done = subprocess.run(
            ["strace", "-f", "-y", "-e", f"trace={calls}", "-o", log, bench.binary, *arguments],
            cwd=bench.directory,
            env=bench.environ,
            capture_output=True,
            text=True,
        )
        skip_without(done)
        if "ptrace" in done.stderr.lower():
            real_parts.lack(f"cannot trace here: {done.stderr.strip()}")
        assert done.returncode == 0, done.stderr
        lines = re.findall(r"^\d+ +(\w+)\((.*)", log.read_text(errors="replace"), re.M)
        return [pair for pair in lines if str(bench.data) in pair[1] or pair[0] in WITHOUT_A_FILE]

    return run


def counted(calls):
    return dict(collections.Counter(call for call, _ in calls))


@pytest.mark.parametrize(
    ("options", "syncs"), [([], {}), (["-e"], {"fsync": 1}), (["-Y"], {"fsync": 8})]
)
def test_ior_writes_through_as_often_as_it_is_told(bench, traced, options, syncs):
    call = ["ior", "-w", "-b", "1m", "-t", "128k", "-o", bench.data / "f", *options]
    assert counted(traced("fsync", *call)) == syncs


def test_mdtest_writes_through_each_file_or_each_phase(bench, traced):
    call = ["mdtest", "-C", "-F", "-n", "7", "-w", "10"]
    assert counted(traced("fsync,sync", *call, "-d", bench.data / "a")) == {}
    assert counted(traced("fsync,sync", *call, "-y", "-d", bench.data / "b")) == {"fsync": 7}
    log = traced("fsync,sync", *call, "-Y", "-d", bench.data / "c")
    assert set(counted(log)) == {"sync"}


@pytest.mark.parametrize(
    "tool",
    [
        "ior -w -B -t 64k",
        "ior -w -O useO_DIRECT=1 -t 64k",
        "ior -w -a IOURING --iouring.odirect --iouring.depth=3 -t 64k",
        "stream -w -d -s 1m",
        "stream -w -d -a IOURING -s 1m",
    ],
)
def test_direct_io_is_in_the_call_that_opens_the_file(bench, traced, tmp_path, tool):
    with mounted_ext4(tmp_path / "ext4", 32) as ext4:
        bench.data = ext4 / "data"
        opened = traced("openat", *tool.split(), "-o", bench.data / "f")
        assert [("O_DIRECT" in rest) for _, rest in opened if "O_CREAT" in rest] == [True]


def test_mdtest_goes_past_the_page_cache_too(bench, traced, tmp_path):
    with mounted_ext4(tmp_path / "ext4", 32) as ext4:
        bench.data = ext4 / "data"
        call = ["mdtest", "-F", "-n", "3", "-w", "4096", "-e", "4096", "--posix.odirect"]
        opened = traced("openat", *call, "-d", bench.data / "m")
    files = [rest for _, rest in opened if "file.mdtest" in rest]
    assert len(files) == 6
    assert all("O_DIRECT" in rest for rest in files)


def test_ior_writes_into_the_file_that_is_there_where_it_is_told_to(bench):
    bench.data.mkdir()
    file = bench.data / "f"
    file.write_bytes(b"x" * 3 * MIB)
    call = ["ior", "-w", "-k", "-b", "1m", "-o", file]
    assert "exists already" not in bench.run(*call, "-E", ranks=1).stdout
    assert file.stat().st_size == 3 * MIB
    assert file.read_bytes()[MIB:] == b"x" * 2 * MIB
    assert "exists already" in bench.run(*call, ranks=1).stdout
    assert file.stat().st_size == MIB


@pytest.mark.parametrize(("options", "left"), [([], []), (["-K"], ["f"])])
def test_ior_keeps_a_file_with_wrong_data_where_it_is_told_to(bench, options, left):
    bench.data.mkdir()
    file = bench.data / "f"
    call = ["ior", "-w", "-r", "-R", "-d", "3", "-b", "1m", "-o", file, *options]
    process = bench.start(*call, ranks=1)
    # Between writing and reading it rests for 3 s.
    wait_for(lambda: file.exists() and file.stat().st_size == MIB, process)
    flip_bit(file, 5000)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 1, out
    assert f'wrong data in "{file}" at offset 5000' in out
    assert [path.name for path in bench.data.iterdir()] == left


def test_ior_deals_a_shared_file_by_the_seed_of_its_order(bench):
    bench.data.mkdir()
    call = ["-z", "-b", "1m", "-t", "64k", "-o", bench.data / "f", "-k"]
    bench.run("ior", "-w", *call, "--random-offset-seed=1", ranks=3)
    assert bench.run("ior", "-r", "-R", *call, "--random-offset-seed=1", ranks=3).returncode == 0
    other = bench.run("ior", "-r", "-R", *call, "--random-offset-seed=2", ranks=3)
    assert (other.returncode, "wrong data in" in other.stdout) == (1, True)


def test_ior_reads_other_ranks_data_by_the_seed_of_their_order(bench):
    """Whoever reads the one file with a wrong bit finds it."""
    bench.data.mkdir()
    where = ["-F", "-b", "64k", "-t", "64k", "-o", bench.data / "f", "-k"]
    bench.run("ior", "-w", *where, ranks=4)
    flip_bit(bench.data / "f.00000002", 7)

    def reader(seed):
        done = bench.run("ior", "-r", "-R", "-Z", "-Z", "-X", seed, *where, ranks=4)
        return re.search(r"rank (\d) on .* wrong data", done.stdout)[1]

    found = {seed: reader(seed) for seed in "123456"}
    assert len(set(found.values())) > 1
    assert {seed: reader(seed) for seed in "12"} == {seed: found[seed] for seed in "12"}


def test_ior_does_no_more_transfers_than_it_is_told(bench):
    bench.data.mkdir()
    limit = "stoneWallingWearOutIterations=5"
    done = bench.run("ior", "-w", "-k", "-F", "-t", "64k", "-o", bench.data / "f", "-O", limit)
    assert done.returncode == 0, done.stderr
    assert [path.stat().st_size for path in bench.data.iterdir()] == [5 * 65536] * 2


def test_ior_occupies_memory_while_it_runs(bench):
    bench.data.mkdir()
    call = ["ior", "-w", "-r", "-d", "5", "-M", "256m", "-o", bench.data / "f"]

    def resident():
        return sum(
            int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{pid}/status").read())[1])
            for pid in ranks_of(bench)
        )

    process = bench.start(*call)
    wait_for(lambda: resident() > 256 * 1024, process)
    assert process.communicate(timeout=60)[1] == ""


def test_ior_names_a_run_by_its_number(bench):
    bench.data.mkdir()
    done = bench.run("ior", "-w", "-A", "4711", "-o", bench.data / "f")
    row = re.search(r"^Operation .* RefNum\n(write .*)$", done.stdout, re.M)[1]
    assert row.split()[-1] == "4711"


def test_ior_takes_a_bare_name_with_a_directory_a_rank(bench):
    done = bench.run("ior", "-w", "-k", "-F", "-u", "-o", "name")
    assert done.returncode == 0, done.stderr
    assert {str(path.relative_to(bench.directory)) for path in bench.directory.glob("*/*")} == {
        "0/name.00000000",
        "1/name.00000001",
    }


def test_mdtest_looks_at_files_in_the_order_of_its_seed(bench, traced):
    files = ["-F", "-n", "30", "-d", bench.data]
    traced("none", "mdtest", "-C", *files)

    def order(*options):
        calls = traced("newfstatat,stat", "mdtest", "-T", *options, *files)
        return [int(n) for _, rest in calls for n in re.findall(r'file\.mdtest\.0\.(\d+)"', rest)]

    seeded = order("-R", "--random-seed=7")
    assert order() == sorted(seeded) == list(range(30))
    assert seeded == order("-R", "--random-seed=7") != order("-R", "--random-seed=8")
    assert seeded != sorted(seeded)


def test_mdtest_rests_before_each_iteration(bench, traced):
    calls = traced("clock_nanosleep", "mdtest", "-n", "1", "-i", "2", "-p", "1", "-d", bench.data)
    rests = [rest for _, rest in calls if "{tv_sec=1, tv_nsec=0}" in rest]
    assert len(rests) == 2


def test_mdtest_tells_times_in_place_of_rates_and_each_phase(bench):
    call = ["mdtest", "-F", "-n", "5", "-d", bench.data]
    assert re.findall("SUMMARY (.*?):", bench.run(*call).stdout) == ["rate (in ops/sec)"]
    assert re.findall("SUMMARY (.*?):", bench.run(*call, "-Z").stdout) == ["time (in ms/op)"]
    names = ["Tree creation", "File creation", "File stat", "File read", "File removal"]
    for more in (["-v"], ["-V", "1"]):
        told = re.findall(r"^V-1: (\w+ \w+) +[\d.]+ s ", bench.run(*call, *more).stdout, re.M)
        assert told == [*names, "Tree removal"]


def test_mdworkbench_makes_files_of_the_size_and_data_it_is_told(bench):
    call = [f"-o={bench.data}", "-D=1", "-P=4", "-I=4", "-R=1", "-S=1000", "-X"]
    assert bench.run("mdworkbench", "-1", "-G=5", "-l", "offset", *call).returncode == 0
    assert {path.stat().st_size for path in bench.data.rglob("file-*")} == {1000}
    other = bench.run("mdworkbench", "-2", "--read-only", "-G=5", "-l", "timestamp", *call)
    assert (other.returncode, "(8 errs)" in other.stdout) == (1, True)
    same = bench.run("mdworkbench", "-2", "--read-only", "-G=5", "-l", "offset", *call)
    assert same.returncode == 0, same.stdout


def test_stream_compares_with_the_data_of_its_seed(bench):
    bench.data.mkdir()
    where = ["-s", "1m", "-o", bench.data / "f", "-k"]
    assert bench.run("stream", "-w", "-G", "5", *where).returncode == 0
    assert bench.run("stream", "-r", "-R", "-G", "5", *where).returncode == 0
    other = bench.run("stream", "-r", "-R", "-G", "6", *where)
    assert (other.returncode, "wrong data in" in other.stdout) == (1, True)


def test_pfind_writes_a_row_a_rank_that_add_up(bench):
    for i in range(50):
        (bench.data / f"d{i % 7}").mkdir(parents=True, exist_ok=True)
        (bench.data / f"d{i % 7}/f-{i:02}").touch()
    done = bench.run("pfind", bench.data, "-C", "-name", "*1*", "-r", "./ranks.csv", ranks=3)
    with open(bench.directory / "ranks.csv", newline="") as file:
        next(file)
        rows = list(csv.DictReader(file, skipinitialspace=True))
    assert [row["rank"] for row in rows] == ["0", "1", "2"]
    sums = [sum(int(row[name]) for row in rows) for name in ("found", "total")]
    assert f"MATCHED {sums[0]}/{sums[1]}" in done.stdout
    assert sums == [sum("1" in f"{i:02}" for i in range(50)), 50]
