"""Two groups of runs: what is better, worse or noise, and what else differs between them."""

import numpy as np
import pytest

from hpc_disk_bench.comparison import differences, groups, statistics

SCORE = groups.MEASURES[:1]


def compared(a, b):
    (found,) = groups.compare({"score_total": a}, {"score_total": b}, SCORE)
    return found


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        ([1.0, 1.1, 0.9], [2.0, 2.1, 1.9], groups.BETTER),
        ([2.0, 2.1, 1.9], [1.0, 1.1, 0.9], groups.WORSE),
        ([1.0, 1.1, 0.9], [1.05, 0.95, 1.2], groups.NOISE),
        ([1.0, 1.1], [2.0, 2.1, 1.9], groups.UNDECIDED),
        ([1.0], [9.0], groups.UNDECIDED),
    ],
)
def test_a_difference_is_called_by_its_interval(a, b, verdict):
    assert compared(a, b).verdict == verdict


def test_the_ratio_is_that_of_b_over_a():
    assert compared([2.0, 2.0, 2.0], [1.0, 1.0, 1.0]).ratio.median == 0.5


def test_a_change_smaller_than_asked_for_is_noise():
    ratio = compared([1.0, 1.0, 1.0], [1.05, 1.05, 1.05]).ratio
    assert groups.verdict(ratio) == groups.BETTER
    assert groups.verdict(ratio, least=1.1) == groups.NOISE


def test_a_measure_that_one_group_lacks_is_left_out():
    assert groups.compare({"score_total": [np.nan]}, {"score_total": [1.0]}, SCORE) == []


def test_equal_groups_are_rarely_called_different():
    """5 in 100 is what an interval of 95 % lets pass; few repeats let some more pass."""
    draw = np.random.default_rng(11)
    alarms = 0
    for _ in range(400):
        a, b = draw.lognormal(0, 0.1, (2, 5))
        alarms += compared(a, b).verdict in (groups.BETTER, groups.WORSE)
    assert alarms <= 0.07 * 400


def test_a_real_drop_of_a_fifth_is_found_in_eight_against_eight():
    draw = np.random.default_rng(12)
    found = 0
    for _ in range(200):
        a, b = draw.lognormal(0, 0.1, (2, 8))
        found += compared(a, 0.8 * b).verdict == groups.WORSE
    assert found >= 0.9 * 200


def test_what_differs_is_named_with_the_number_of_runs():
    a = [{"engine": "upstream", "num_procs": 16.0}] * 2
    b = [{"engine": "embedded", "num_procs": "16"}, {"engine": "upstream", "num_procs": "16"}]
    (found,) = differences.differences(a, b)
    assert found.field.title == "engine"
    assert (found.a, found.b) == ({"upstream": 2}, {"embedded": 1, "upstream": 1})


def test_groups_that_are_mixed_in_the_same_way_do_not_differ():
    mixed = [{"engine": "upstream"}, {"engine": "embedded"}]
    assert differences.differences(mixed, mixed * 3) == []


def test_intervals_are_those_that_very_many_resamples_give():
    draw = np.random.default_rng(3)
    for n in (4, 5, 8, 21):
        a, b = draw.lognormal(0, 0.3, (2, n))
        sides = [np.median(side[draw.integers(0, n, (100_000, n))], axis=1) for side in (a, b)]
        spread, ratio = statistics.spread(a), statistics.ratio(a, b)
        assert (spread.low, spread.high) == pytest.approx(
            np.quantile(sides[0], (0.025, 0.975)), rel=0.02
        )
        sampled = np.quantile(sides[0] / sides[1], (0.025, 0.975))
        assert (ratio.low, ratio.high) == pytest.approx(sampled, rel=0.05)


def test_a_thousand_runs_have_an_interval_too():
    values = np.random.default_rng(5).lognormal(0, 0.3, 1000)
    spread = statistics.spread(values)
    assert 0.95 < spread.low < spread.median < spread.high < 1.05
