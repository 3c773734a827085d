"""check_regressions.py: what has got slower, for cron and CI."""

import itertools
import json
import subprocess

import numpy as np
import pytest

from hpc_disk_bench import errors
from hpc_disk_bench.compare import regressions
from hpc_disk_bench.phases import SCORED
from tests.support import report_tables as tables


@pytest.fixture
def check(capsys):
    """A function: what the command does with these arguments, without the start of a process."""

    def do(*arguments):
        code = errors.run(regressions.main, [str(argument) for argument in arguments])
        told = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, code, told.out, told.err)

    return do


def history(seed, rates, node="n1", noise=0.03, **more):
    """Runs one a day, each phase with noise of its own."""
    draw = np.random.default_rng(seed)
    rows = []
    for day, rate in enumerate(rates, start=1):
        values = {
            phase.column: tables.RATES[phase.unit] * rate * float(np.exp(draw.normal(0, noise)))
            for phase in SCORED
        }
        rows.append(tables.run(node=node, timestamp=f"2026.03.{day:02}-12.00.00", **values, **more))
    return rows


def test_a_loss_of_a_fifth_is_found_and_other_nodes_stay_silent(check, tmp_path):
    slower = history(1, [1.0] * 8 + [0.8] * 4)
    steady = history(2, [1.0] * 12, node="n2")
    table = tables.write(tmp_path / "table.csv", *slower, *steady)
    done = check(table, "--recent", "4")
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert lines
    assert all(line.startswith("regression  n1 · local/ssd  ") for line in lines)
    score = next(line for line in lines if "  score: " in line)
    assert "-20 %" in score or "-19 %" in score or "-21 %" in score
    assert "8 runs before, 4 recent" in score
    found = json.loads(check(table, "--recent", "4", "--json").stdout)
    assert {one["target"] for one in found} == {"n1 · local/ssd"}


def test_where_nothing_is_slower_nothing_is_said(check, tmp_path):
    table = tables.write(
        tmp_path / "table.csv", *history(3, [1.0] * 9), *history(4, [1.0, 2.0] * 5, node="n2")
    )
    done = check(table)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (
        "30 tests of 2 nodes and storages: 0 regressions, 0 possible"
        in check(table, "--verbose").stdout
    )


def test_too_few_runs_are_said_to_be(check, tmp_path):
    table = tables.write(tmp_path / "table.csv", *history(5, [1.0, 1.0, 0.2, 0.2]))
    done = check(table)
    assert done.returncode == 4
    assert done.stdout.splitlines() == [
        "too few runs to decide anything: 3 are needed before, and 3 recent",
        "too few  n1 · local/ssd: 1 before, 3 recent",
    ]


def test_groups_of_one_node_and_storage_are_told_apart_by_what_parts_them(check, tmp_path):
    sums = {"config_file": "c.ini", "config_sha256": "0123456789abcdef"}
    other = {"config_file": "c.ini", "config_sha256": "fedcba9876543210"}
    rows = [
        *history(1, [1.0] * 2),
        *history(2, [1.0] * 3, num_procs="32"),
        *history(3, [1.0], node="n2", engine="embedded", engine_version="1.0"),
        *history(4, [1.0], node="n2"),
        *history(5, [1.0], node="n3", **sums),
        *history(6, [1.0], node="n3", **other),
    ]
    done = check(tables.write(tmp_path / "table.csv", *rows))
    assert done.stdout.splitlines()[1:] == [
        "too few  n1 · local/ssd (ranks 16): 0 before, 2 recent",
        "too few  n1 · local/ssd (ranks 32): 0 before, 3 recent",
        "too few  n2 · local/ssd (engine embedded): 0 before, 1 recent",
        "too few  n2 · local/ssd (engine upstream): 0 before, 1 recent",
        "too few  n3 · local/ssd (configuration's SHA-256 0123456789ab): 0 before, 1 recent",
        "too few  n3 · local/ssd (configuration's SHA-256 fedcba987654): 0 before, 1 recent",
    ]
    slower = history(7, [1.0] * 8 + [0.7] * 4)
    table = tables.write(tmp_path / "table.csv", *slower, *history(8, [1.0] * 2, num_procs="32"))
    done = check(table, "--recent", "4")
    assert done.stdout.startswith("regression  n1 · local/ssd (ranks 16)  score: ")
    found = json.loads(check(table, "--recent", "4", "--json").stdout)
    assert {(one["target"], one["group"]) for one in found} == {("n1 · local/ssd", "ranks 16")}


