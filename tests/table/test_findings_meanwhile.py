"""What the nodes saw of a change in a phase: of made telemetry whose truth is known."""

from itertools import accumulate

import numpy as np
import pandas as pd
import pytest

from hpc_disk_bench.findings import words
from hpc_disk_bench.findings.meanwhile import BUSY, SIGHTS, changes
from hpc_disk_bench.findings.nodes import NONE, nodes_of
from hpc_disk_bench.findings.series import Phase
from hpc_disk_bench.findings.shape import Form

SEEDS = 60
EPOCH = 1.77e9
# Where the columns of telemetry.csv lie while nothing happens; shares run from 0 to 1.
USUAL = {"share": 0.3, "ms": 3.0, "1/s": 50.0, "CPUs": 8.0, "requests": 6.0,
         "bytes": 2.0**31, "bytes/s": 2.0**28}  # fmt: skip


def wander(draw, seconds, differ, follow=0.3):
    """Factors whose neighbours depend on each other, and some that are much larger."""
    shocks = draw.normal(0, differ * np.sqrt(1 - follow**2), seconds)
    values = [*accumulate(shocks, lambda before, shock: follow * before + shock)]
    return np.exp(values + (draw.random(seconds) < 0.05) * draw.exponential(1.5, seconds))


def telemetry(seconds, differ, seed=0, nodes=("n1",), **factors):
    """A row a second and node. factors: column to how many times the usual it is, each second."""
    draw = np.random.default_rng(seed)
    tables = []
    for node in nodes:
        columns = {"time_epoch": EPOCH + 1 + np.arange(seconds), "interval_s": 1.0, "node": node}
        for sight in SIGHTS:
            for column in sight.columns:
                values = USUAL[sight.unit] * wander(draw, seconds, differ)
                values *= factors.get(column, 1.0)
                columns[column] = np.minimum(values, 1) if sight.unit == "share" else values
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def phase(nodes, seconds):
    ones = np.ones(seconds)
    if isinstance(nodes, pd.DataFrame):
        nodes = nodes_of("telemetry.csv", [nodes.assign(phase="mdtest-easy-write")])
    return Phase("mdtest-easy-write", "create", "1/s", EPOCH, np.arange(seconds, dtype=float),
                 ones, ones, ones, {}, pd.DataFrame(), nodes)  # fmt: skip


def drop(at, after=0.5):
    return Form("drop", 1.0, after, float(at), np.nan, 0.01, 3.0)


def seen(nodes, seconds, form):
    return {one.column: one for one in changes(phase(nodes, seconds), form)}


def seen_by_one(nodes, seconds, form):
    """The same of a single node, whose rows are their own means: sooner, for hundreds of them."""
    means = nodes.set_index("time_epoch").drop(columns="node")
    made = phase(NONE._replace(names=("n1",), means=means), seconds)
    return {one.column: one for one in changes(made, form)}


def step(seconds, at, factor):
    return np.where(np.arange(seconds) < at, 1.0, factor)


FORMS = {
    "drop": lambda seconds: drop(0.5 * seconds),
    "swell": lambda seconds: Form(
        "swell", 1.0, 0.5, 0.3 * seconds, 0.7 * seconds, 0.01, 3.0
    ),
    "decay": lambda seconds: Form("decay", 1.0, 0.5, np.nan, np.nan, 0.01, 3.0),
}  # fmt: skip


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("seconds", [16, 30, 60])
@pytest.mark.parametrize("differ", [0.2, 0.5])
def test_nodes_on_which_nothing_changed_say_nothing(kind, seconds, differ):
    form = FORMS[kind](seconds)
    said = [seed for seed in range(SEEDS)
            if seen_by_one(telemetry(seconds, differ, seed), seconds, form)]  # fmt: skip
    print(f"{kind} in {seconds} s, seconds differ by {differ:.0%}: {len(said) / SEEDS:.1%} said")
    assert len(said) <= 0.02 * SEEDS


