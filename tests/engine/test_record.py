"""The record of a run: its files of seconds, latencies, classes and ranks, and what they say."""

import collections
import csv
import itertools
import os
import re
import shlex
import signal
import subprocess
import time

import pytest

from tests.engine.conftest import mounted, ranks_of, wait_for

FILES = ("timeseries.csv", "latency.csv", "ranks.csv", "histogram.csv")
QUANTILES = ("p50_s", "p95_s", "p99_s", "p99.9_s", "max_s")
SHARES = (0.5, 0.95, 0.99, 0.999, 1)
CALLS = ("getdents", "lstat")
LONGER = {
    "mdtest-easy": {"n": "1000000"},
    "debug": {"stonewall-time": "2"},
    "ior-hard": {"run": "FALSE"},
    "mdtest-hard": {"run": "FALSE"},
    "find": {"run": "FALSE"},
}


def table(bench, name):
    with open(bench.results / name, newline="") as file:
        return list(csv.DictReader(file))


def sums(rows, column):
    found = collections.Counter()
    for row in rows:
        if row.get("operation") not in CALLS:
            found[row["phase"]] += int(row[column])
    return found


def score_value(bench, phase, key):
    section = bench.result().partition(f"\n[{phase}]\n")[2].partition("\n[")[0]
    return float(re.search(rf"^{key} += ([\d.]+)", section, re.M)[1])


@pytest.fixture
def preloaded(root, mpirun, tmp_path):
    """preloaded(name): the library of native/name.c."""

    def build(name):
        library, source = tmp_path / f"{name}.so", root / f"tests/engine/native/{name}.c"
        command = [mpirun.parent / "mpicc", "-O1", "-shared", "-fPIC", source, "-o", library]
        subprocess.run(command, check=True)
        return library

    return build


def test_the_files_agree_on_what_every_phase_did(bench):
    before = time.time()
    assert bench.run(bench.write_ini(), "--mode=extended", ranks=3).returncode == 0
    after = time.time()
    seconds, latencies, ranks = (table(bench, name) for name in FILES[:3])
    by_second, by_rank = sums(seconds, "operations"), sums(ranks, "operations")
    assert by_second == by_rank
    assert sums(seconds, "bytes") == sums(ranks, "bytes")
    counted = collections.Counter()
    for row in latencies:
        if row["operation"] not in CALLS:
            counted[row["phase"]] += int(row["count"])
    assert {phase for phase in by_second if phase not in counted} == {
        "find",
        "find-easy",
        "find-hard",
    }
    assert all(by_second[phase] == count for phase, count in counted.items())
    for phase in ("find", "find-easy", "find-hard"):
        assert by_second[phase] == score_value(bench, phase, "total-files")
    assert by_second["mdtest-hard-stat"] == 3 * 150
    assert sums(ranks, "bytes")["mdtest-hard-read"] == 3 * 150 * 3901
    assert sums(ranks, "bytes")["ior-easy-read"] == 3 * (4 << 20)
    assert {row["rank"] for row in ranks} == {"0", "1", "2"}
    for row in ranks:
        assert before - 1 < float(row["start_epoch_s"]) < after
        assert float(row["cpu_s"]) >= 0
        if row["last_s"]:  # a rank may find nothing to do
            assert 0 <= float(row["first_s"]) <= float(row["last_s"]) <= float(row["end_s"])
    for row in seconds:
        values = [float(row[name]) for name in QUANTILES if row[name]]
        assert values == sorted(values)
        assert len(values) in (0, 5)
        assert int(row["ranks"]) <= 3
        assert float(row["duration_s"]) >= 0


@pytest.mark.parametrize("ranks", [1, 2])
def test_the_histogram_of_an_operation_has_its_count_and_its_percentiles(bench, ranks):
    assert bench.run(bench.write_ini(), "--mode=extended", ranks=ranks).returncode == 0
    classes = collections.defaultdict(list)
    for row in table(bench, "histogram.csv"):
        one = float(row["from_s"]), float(row["to_s"]), int(row["count"])
        classes[row["phase"], row["operation"]].append(one)
    latencies = table(bench, "latency.csv")
    assert {(row["phase"], row["operation"]) for row in latencies} == set(classes)
    for row in latencies:
        mine = classes[row["phase"], row["operation"]]
        total = int(row["count"])
        assert sum(count for _, _, count in mine) == total
        assert all(count > 0 for _, _, count in mine)
        assert all(high <= low for (_, high, _), (low, _, _) in itertools.pairwise(mine))
        assert all(low < high < 1.053 * low + 1.1e-9 for low, high, _ in mine)
        for name, share in zip(QUANTILES, SHARES, strict=True):
            low, high = class_of(mine, max(1, int(share * total + 0.5)))
            assert low <= float(row[name]) <= high


