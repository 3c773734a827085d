"""Numbers have the digits that mean something; line rates are read from any spelling."""

import math

import pytest

from hpc_disk_bench.report import units


@pytest.mark.parametrize(
    "speed", ["10Gbps", "10 Gb/s", "10gbps", "10000Mbps", "10000 Mb/s", "10Gbit/s", " 10.0Gbps "]
)
def test_a_link_speed_is_read_in_every_spelling(speed):
    assert units.line_rate(speed) == pytest.approx(1.1641532)


@pytest.mark.parametrize("speed", ["", "unknown", "fast", "Gbps", "-1", "None", "0Gbps", "10"])
def test_what_is_no_link_speed_is_none(speed):
    assert math.isnan(units.line_rate(speed))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.186573, "0.187"),
        (21.306493, "21.3"),
        (603.6442, "604"),
        (12345.6, "12\u202f346"),
        (0.0004567, "0.000457"),
        (0.9996, "1.00"),
        (0, "0"),
        (math.nan, "\N{EN DASH}"),
        (None, "\N{EN DASH}"),
    ],
)
def test_a_number_has_three_digits_and_no_exponent(value, text):
    assert units.number(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.42, "0.42 s"),
        (42.0, "42.0 s"),
        (357.073, "5 min 57 s"),
        (4321, "72 min 1 s"),
        (9000, "2 h 30 min"),
    ],
)
def test_a_duration_is_written_in_the_units_that_matter(seconds, text):
    assert units.duration(seconds) == text


@pytest.mark.parametrize(("share", "text"), [(0.914, "91 %"), (0.0123, "1.2 %"), (1.5, "150 %")])
def test_a_share_is_a_percentage(share, text):
    assert units.percent(share) == text
