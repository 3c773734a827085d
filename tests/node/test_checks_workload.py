"""What the checks expect a run to write, next to what runs of the real engine did write."""

import csv
import os
import re

import pytest

from hpc_disk_bench.checks.length import length
from hpc_disk_bench.checks.workload import Rates, amount, duration, writers
from hpc_disk_bench.configuration import read_template
from tests.engine.conftest import PAUSING, Engine, scratch

GIB = 2**30
RANKS = 5
STONEWALL = 1  # s
# All phases of the extended mode of 2021, short; only the random ones have no limit worth the name.
SHORT = {
    "debug": {"stonewall-time": STONEWALL, **PAUSING["debug"]},
    "ior-easy": {"blockSize": "8m"},
    "ior-hard": {"segmentCount": "50"},
    "mdtest-easy": {"n": "400"},
    "mdtest-hard": {"n": "300"},
    "mdworkbench": {},
    **{name: {"run": "TRUE", "blockSize": "4m"} for name in ("ior-rnd4K", "ior-rnd1MB")},
    "concurrent": {"run": "TRUE"},
}


@pytest.fixture
def bench(engine, mpirun, mpi_environ, tmp_path):
    with scratch(tmp_path) as data:
        yield Engine(engine, mpirun, mpi_environ, tmp_path, data)


@pytest.fixture
def template(tmp_path):
    """A function: a template of the extended mode with these lines."""

    def make(text=""):
        path = tmp_path / "template.ini"
        head = "# hpc-disk-bench: mode = extended\n[global]\ndatadir = $TEST_DIR\n"
        path.write_text(f"{head}resultdir = $OUTPUT_DIR\n{text}\n")
        return read_template(path)

    return make


def lines(*changes):
    """The sections that `changes` give together, as text."""
    sections = {}
    for change in changes:
        for name, keys in change.items():
            sections[name] = {**sections.get(name, {}), **keys}
    return "\n".join(
        line
        for name, keys in sections.items()
        for line in (f"[{name}]", *(f"{key} = {value}" for key, value in keys.items()))
    )


def on_the_storage(directory):
    """(bytes, files) as du tells them, directories with their bytes."""
    paths = [directory, *directory.rglob("*")]
    files = sum(not path.is_dir() for path in paths)
    return sum(os.lstat(path).st_blocks * 512 for path in paths), files


def moved(bench):
    """The bytes that each phase wrote, by the engine's own record."""
    found = {}
    with open(bench.results / "ranks.csv", newline="") as file:
        for row in csv.DictReader(file):
            found[row["phase"]] = found.get(row["phase"], 0) + int(row["bytes"])
    return found


def written(bench, changes):
    """((bytes, files) at the fullest moment, the Rates by which this run itself went)."""
    ini = bench.write_ini(SHORT, changes, base={})
    with bench.paused(ini, "concurrent", "--mode=extended", ranks=RANKS) as process:
        taken, files = on_the_storage(bench.data)
    assert process.returncode == 0, process.errors
    result, bulk = bench.result(), moved(bench)
    # concurrent removes its own data at its end: what that was, the record and result.txt know.
    sets = int(re.search(r"^nproc-md-workbench += (\d+)", result, re.M)[1]) * 10
    per_set = int(re.search(r"^exe-md-workbench .* -P=(\d+)", result, re.M)[1])
    writing = int(re.search(r"^nproc-ior-easy-write += (\d+)", result, re.M)[1])
    taken += bulk["concurrent/ior-easy-write"] + sets * per_set * 4096
    files += writing + sets * per_set
    scores = dict(re.findall(r"^\[(mdtest-\w+-write)\]\n(?:.*\n)*?score += (.*)", result, re.M))
    easy, hard = (1000 * float(scores.get(f"mdtest-{kind}-write", 1)) for kind in ("easy", "hard"))
    fastest = max(bulk[f"ior-rnd{size}-write"] for size in ("4K", "1MB")) / STONEWALL
    return (taken, files), Rates(fastest, easy, hard, 0)