def test_a_table_of_which_no_run_counts_and_one_of_others_are_told_in_a_line(check, tmp_path):
    marked = [tables.invalid(), tables.invalid(storage="local/hdd")]
    table = tables.write(tmp_path / "table.csv", *marked)
    for arguments in ([table], [table, "--verbose"]):
        done = check(*arguments)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (4, "", 1)
        assert "table.csv: none of its runs counts; --invalid takes those in" in done.stderr
    good = tables.write(tmp_path / "good.csv", *history(1, [1.0] * 6), *marked)
    done = check(good, "--baseline", table)
    assert (done.returncode, done.stdout) == (4, "")
    assert "table.csv: none of its runs counts" in done.stderr
    assert "left out  " not in check(good).stdout
    said = check(good, "--verbose").stdout
    assert f"left out  {good}: 2 runs that do not count: 2 invalid\n" in said
    foreign = tmp_path / "foreign.csv"
    foreign.write_text("a,b\n1,2\n")
    done = check(foreign)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "foreign.csv: not a table of aggregate_results.py" in done.stderr


def test_a_new_engine_is_no_regression_unless_one_asks_for_it(check, tmp_path):
    rows = [*history(6, [1.0] * 6), *history(7, [0.5] * 6, engine_version="io500-isc26")]
    rows = [row | {"timestamp": f"2026.04.{day:02}-12.00.00"} for day, row in enumerate(rows, 1)]
    table = tables.write(tmp_path / "table.csv", *rows)
    assert check(table).returncode == 0
    assert check(table, "--any-configuration", "--recent", "6").returncode == 1


def test_a_baseline_and_a_date_say_what_came_before(check, tmp_path):
    before = tables.write(tmp_path / "before.csv", *history(8, [1.0] * 6))
    after = tables.write(tmp_path / "after.csv", *history(9, [0.7] * 6))
    assert check(after, "--baseline", before).returncode == 1
    assert check(before, "--baseline", after).returncode == 0
    both = tables.write(tmp_path / "both.csv", *history(10, [1.0] * 6 + [0.7] * 6))
    done = check(both, "--since", "2026-03-07")
    assert done.returncode == 1
    assert "6 runs before, 6 recent" in done.stdout
    # The 3 last against 9 of which 3 are slow as well.
    assert check(both, "--threshold", "60").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--threshold", "150"], "a share from 0 to 100 % is needed"),
        (["--recent", "0"], "at least one run is needed"),
        (["--since", "soon"], "--since: 'soon' is no date"),
        (["--what"], "unrecognized arguments: --what"),
    ],
)
def test_a_wrong_option_is_one_line(check, tmp_path, arguments, said):
    table = tables.write(tmp_path / "table.csv", *history(1, [1.0] * 6))
    done = check(table, *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


def test_the_exact_chances_are_those_of_all_orders():
    for n, m in ((3, 3), (3, 5), (4, 4)):
        orders = list(itertools.combinations(range(n + m), n))
        for chosen in orders[:: max(1, len(orders) // 9)]:
            low = list(chosen)
            high = [k for k in range(n + m) if k not in chosen]

            def below(low, high):
                return sum(a < b for a in low for b in high)

            as_far = sum(
                below(other, [k for k in range(n + m) if k not in other]) >= below(low, high)
                for other in orders
            )
            assert regressions.mann_whitney(low, high) == pytest.approx(as_far / len(orders))


def test_few_steady_fleets_are_called_slower_and_most_losses_are_found(
    tmp_path, monkeypatch, capsys
):
    """Of fleets of 4 nodes with 6 + 6 runs: false alarms without a loss, hits with one of 20 %."""
    monkeypatch.chdir(tmp_path)

    def share(loss, fleets=15):
        alarmed = 0
        for fleet in range(fleets):
            rows = []
            for node in range(4):
                slow = 1 - loss if node == 0 else 1.0
                rows += history(100 * fleet + node, [1.0] * 6 + [slow] * 6, f"n{node}", noise=0.05)
            table = tables.write(tmp_path / "fleet.csv", *rows)
            alarmed += regressions.main([str(table), "--recent", "6", "--json"]) == 1
        return alarmed / fleets

    false, hits = share(0.0), share(0.2)
    capsys.readouterr()
    print(f"fleets with a false alarm: {false:.0%}, losses of 20 % found: {hits:.0%}")
    assert false <= 0.1
    assert hits >= 0.95