def class_of(classes, place):
    """The bounds of the class in which the operation at this place lies, the fastest is 1."""
    seen = 0
    for low, high, count in classes:
        seen += count
        if seen >= place:
            return low, high
    raise AssertionError(f"{place} of {seen}")


def test_a_phase_of_some_seconds_has_a_row_for_each(bench):
    done = bench.run(bench.write_ini(LONGER))
    assert done.returncode == 0, done.stderr
    rows = [row for row in table(bench, "timeseries.csv") if row["phase"] == "mdtest-easy-write"]
    assert [int(row["second"]) for row in rows] == list(range(len(rows)))
    assert len(rows) >= 2
    start = float(rows[0]["start_epoch_s"])
    for second, row in enumerate(rows):
        assert float(row["start_epoch_s"]) == pytest.approx(start + second, abs=1e-5)
    assert [float(row["duration_s"]) for row in rows[:-1]] == [1] * (len(rows) - 1)
    assert int(rows[0]["operations"]) > 0

    ranks = [row for row in table(bench, "ranks.csv") if row["phase"] == "mdtest-easy-write"]
    assert {row["operations"] for row in ranks} == {ranks[0]["operations"]}  # worn out
    assert all(float(row["stonewall_s"]) >= 2 for row in ranks)
    most = max(int(row["stonewall_operations"]) for row in ranks)
    assert most == int(ranks[0]["operations"])
    for row in ranks:  # an estimate from one file in 61
        assert float(row["open_s"]) > 0
        assert float(row["close_s"]) > 0
        assert row["transfer_s"] == ""  # the files are empty


def test_bulk_phases_say_what_each_rank_spent_its_time_in(bench):
    assert bench.run(bench.write_ini()).returncode == 0
    rows = {(row["phase"], row["rank"]): row for row in table(bench, "ranks.csv")}
    for phase in ("ior-easy-write", "ior-hard-write"):
        for rank in "01":
            row = rows[phase, rank]
            parts = [
                float(row[name]) for name in ("open_s", "transfer_s", "fsync_s", "close_s") if name
            ]
            assert 0 < sum(parts) <= float(row["end_s"]) * 1.001 + 1e-5
    assert rows["ior-easy-read", "0"]["fsync_s"] == ""


def test_estimated_parts_of_the_time_are_never_more_than_the_time(bench, preloaded):
    """One in 61 files is slow, and it is that which is timed: taken for all, they took 61 times as
    long as the phase."""
    before = ["env", f"LD_PRELOAD={preloaded('slow_fsyncs')}"]
    bench.results.mkdir()
    command = f"mdtest -C -F -y -n 1220 -w 3901 -d {bench.data} --record={bench.results}"
    done = bench.run(*shlex.split(command), before=before)
    assert done.returncode == 0, done.stderr
    for row in table(bench, "ranks.csv"):
        parts = [row[name] for name in ("open_s", "transfer_s", "fsync_s", "close_s")]
        whole = float(row["end_s"])
        # Cut to what there was, which only estimates that were too large fill to the end.
        assert sum(float(part) for part in parts if part) == pytest.approx(whole, abs=1e-5)
        assert float(row["fsync_s"]) > float(row["open_s"]) > 0


def test_without_the_record_nothing_is_written_and_all_else_is_the_same(bench):
    ini = bench.write_ini()
    assert bench.run(ini, "--no-record").returncode == 0
    assert not any((bench.results / name).exists() for name in FILES)
    assert "latency-" not in bench.result()
    plain = re.search(r"config-hash .*", bench.result())[0]
    keys = re.findall(r"^(\S+) +=", bench.result(), re.M)
    assert bench.run(ini).returncode == 0
    assert all((bench.results / name).exists() for name in FILES)
    assert re.search(r"config-hash .*", bench.result())[0] == plain
    recorded = re.findall(r"^(\S+) +=", bench.result(), re.M)
    assert [key for key in recorded if not key.startswith("latency-")] == keys