@pytest.mark.parametrize(
    "changes",
    [
        {"mdworkbench": {"precreatePerSet": "40", "filesPerProc": "40"}},
        {"ior-rnd4K": {"blockSize": "32m", "randomPrefill": "1m"}},
        {"mdtest-easy": {"run": "FALSE"}, "find-easy": {"run": "FALSE"}},
    ],
    ids=["sizes given", "sizes by the rate and blocks filled first", "without a rate"],
)
def test_a_run_of_2021_writes_what_is_expected_of_it_and_not_more(bench, template, changes):
    (taken, files), rates = written(bench, changes)
    expected = amount(writers(template(lines(SHORT, changes)), RANKS), 4096, rates)
    assert taken <= expected.bytes <= 4 * taken
    assert files <= expected.files <= 1.2 * files + 4 * RANKS


def test_the_ranks_of_concurrent_write_beside_what_is_there(template):
    text = lines(
        {"ior-easy": {"blockSize": "1g"}, "mdworkbench": {"precreatePerSet": "7"}},
        {name: {"run": "FALSE"} for name in ("mdtest-easy", "mdtest-hard", "ior-hard")},
        {name: {"run": "TRUE"} for name in ("ior-rnd1MB", "concurrent")},
    )
    found = [writer for writer in writers(template(text), 12) if not writer.random]
    assert [(one.phase, one.ranks) for one in found] == [
        *(("ior-easy-write", 12), ("mdworkbench-create", 12)),
        *(("concurrent", 2), ("concurrent", 5)),
    ]
    most = amount(found, 4096)
    assert most.bytes == (12 + 2) * GIB + (12 + 5) * 70 * (4096 + 512)
    assert most.files == 12 + 2 + (12 + 5) * 70


@pytest.mark.parametrize(
    ("text", "block", "expected"),
    [
        ("", 4096, 25 * GIB),
        ("randomPrefill = 1m", 4096, 30 * GIB),
        # 5 of the last segment's 10 GiB, a quarter and a half of each block at least.
        ("", 8192, 30 * GIB),
        ("", 2**20, 30 * GIB),
    ],
)
def test_a_last_segment_counts_as_far_as_it_is_taken(template, text, block, expected):
    only = {name: {"run": "FALSE"} for name in ("ior-easy", "ior-hard", "mdworkbench")}
    only |= {name: {"run": "FALSE"} for name in ("mdtest-easy", "mdtest-hard")}
    found = writers(template(f"{lines(only)}\n[ior-rnd4K]\nrun = TRUE\n{text}\n"), 10)
    rates = Rates(bytes=GIB / 12, easy=1, hard=1, memory=0)  # 25 GiB in 300 s
    assert [writer.section for writer in found] == ["ior-rnd4K"]
    assert amount(found, block, rates).bytes == pytest.approx(expected)
    assert duration(found, rates) == pytest.approx(600)


def test_what_no_stonewall_ends_counts_in_full(template):
    rates = Rates(bytes=GIB, easy=10, hard=10, memory=0)
    text = "[mdtest-hard]\nfiles-per-dir = 1000\n[mdworkbench]\nprecreatePerSet = 900\n"
    files = {
        writer.section: writer.count(rates) for writer in writers(template(text), 2) if writer.files
    }
    assert files == {"mdtest-easy": 3000, "mdworkbench": 18_000, "mdtest-hard": 2_000_000}
    (easy, *_) = writers(template("[debug]\nstonewall-time = 0\n[ior-easy]\nblockSize = 1t\n"), 2)
    assert easy.count(rates) == 2048 * GIB
    assert easy.lasts(rates) == 2048


def test_concurrent_is_told_a_block_size_that_lasts(template):
    text = lines(
        {"ior-easy": {"blockSize": "60g"}},
        {name: {"run": "TRUE"} for name in ("ior-rnd1MB", "concurrent")},
    )
    rates = Rates(bytes=GIB, easy=1000, hard=100, memory=0)
    found, _ = length(template(text), writers(template(text), 10), rates)
    assert [finding.code for finding in found] == ["HDB037"]
    assert found[0].text.startswith("concurrent ends after about 2 min of 300: [ior-easy] blockSi")
