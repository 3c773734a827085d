"""What is said of the course of a phase: of made series whose truth is known."""

import json
import subprocess

import numpy as np
import pandas as pd
import pytest

from hpc_disk_bench import errors
from hpc_disk_bench.findings import command, ranks
from hpc_disk_bench.findings.shape import form

SEEDS = 100


def series(seed, seconds, differ=0.05, follow=0.3):
    """Logarithms of rates that wander: each second depends on the one before, some are slow."""
    draw = np.random.default_rng(seed)
    shocks = draw.normal(0, differ * np.sqrt(1 - follow**2), seconds)
    values = np.zeros(seconds)
    for second in range(seconds):
        values[second] = follow * values[second - 1] + shocks[second]
    return values - (draw.random(seconds) < 0.03) * draw.exponential(0.5, seconds)


def judged(values, latency=None):
    seconds = np.arange(len(values))
    return form(seconds, np.ones(len(values)), 1e6 * np.exp(values), latency)


def rates(kind, seconds, change, seeds=SEEDS, **noise):
    """The share of series in which `kind` is said, and the forms that were said so."""
    forms = [judged(change(series(seed, seconds, **noise))) for seed in range(seeds)]
    hits = [found for found in forms if found.kind == kind]
    return len(hits) / seeds, hits


@pytest.mark.parametrize("seconds", [15, 30, 60, 300])
@pytest.mark.parametrize("differ", [0.02, 0.1, 0.3])
def test_a_rate_that_only_wanders_is_steady(seconds, differ):
    share, _ = rates("steady", seconds, lambda values: values, differ=differ)
    print(f"{seconds} s, seconds differ by {differ:.0%}: {1 - share:.1%} false alarms")
    assert share >= 0.985


@pytest.mark.parametrize("seconds", [30, 60, 300])
def test_a_sudden_drop_is_found_with_its_second_and_its_depth(seconds):
    cut = int(0.6 * seconds)

    def drop(values):
        return np.where(np.arange(seconds) < cut, values, values + np.log(0.6))

    share, hits = rates("drop", seconds, drop)
    print(f"drop by 40 % in {seconds} s: {share:.1%} hits")
    assert share >= 0.9
    assert np.median([found.at for found in hits]) == pytest.approx(cut, abs=1)
    assert np.median([found.lost for found in hits]) == pytest.approx(0.4, rel=0.2)


@pytest.mark.parametrize(("seconds", "lost", "differ"), [(300, 0.1, 0.02), (60, 0.3, 0.04)])
def test_a_slow_decay_is_found_with_its_share(seconds, lost, differ):
    share, hits = rates(
        "decay",
        seconds,
        lambda values: values + np.linspace(0, np.log(1 - lost), seconds),
        differ=differ,
    )
    print(f"decay by {lost:.0%} in {seconds} s: {share:.1%} hits")
    assert share >= 0.9
    assert np.median([found.lost for found in hits]) == pytest.approx(lost, rel=0.2)


def test_a_swell_needs_slow_operations_in_slow_seconds():
    def swelling(seed, slower):
        values, latency = series(seed, 60), np.full(60, 1e-3)
        values[30:38] += np.log(0.4)
        latency[30:38] *= slower
        return judged(values, latency)

    found = [swelling(seed, 4) for seed in range(SEEDS)]
    hits = [one for one in found if one.kind == "swell"]
    print(f"swell: {len(hits) / SEEDS:.1%} hits")
    assert len(hits) >= 0.9 * SEEDS
    assert np.median([one.at for one in hits]) == pytest.approx(30, abs=1)
    assert np.median([one.until for one in hits]) == pytest.approx(38, abs=1)
    assert np.median([one.lost for one in hits]) == pytest.approx(0.6, rel=0.2)
    # Less to do for a while is no swell of latencies.
    assert not [seed for seed in range(SEEDS) if swelling(seed, 1).kind == "swell"]


def test_few_seconds_have_no_form():
    assert judged(np.concatenate([np.zeros(7), np.full(7, -2.0)])).kind == "short"
    assert judged(np.array([])).kind == "short"
    assert judged(np.full(40, -np.inf)).kind == "short"


def table(ended, stonewall, done):
    return pd.DataFrame(
        {
            "rank": range(len(ended)),
            "host": [f"n{rank // 2}" for rank in range(len(ended))],
            "operations": max(done),
            "last_s": ended,
            "end_s": max(ended),
            "stonewall_s": stonewall,
            "stonewall_operations": done,
        }
    )


def test_a_rank_that_the_others_waited_for_is_named_with_the_share_of_time():
    rows = table([10.0, 10.2, 16.0, 10.1], [10.0] * 4, [1000, 1010, 500, 1005])
    found = ranks.straggler(rows)
    assert (found.rank, found.host, found.confidence) == (2, "n1", "high")
    assert found.waited == pytest.approx(5.9 / 16)
    assert found.slower == pytest.approx(0.5, rel=0.01)