@pytest.mark.parametrize(("seconds", "differ"), [(16, 0.1), (30, 0.2), (60, 0.3)])
@pytest.mark.parametrize("column", ["nfs_round_trip_ms", "disk_await_ms", "pressure_cpu"])
def test_what_changed_with_the_rate_is_said_with_its_numbers(column, seconds, differ):
    at = seconds // 2
    found = [
        seen_by_one(telemetry(seconds, differ, seed, **{column: step(seconds, at, 2.5)}), seconds,
                    drop(at)).get(column)
        for seed in range(SEEDS)
    ]  # fmt: skip
    hits = [one for one in found if one]
    print(f"{column} in {seconds} s, seconds differ by {differ:.0%}: {len(hits) / SEEDS:.1%} hits")
    assert len(hits) >= 0.7 * SEEDS
    assert np.median([one.after / one.before for one in hits]) == pytest.approx(2.5, rel=0.1)


def test_the_nfs_call_that_adds_the_most_time_is_named():
    nodes = telemetry(40, 0.02, nfs_round_trip_ms=step(40, 20, 4))
    nodes["nfs_busiest"] = [
        "OPEN 800/s 0.4 ms; CLOSE 800/s 0.3 ms"
        if second < 20
        else "CLOSE 160/s 0.3 ms; OPEN 160/s 5.6 ms; GETATTR 3/s 90.0 ms"
        for second in range(40)
    ]
    found = changes(phase(nodes, 40), drop(20))
    assert [one.column for one in found] == ["nfs_round_trip_ms", "nfs_busiest"]
    assert words.meanwhile(found).endswith(" ms and an NFS OPEN from 0.4 to 5.6 ms")


def test_ranks_that_got_less_of_busy_cpus_are_told_from_ranks_that_waited():
    less = {"ranks_cpu": step(40, 20, 0.5)}
    assert set(seen(telemetry(40, 0.02, **less), 40, drop(20))) == {"ranks_cpu"}
    idle = dict.fromkeys(BUSY, step(40, 20, 0.5))
    assert not seen(telemetry(40, 0.02, **less, **idle), 40, drop(20))


def test_what_was_on_its_way_already_and_what_follows_from_the_rate_is_not_said():
    grows = {"memory_dirty_bytes": np.linspace(0.1, 4, 40)}
    assert not seen(telemetry(40, 0.02, **grows), 40, drop(20))
    fewer = {"disk_written_bytes_per_s": step(40, 20, 0.2), "disk_busy": step(40, 20, 0.2)}
    assert not seen(telemetry(40, 0.02, **fewer), 40, drop(20))
    # Somebody else's: more goes to the disk while the phase writes less.
    more = {"disk_written_bytes_per_s": step(40, 20, 5)}
    assert seen(telemetry(40, 0.02, **more), 40, drop(20))


def test_of_several_nodes_traffic_is_added_and_shares_are_their_mean():
    nodes = ("n1", "n2", "n3", "n4")
    factors = {"nfs_retransmissions_per_s": step(40, 20, 3), "pressure_cpu": step(40, 20, 2)}
    table = telemetry(40, 0.02, nodes=nodes, **factors)
    # A sample that is missing is no fall of the sum.
    table = table.drop(index=table.index[[25, 26, 27]])
    found = seen(table, 40, drop(20))
    assert found["nfs_retransmissions_per_s"].after == pytest.approx(4 * 150, rel=0.05)
    assert found["pressure_cpu"].after == pytest.approx(0.6, rel=0.05)


def test_a_rise_is_told_by_what_became_quicker():
    factors = {"disk_await_ms": step(40, 20, 0.2)}
    found = seen(telemetry(40, 0.02, **factors), 40, drop(20, after=2.0))
    assert found["disk_await_ms"].after == pytest.approx(0.6, rel=0.05)
    assert not seen(telemetry(40, 0.02, **factors), 40, drop(20))


def test_without_telemetry_and_with_little_of_it_nothing_is_said():
    assert changes(phase(NONE, 40), drop(20)) == []
    few = telemetry(40, 0.02, nfs_round_trip_ms=step(40, 20, 9)).iloc[17:26]
    assert changes(phase(few, 40), drop(20)) == []
    bare = few[["time_epoch", "node"]]
    assert changes(phase(bare, 40), drop(20)) == []
