"""Changes of level are found where they are, and not where there is noise."""

import numpy as np
import pytest

from hpc_disk_bench.comparison.changepoints import change_points


@pytest.fixture
def level():
    """level(at, n): n runs around this level, a few per cent to either side."""
    draw = np.random.default_rng(4)
    return lambda at, n: list(at * draw.lognormal(0, 0.05, n))


def test_a_series_that_fell_by_a_third_changed_there(level):
    (found,) = change_points(level(3, 10) + level(2, 8))
    assert found.first == 10
    assert found.ratio.median == pytest.approx(2 / 3, rel=0.1)
    assert found.ratio.high < 1
    assert (found.before.n, found.after.n) == (10, 8)
    assert found.chance <= 0.01


def test_a_drop_after_many_steady_runs_is_found_from_five_runs_on(level):
    (found,) = change_points(level(1, 30) + level(0.7, 5))
    assert found.first == pytest.approx(30, abs=1)


def test_two_changes_are_both_found(level):
    found = change_points(level(3, 12) + level(2, 12) + level(3, 12))
    assert [point.first for point in found] == pytest.approx([12, 24], abs=1)
    assert found[0].ratio.median < 1 < found[1].ratio.median


def test_one_outlier_is_no_change(level):
    assert change_points([*level(3, 9), 0.5, *level(3, 9)]) == []


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 5.0], [1.0, 1.0, 1.0, 5.0, 5.0], [2.0] * 20])
def test_too_few_runs_or_equal_ones_have_no_change(values):
    assert change_points(values) == []


def test_noise_is_rarely_called_a_change(level):
    alarms = sum(bool(change_points(level(1, 20))) for _ in range(200))
    assert alarms <= 10  # cuts and stretches let 1 in 100 pass each