@pytest.mark.parametrize(
    "ended",
    [[10.0], [10.0, 10.5, 10.2, 10.9], [10.0, 14.0, 14.5, 15.0], [0.5, 1.5, 0.5, 0.5]],
    ids=["a rank alone", "all within a second", "most are late", "a short phase"],
)
def test_nobody_is_blamed_for(ended):
    rows = table(ended, [10.0] * len(ended), [1000] * len(ended))
    assert ranks.straggler(rows) is None


def test_what_comes_after_the_stonewall_is_a_tail_with_its_cause():
    rows = table([14.0, 15.0, 14.5, 15.5], [10.0] * 4, [1500, 800, 900, 1000])
    found = ranks.tail(rows)
    assert found.share == pytest.approx(5.5 / 15.5)
    assert found.slowest == pytest.approx(800 / 1500)
    assert ranks.tail(table([10.0, 10.5], [10.0] * 2, [1000, 990])) is None


HEADER = "phase,operation,second,start_epoch_s,duration_s,ranks,operations,bytes,p99_s\n"


def recorded(run, rows, dirty=None):
    """A run with one phase of writing. rows: MiB each second; dirty: MiB of dirty memory."""
    run.mkdir()
    lines = [
        f"ior-easy-write,write,{second},{1000 + second},1,2,{rate:.0f},{rate * 2**20:.0f},0.001\n"
        for second, rate in enumerate(rows)
    ]
    (run / "timeseries.csv").write_text(HEADER + "".join(lines))
    if dirty is not None:
        lines = [
            f"{1001 + second},n1,ior-easy-write,{amount * 2**20:.0f}\n"
            for second, amount in enumerate(dirty)
        ]
        head = "time_epoch,node,phase,memory_dirty_bytes\n"
        (run / "telemetry.csv").write_text(head + "".join(lines))
    return run


def inspect(root, run, *options):
    return subprocess.run(
        [root / "inspect_run.py", run, *options], capture_output=True, text=True, check=False
    )


def test_a_drop_is_the_page_cache_s_only_where_dirty_memory_says_so(root, tmp_path):
    draw = np.random.default_rng(1)
    rows = np.concatenate([draw.normal(1000, 20, 12), draw.normal(200, 5, 28)])
    full = np.concatenate([np.linspace(0, 8000, 12), np.full(28, 8000)])
    for name, dirty, kind in (
        ("filled", full, "cache-fill"),
        ("direct", np.full(40, 3), "drop"),
        ("hardly any", full / 8000, "drop"),
        ("unknown", None, "drop"),
    ):
        done = inspect(root, recorded(tmp_path / name, rows, dirty), "--json")
        assert done.returncode == 0, done.stderr
        ((found,),) = (one["findings"] for one in json.loads(done.stdout))
        assert found["kind"] == kind, name
        assert found["at_s"] == 12
        assert found["lost_share"] == pytest.approx(0.8, abs=0.02)
    text = inspect(root, tmp_path / "filled").stdout
    written = rows[:12].sum() / 1024
    assert f"after 12 s with {written:.3g} GiB written the page cache was full" in text
    assert text.endswith("\n1 phase, 1 finding\n")


def test_a_run_that_is_not_there_is_not_said_to_lack_its_record(tmp_path, capsys):
    assert errors.run(command.main, [str(tmp_path / "nosuch")]) == 2
    assert capsys.readouterr().err.endswith(f": {tmp_path}/nosuch: no such directory\n")


def test_a_run_without_a_record_and_a_broken_one_are_one_line(root, tmp_path):
    done = inspect(root, tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "has no timeseries.csv" in done.stderr
    (tmp_path / "timeseries.csv").write_text("a,b\n1,2\n")
    done = inspect(root, tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "timeseries.csv:1: the columns bytes, duration_s, operation" in done.stderr


def test_a_damaged_record_is_said_with_file_and_line_and_what_can_be_read_is_shown(root, tmp_path):
    run = recorded(tmp_path / "run", [100.0] * 40)
    lines = (run / "timeseries.csv").read_text().splitlines(keepends=True)
    lines[20] = "garbage,1\n"
    (run / "timeseries.csv").write_text("".join(lines)[:-4])
    done = inspect(root, run)
    assert done.returncode == 0
    assert done.stdout.endswith("\n\n1 phase, 0 findings\n")
    place = f"{run}/timeseries.csv:21"
    damage = "damaged line and 1 more: what cannot be read is left out"
    assert done.stderr == f"inspect_run.py: {place}: {damage}\n"
