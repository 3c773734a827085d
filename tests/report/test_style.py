"""Colours that everyone can tell apart, markers beside them, and axes that hold their values."""

import itertools
import math

import numpy as np
import pytest

from hpc_disk_bench.report import style

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
SIGHT = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                   [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
THEMES = {"light": 0, "dark": 1}


def linear(colour):
    parts = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    xyz = TO_XYZ @ rgb / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(one, other):
    bright, dark = sorted((float(TO_XYZ[1] @ linear(c)) for c in (one, other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("sight", SIGHT)
def test_any_two_storage_colours_can_be_told_apart(theme, sight):
    colours = [pair[THEMES[theme]] for pair in style.STORAGE_COLOURS]
    seen = [lab(np.clip(np.array(SIGHT[sight]) @ linear(colour), 0, 1)) for colour in colours]
    closest = min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2))
    assert closest > 24


@pytest.mark.parametrize("theme", THEMES)
def test_colours_stand_out_from_the_background(theme):
    k = THEMES[theme]
    for pair in style.STORAGE_COLOURS:
        assert contrast(pair[k], style.BACKGROUND[k]) >= 3
    for pair in (style.INK, style.MUTED, style.WARNING):
        assert contrast(pair[k], style.BACKGROUND[k]) >= 4.5


def test_the_dark_theme_replaces_each_colour_by_one_other():
    light = [pair[0] for pair in style.THEME_PAIRS]
    assert dict(style.THEME_PAIRS) == dict(reversed(style.THEME_PAIRS))
    assert all(colour.startswith("#") and len(colour) == 7 for colour in light)


def test_as_many_storages_as_a_site_has_look_different():
    looks = style.dress([f"nfs/volume{k}/hdd" for k in range(77)])
    assert len(set(looks.values())) == 77


def test_the_look_of_a_storage_does_not_depend_on_the_order_of_the_runs():
    assert style.dress(["b", "a", "b"]) == style.dress(["a", "b"])


def test_an_axis_is_logarithmic_where_values_span_a_decade():
    assert style.axis_for([1.0, 10.0], "x")["type"] == "log"
    assert "type" not in style.axis_for([1.0, 9.0], "x")
    assert style.axis_for([1.0, 9.0], "x")["range"][0] == 0


@pytest.mark.parametrize(
    "values", [[1.0], [0.001, 1000.0], [3.0, 4.0], [1e-9, 1e9], [87.0, 90.0], [0.0, 5.0, 500.0]]
)
def test_a_logarithmic_axis_holds_its_values_and_has_ticks(values):
    axis = style.axis_for(values, "x", log=True)
    low, high = axis["range"]
    positive = [value for value in values if value > 0]
    assert low <= math.log10(min(positive))
    assert math.log10(max(positive)) <= high
    assert 2 <= len(axis["tickvals"]) <= 13
    assert len(set(axis["ticktext"])) == len(axis["tickvals"])


@pytest.mark.parametrize("most", [1, 2, 3, 5, 6, 12, 53, 1000])
def test_things_are_counted_in_whole_numbers(most):
    axis = style.axis_of_counts(most, "runs")
    assert axis["range"][0] == 0
    assert axis["range"][1] > most
    assert isinstance(axis["dtick"], int)
    assert 1 <= most / axis["dtick"] <= 5


def test_an_axis_without_values_says_nothing():
    assert style.axis_for([math.nan, 0.0], "x")["showticklabels"] is False


def test_a_label_is_escaped_and_long_names_keep_both_ends():
    assert style.label("<b>x</b>") == "&lt;b&gt;x&lt;/b&gt;"
    short = style.label("a" * 40 + "z" * 40)
    assert len(short) <= style.LABEL_LENGTH
    assert short.startswith("aaa")
    assert short.endswith("zzz")
    assert style.label("two\nlines\x07") == "two lines"
