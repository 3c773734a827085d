"""History: what changed its level is drawn and listed, what did not is not."""

import pytest

from hpc_disk_bench.report import history
from tests.support import report_tables as made

STEADY = (1.0, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97)
HALVED = [rate / 2 for rate in STEADY]


def runs_of(*rates, storage="local/ssd", **more):
    return [made.run(storage, rate=rate, **more) for rate in rates]


def test_a_change_has_its_date_its_runs_and_its_factor():
    runs = made.runs(*runs_of(*STEADY), *runs_of(*HALVED))
    found = history.changes(runs)
    assert {change.column for change in found} == {"score_bandwidth", "score_iops"}
    for change in found:
        assert change.when == runs["started"].iloc[7]
        assert change.point.ratio.median == pytest.approx(0.5)
        assert change.last


def test_runs_that_do_not_count_are_no_part_of_a_history():
    rows = [*runs_of(*STEADY), *(made.invalid("local/ssd", rate=rate) for rate in HALVED)]
    assert history.changes(made.runs(*rows)) == []


def test_the_order_is_that_of_time_and_not_that_of_the_table():
    rows = [*runs_of(*STEADY), *runs_of(*HALVED)]
    mixed = rows[::2] + rows[1::2]
    (first, *_) = history.changes(made.runs(*mixed))
    assert first.point.first == 7


def test_different_nodes_are_not_one_history():
    rows = [*runs_of(*STEADY, node="a"), *runs_of(*HALVED, node="b")]
    assert history.changes(made.runs(*rows)) == []


def test_the_levels_are_drawn_and_listed():
    runs = made.runs(*runs_of(*STEADY), *runs_of(*HALVED))
    found = history.changes(runs)
    levels = [t for t in history.figure(runs, found).figure.data if t.meta == "level"]
    assert len(levels) == 2
    assert levels[0].y[0] == pytest.approx(2 * levels[0].y[2])
    table = history.table(runs, found)
    assert table.rows == 2
    assert set(table.columns[3].values) == {"slower"}


def test_too_few_runs_are_said_with_how_many_it_takes():
    runs = made.runs(*runs_of(1.0, 2.0))
    assert "takes 6 runs" in history.figure(runs, []).caption
    assert history.table(runs, []) is None
