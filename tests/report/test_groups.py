"""Two groups that a reader compares on the page: the numbers of hpc_disk_bench.comparison."""

import re

import pytest

from hpc_disk_bench.comparison import differences, groups
from hpc_disk_bench.report import load, units


@pytest.fixture(scope="module")
def counting(table):
    runs = load.table(table("mixed"))
    return runs[runs["counts"]]


@pytest.fixture(scope="module")
def tab(visit_once):
    return visit_once("mixed", drawn=False)


def chosen(tab, by, a=None, b=None):
    place = tab.locator("#hdb-groups")
    place.get_by_label("Compare by").select_option(by)
    if a:
        place.get_by_label("Group A").select_option(a)
        place.get_by_label("Group B").select_option(b)
    return place


def rows(place, name):
    return [
        row.locator("td").all_inner_texts()
        for row in place.locator(f'table[data-name="{name}"] tbody tr').all()
    ]


def test_two_storages_have_the_ratios_and_verdicts_of_the_package(tab, counting):
    a, b = counting["storage"].value_counts().index[:2]
    place = chosen(tab, "storage", a, b)
    sides = [counting[counting["storage"] == name] for name in (a, b)]
    wanted = groups.compare(*sides)
    found = rows(place, "group-comparison")
    assert len(found) == len(wanted) == 15
    for row, one in zip(found, wanted, strict=True):
        assert row[0].split(",")[0] == one.measure.name
        assert (row[2], row[4]) == (str(one.a.n), str(one.b.n))
        assert row[5] == units.factor(one.ratio.median)
        assert row[6] == f"{units.number(one.ratio.low)}{units.DASH}{units.number(one.ratio.high)}"
        assert row[7].endswith(one.verdict)


def test_what_differs_stands_above_the_numbers(tab, counting):
    a, b = counting["storage"].value_counts().index[:2]
    place = chosen(tab, "storage", a, b)
    sides = [counting[counting["storage"] == name].to_dict("records") for name in (a, b)]
    wanted = [one.field.title for one in differences.differences(*sides)]
    assert [row[0] for row in rows(place, "group-differences")] == wanted
    names = [t.get_attribute("data-name") for t in place.locator("table").all()]
    assert names == ["group-differences", "group-comparison"]


def test_a_group_of_two_runs_is_not_decidable(tab, counting):
    sizes = counting["target"].value_counts()
    two, many = sizes[sizes == 2].index[0], sizes.index[0]
    place = chosen(tab, "target", many, two)
    assert all(row[7] == "? n = 2: not decidable" for row in rows(place, "group-comparison"))


def test_before_and_after_a_date_share_out_the_runs(tab, counting):
    place = chosen(tab, "date")
    sizes = place.locator(".hdb-sizes").inner_text()
    found = [int(n) for n in re.findall(r"(\d+) runs", sizes)]
    assert sum(found) == len(counting)
    assert min(found) > 0


def test_the_filter_of_the_page_holds_for_both_groups(visit, counting):
    place = chosen(visit("mixed", drawn=False, place="#?type=nfs"), "node")
    by = counting[counting["storage_type"] == "nfs"]["node"].value_counts()
    a = place.get_by_label("Group A").input_value()
    assert f"A: {by[a]} run" in place.locator(".hdb-sizes").inner_text()


def test_runs_that_do_not_count_give_a_sentence(visit):
    said = visit("demo", drawn=False).locator(".hdb-missing", has_text="Two groups of runs")
    assert "No run counts" in said.inner_text()