def test_a_run_that_fails_keeps_the_record_of_the_phases_that_ended(bench, tmp_path):
    options = "size=200m,nr_inodes=100"
    with mounted(tmp_path / "few", "-t", "tmpfs", "-o", options, "tmpfs") as few:
        bench.data = few / "data"
        assert bench.run(bench.write_ini()).returncode == 1
    for name in FILES:
        assert {row["phase"] for row in table(bench, name)} == {"ior-easy-write"}
    assert not list(bench.results.glob("*.unfinished"))


def test_a_second_run_into_the_same_directory_begins_anew(bench):
    for _ in range(2):
        assert bench.run(bench.write_ini()).returncode == 0
        rows = table(bench, "ranks.csv")
        assert len(rows) == len({(row["phase"], row["rank"]) for row in rows})


def test_a_rank_that_stands_still_leaves_a_gap_in_its_seconds(bench):
    """The record is of one rank, so that no other fills the gap."""
    data = bench.directory / "files"
    command = f"mdtest -C -F -n 100000000 -W 2 -d {data} --record=."
    process = bench.start(*shlex.split(command), ranks=1)
    wait_for(lambda: any(data.rglob("file.mdtest.0.*")), process)
    (rank,) = ranks_of(bench)
    os.kill(rank, signal.SIGSTOP)
    time.sleep(2.2)
    os.kill(rank, signal.SIGCONT)
    assert process.wait(timeout=60) == 0
    process.communicate()
    with open(bench.directory / "timeseries.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert any(row["operations"] == "0" and row["p50_s"] == "" for row in rows)
    assert max(float(row["max_s"]) for row in rows if row["max_s"]) > 2


def test_a_clock_that_is_set_in_mid_phase_changes_no_interval(bench, preloaded):
    before = ["env", f"LD_PRELOAD={preloaded('jumping_clock')}"]
    done = bench.run(bench.write_ini(LONGER), before=before)
    assert done.returncode == 0, done.stderr
    ranks = table(bench, "ranks.csv")
    # The clock did jump: ranks and phases began a day or more apart.
    starts = [float(row["start_epoch_s"]) for row in ranks]
    assert max(starts) - min(starts) > 80_000
    assert all(0 < float(row["end_s"]) < 120 for row in ranks)
    creates = [row for row in table(bench, "timeseries.csv") if row["phase"] == "mdtest-easy-write"]
    assert [int(row["second"]) for row in creates] == list(range(len(creates)))
    assert all(float(row[name]) < 60 for row in creates for name in QUANTILES if row[name])
    for seconds in re.findall(r"time ([\d.]+) seconds", bench.summary()):
        assert 0 <= float(seconds) < 120


@pytest.mark.parametrize(
    ("call", "parts"),
    [
        (
            "ior -w -r -F -b 1m -t 64k -i 2 -o {data}/f",
            {
                f"ior {access}, iteration {i}": 32 * (1 << 16)
                for access in ("write", "read")
                for i in (0, 1)
            },
        ),
        ("stream -s 1m -t 64k -o {data}/f", {"stream write": 2 << 20, "stream read": 2 << 20}),
        ("pfind {data} -C", {"pfind": 0}),
        (
            "mdworkbench -o={data}/w -D=2 -P=5 -I=5 -R=2 --run-info-file={data}/i",
            {"md-workbench precreate": 20 * 3901, "md-workbench benchmark": 80 * 3901},
        ),
    ],
    ids=lambda value: value.split()[0] if isinstance(value, str) else "",
)
def test_a_workload_on_its_own_is_recorded_where_it_is_asked_to(bench, call, parts):
    bench.data.mkdir()
    (bench.data / "a").touch()
    bench.results.mkdir()
    words = shlex.split(call.format(data=bench.data))
    assert bench.run(*words).returncode == 0
    assert not any((bench.results / name).exists() for name in FILES)
    assert bench.run(*words, f"--record={bench.results}").returncode == 0
    bytes_of = sums(table(bench, "timeseries.csv"), "bytes")
    assert {name: bytes_of[name] for name in parts} == parts
    assert sums(table(bench, "ranks.csv"), "bytes") == bytes_of


def test_a_directory_for_the_record_that_is_not_there_is_refused(bench):
    bench.data.mkdir()
    done = bench.run("ior", "-w", "-o", f"{bench.data}/f", "--record=/not/there")
    assert done.returncode == 1
    assert "FATAL ior: --record=/not/there: No such file or directory" in done.stderr
    assert not list(bench.data.iterdir())
