"""The extended mode of 2021: random access dealt to the ranks, and three workloads at once."""

import re
from collections import Counter

import pytest

from hpc_disk_bench.results import load
from tests.engine.conftest import PAUSING
from tests.engine.test_data import flip_bit, words

STAMP = "2026.11.20-09.54.40"
SEED = 923892940  # of ior-rnd4K at that time
RECORD = 4096
# Nothing but what a test asks for.
NOTHING = {
    **{
        name: {"run": "FALSE"}
        for name in ("ior-easy", "ior-hard", "mdtest-easy", "mdtest-hard", "mdworkbench")
    },
    **{name: {"run": "FALSE"} for name in ("find", "find-easy", "find-hard")},
    "debug": {"stonewall-time": "1"},
}
SMALL_BLOCKS = {"ior-rnd4K": {"run": "TRUE", "blockSize": "128k"}}
ORDER = (
    *("ior-easy-write", "ior-rnd4K-write", "mdtest-easy-write", "ior-rnd1MB-write"),
    *("mdworkbench-create", "timestamp", "find-easy", "ior-hard-write", "mdtest-hard-write"),
    *("find", "ior-rnd4K-read", "ior-rnd1MB-read", "find-hard", "mdworkbench-bench", "concurrent"),
    *("ior-easy-read", "mdtest-easy-stat", "ior-hard-read", "mdtest-hard-stat"),
    *("mdworkbench-delete", "mdtest-easy-delete", "mdtest-hard-read", "mdtest-hard-delete"),
)
# Short, but with whatever the three workloads at once need.
ALL = {
    **{name: {"run": "TRUE", "blockSize": "2m"} for name in ("ior-rnd4K", "ior-rnd1MB")},
    "concurrent": {"run": "TRUE"},
    "ior-easy": {"transferSize": "64k", "blockSize": "16g"},
    "mdworkbench": {"precreatePerSet": "20", "filesPerProc": "20"},
}


@pytest.mark.parametrize("sample", ["17-capp-extended", "18-capp-extended2"])
def test_the_hash_over_a_configuration_of_2021_is_upstreams(bench, shared, sample):
    recorded = shared("samples", sample)
    expected = re.search(r"config-hash +=.*", (recorded / "result.txt").read_text())[0]
    done = bench.alone(recorded / "config.ini", "--config-hash")
    assert done.stdout.split() == expected.split()


def test_the_command_lines_of_the_random_phases_are_upstreams(bench, shared):
    recorded = shared("samples", "17-capp-extended")
    text = (recorded / "config.ini").read_text()
    data = re.search(r"datadir = (.*)", text)[1]
    ini = bench.directory / "run.ini"
    ini.write_text(text.replace(data, str(bench.data)))
    stamp = "2021.10.24-18.15.48"
    bench.run(ini, "--dry-run", "--mode=extended", f"--timestamp={stamp}")

    def commands(result):
        lines = re.findall(r"\[(ior-rnd\w+-\w+)\]\nt_start.*\nexe +=(.*)", result)
        return {name: line.replace(str(bench.data), data) for name, line in lines}

    ours = (bench.results / stamp / "result.txt").read_text()
    assert commands(ours) == commands((recorded / "result.txt").read_text())
    assert len(commands(ours)) == 4


def test_five_ranks_run_all_phases_and_both_scores_are_what_the_phases_give(bench):
    done = bench.run(bench.write_ini(ALL), "--mode=extended", ranks=5)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "wrong data" not in done.stdout
    results = load(bench.results)
    assert tuple(results.phases) == ORDER
    assert not results.warnings
    reads = [name for name in ORDER if name.endswith("-read")]
    assert all(results.phases[name].valid for name in (*reads, "concurrent"))
    concurrent = re.search(r"\[concurrent\]\n(.*?)\n\n", bench.result(), re.S)[1]
    values = dict(re.findall(r"^(\S+) += (.*)", concurrent, re.M))
    ranks = {"ior-easy-write": 1, "ior-rnd1MB-read": 2, "md-workbench": 2}
    assert {name: int(values[f"nproc-{name}"]) for name in ranks} == ranks
    mean = sum(float(values[name]) * count for name, count in ranks.items()) / 5
    assert float(values["score"]) == pytest.approx(mean, rel=1e-4)
    assert results.phases["concurrent"].unit == "score"
    assert not bench.data.exists()


def paused_after_writing(bench, ranks, *changes):
    """The run of ior-rnd4K alone, before it reads; its data."""
    ini = bench.write_ini(PAUSING, NOTHING, SMALL_BLOCKS, *changes, base={})
    options = ("--mode=extended", f"--timestamp={STAMP}")
    return bench.paused(ini, "ior-rnd4K-read", *options, ranks=ranks)


