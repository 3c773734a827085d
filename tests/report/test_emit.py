"""What cells print reaches the page as it was meant: escaped, and nothing breaks out."""

import json
import re

import pandas as pd
import plotly.graph_objects as go
import pytest

from hpc_disk_bench.report import emit
from hpc_disk_bench.report.charts import Chart, Column, Missing, Table, column
from hpc_disk_bench.report.markup import escape, tag

NASTY = "</script><img src=x onerror=alert(1)>\"'&`\u2028\ud800\x00"


def chart(**more):
    figure = go.Figure(go.Scatter(x=[1.0], y=[2.0], text=[NASTY]))
    return Chart("a-name", f"Title {NASTY}", figure, f"Caption {NASTY}", f"Alt {NASTY}", **more)


def spec_of(text):
    return re.search(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)[1]


def test_what_is_shown_stands_in_a_fence_of_raw_html(capsys):
    emit.show("<p>one</p>", None, Missing("Two", "is not there"))
    printed = capsys.readouterr().out
    assert printed.startswith("\n```{=html}\n<p>one</p>\n```\n")
    assert printed.count("```{=html}") == 2
    assert "is not there" in printed


@pytest.mark.parametrize("part", [chart(), Missing(NASTY, NASTY)])
def test_nothing_in_a_part_can_close_its_fence_or_a_script(part):
    text = emit.render(part)
    assert "`" not in text
    assert "<img" not in text
    assert text.count("</script>") == (1 if isinstance(part, Chart) else 0)
    assert text.encode("utf-8")


def test_a_figures_data_survive_their_way_through_the_page():
    spec = json.loads(spec_of(emit.render(chart(height=321))))
    assert spec["data"][0]["text"] == [NASTY]
    assert spec["height"] == 321


def test_a_figure_has_title_caption_and_words_for_who_cannot_see_it():
    text = emit.render(chart())
    assert "<figcaption>Caption" in text
    assert 'role="img" aria-label="Alt' in text
    assert 'class="hdb-title">Title' in text


def test_a_table_keeps_all_digits_for_sorting_and_export():
    short = column("rate", [0.123456, float("nan")], show=["0.123", "-"], numeric=True)
    text = emit.render(Table("t", "T", [short], "c"))
    assert '<td class="hdb-number" data-v="0.123456">0.123</td>' in text
    assert '<td class="hdb-number" data-v="">-</td>' in text


def test_cells_are_escaped_unless_they_are_the_packages_own_markup():
    columns = [column("a", [NASTY]), Column("b", [NASTY], ["<b>x</b>"], html=True)]
    text = emit.render(Table("t", "T", columns, "c"))
    assert "<img" not in text
    assert "<b>x</b></td>" in text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (pd.NaT, ""), (3.0, "3"), (0.1, "0.1"), (1234567.891, "1234567.891"), ("x", "x")],
)
def test_a_value_is_exported_with_the_digits_it_has(value, text):
    assert emit.exported(value) == text


def test_control_characters_are_replaced_and_blanks_of_all_kinds_kept():
    assert escape("a\x00b") == "a\N{REPLACEMENT CHARACTER}b"
    assert escape("1\u202f000 x") == "1\u202f000 x"


def test_attributes_are_escaped():
    assert tag("p", title='"><script>') == '<p title="&quot;&gt;&lt;script&gt;"></p>'
