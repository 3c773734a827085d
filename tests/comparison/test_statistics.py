"""Medians with intervals from three values on, outliers against the others, nothing made up."""

import math

import numpy as np
import pytest

from hpc_disk_bench.comparison import statistics


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0]])
def test_below_three_values_a_median_has_no_interval(values):
    spread = statistics.spread(values)
    assert spread.n == len(values)
    assert not spread.decidable
    assert math.isnan(spread.low)
    assert math.isnan(spread.high)


def test_the_interval_holds_the_median_and_lies_within_the_values():
    spread = statistics.spread([3.0, 1.0, 2.0, 9.0, 2.5])
    assert spread.median == 2.5
    assert 1.0 <= spread.low <= 2.5 <= spread.high <= 9.0


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    draw = np.random.default_rng(7)
    spreads = [statistics.spread(draw.lognormal(0, 0.3, 15)) for _ in range(200)]
    covered = sum(spread.low <= 1.0 <= spread.high for spread in spreads)
    assert 0.87 * 200 <= covered <= 200


def test_missing_values_are_left_out():
    assert statistics.spread([1.0, math.nan, 3.0, math.inf, 2.0]) == statistics.spread([1, 3, 2])


def test_the_same_values_give_the_same_interval():
    values = list(np.random.default_rng(1).random(20))
    assert statistics.spread(values) == statistics.spread(values)


def test_a_ratio_of_two_groups_is_that_of_their_medians():
    ratio = statistics.ratio([4.0, 4.2, 3.8], [2.0, 2.1, 1.9])
    assert ratio.median == pytest.approx(2.0)
    assert 1.5 < ratio.low <= 2.0 <= ratio.high < 2.5


def test_a_ratio_with_two_runs_on_a_side_is_not_decidable():
    assert not statistics.ratio([4.0, 4.2], [2.0, 2.1, 1.9]).decidable


def test_a_value_far_from_its_group_is_an_outlier():
    flags = statistics.outliers([1.0, 1.1, 0.9, 1.05, 0.95, 5.0])
    assert list(flags) == [False] * 5 + [True]


def test_a_wide_group_has_no_outlier():
    assert not statistics.outliers([1.0, 2.0, 3.0, 4.0, 5.0]).any()


def test_four_values_are_too_few_to_call_one_an_outlier():
    assert not statistics.outliers([1.0, 1.0, 1.1, 50.0]).any()


def test_a_geometric_mean_with_a_missing_part_is_missing():
    assert statistics.geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
    assert math.isnan(statistics.geometric_mean([2.0, math.nan]))
    assert math.isnan(statistics.geometric_mean([2.0, 0.0]))