def records(data, ranks):
    """Each segment's records: of the first three and the last two, since a second makes many."""
    size, segment = data.stat().st_size, 32 * ranks * RECORD
    starts = range(0, size, segment)
    with open(data, "rb") as file:
        for start in (*starts[:3], *starts[-2:]):
            file.seek(start)
            piece = file.read(segment)
            yield [piece[i : i + RECORD] for i in range(0, len(piece), RECORD)]


def owners(data, ranks):
    """By segment and record the rank that wrote it, None where nobody did."""
    whose = {words(SEED, rank, RECORD): rank for rank in range(ranks)}
    whose[bytes(RECORD)] = None
    return [[whose[record] for record in segment] for segment in records(data, ranks)]


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_records_are_dealt_evenly_in_the_same_order_in_every_segment(bench, ranks):
    with paused_after_writing(bench, ranks) as process:
        first, *more, last = owners(bench.data / "ior-rnd4K/file", ranks)
    assert process.returncode == 0
    assert more
    assert all(segment == first for segment in more)
    assert Counter(first) == dict.fromkeys(range(ranks), 32)
    assert ranks == 1 or first != sorted(first)
    assert all(rank in (None, first[i]) for i, rank in enumerate(last))
    assert re.search(r"ior-rnd4K-read +\S+ GiB/s : time \S+ seconds$", bench.summary(), re.M)


def test_a_flipped_bit_is_found_by_the_rank_that_wrote_it(bench):
    with paused_after_writing(bench, 2) as process:
        file = bench.data / "ior-rnd4K/file"
        rank = owners(file, 2)[0][40]
        flip_bit(file, 40 * RECORD + 77)
    assert f"rank {rank} on " in process.output
    assert f'wrong data in "{file}" at offset {40 * RECORD + 77}' in process.output
    assert re.search(r"ior-rnd4K-read.*\[INVALID\]", bench.summary())


def test_filling_blocks_first_leaves_no_hole_in_the_last_one(bench):
    change = {"ior-rnd4K": {**SMALL_BLOCKS["ior-rnd4K"], "randomPrefill": "64k"}}
    with paused_after_writing(bench, 3, change) as process:
        *whole, last = records(bench.data / "ior-rnd4K/file", 3)
    assert process.returncode == 0
    dealt = [words(SEED, rank, RECORD) for rank in range(3)]
    assert all(record in dealt for segment in whole for record in segment)
    filled = b"".join(words(SEED, rank, 64 << 10) * 2 for rank in range(3))
    assert len(last) == 96
    assert all(record in (*dealt, filled[i * RECORD :][:RECORD]) for i, record in enumerate(last))
    assert " --randomPrefill=65536 " in bench.result()
    assert re.search(r"ior-rnd4K-read +\S+ GiB/s : time \S+ seconds$", bench.summary(), re.M)


@pytest.mark.parametrize(
    ("change", "ranks", "line"),
    [
        (ALL, 4, r"FATAL \[concurrent\] run = TRUE needs 5 ranks or more, .*: this run has 4\n"),
        (
            {"concurrent": {"run": "TRUE"}},
            5,
            r"FATAL \[concurrent\] run = TRUE reads what ior-rnd1MB-write wrote: .*\n",
        ),
        (
            {"ior-rnd4K": {"run": "TRUE", "blockSize": "5000"}},
            1,
            r"FATAL \[ior-rnd4K\] blockSize = 5000 is no multiple of the transfer size = 4096\n",
        ),
        (
            {"ior-rnd1MB": {"run": "TRUE", "randomPrefill": "3m"}},
            1,
            r"FATAL \[ior-rnd1MB\] blockSize = 1073741824 is no multiple of randomPrefill = 3m\n",
        ),
    ],
)
def test_what_cannot_run_is_refused_in_one_line(bench, change, ranks, line):
    done = bench.run(bench.write_ini(change), "--mode=extended", ranks=ranks)
    assert done.returncode == 1
    assert re.match(line, done.stderr), done.stderr
    assert not bench.data.exists()


def test_a_standard_run_with_such_a_configuration_has_none_of_its_phases(bench):
    bench.run(bench.write_ini(ALL), "--dry-run", ranks=1)
    assert re.findall(r"^\[([\w-]+)\]", bench.result(), re.M)[1:-1] == [
        name for name in ORDER if not re.match("ior-rnd|find-|mdworkbench|concurrent", name)
    ]
