"""Filters of the page: figures and tables then say what the report of those runs alone would."""

import math
import re

import numpy as np
import pytest

from hpc_disk_bench.comparison import statistics
from hpc_disk_bench.report import (
    answer,
    figures_devices,
    figures_network,
    figures_nodes,
    figures_parts,
    figures_rates,
    figures_score,
    load,
    tables,
    tables_rates,
    tidy,
)

NFS = "#?type=nfs"
DERIVED_TABLES = {
    "answer": answer.best,
    "bandwidth-comparison": lambda runs: tables_rates.bandwidth_comparison(tidy.bandwidth(runs)),
    "iops-summary": lambda runs: tables_rates.iops_summary(tidy.iops(runs)),
    "network-shares": tables_rates.network_shares,
    "clusters": tables_rates.clusters,
    "top-performers": tables_rates.top_performers,
    "key-statistics": tables_rates.key_statistics,
    "score-table": tables.score_table,
}
DOTS = {
    "score-ranking": figures_score.ranking,
    "bandwidth-by-storage": lambda runs: figures_rates.bandwidth_by_storage(tidy.bandwidth(runs)),
    "iops-by-operation": lambda runs: figures_rates.iops_by_operation(tidy.iops(runs)),
    "network-speed-impact": figures_network.network_speed_impact,
    "nfs-volume-comparison": figures_network.volume_comparison,
}
# What is said of a run itself, of all runs: outliers among repeats.
NOT_DERIVED = {"remarks"}


@pytest.fixture(scope="module")
def runs(table):
    return load.table(table("mixed"))


@pytest.fixture(scope="module")
def nfs(runs):
    return runs[runs["storage_type"] == "nfs"].copy()


@pytest.fixture(scope="module")
def nfs_page(visit_once):
    """The page filtered to NFS, all figures drawn."""
    return visit_once("mixed", place=NFS)


def shown_rows(tab, name):
    """Every row of a table that the filter leaves, whatever the page of the table."""
    everything = tab.locator(f"#table-{name}").get_by_role("button", name=re.compile("^All "))
    if everything.is_visible():
        everything.click()
    return tab.evaluate(
        """(name) => [...document.querySelectorAll(`#table-${name} tbody tr:not([hidden])`)]
             .map((row) => [...row.cells].map((cell) => cell.textContent))""",
        name,
    )


def texts(column):
    """What a column shows, without its markup."""
    if column.show is None:
        return [str(value) for value in column.values]
    return [re.sub("<[^>]+>", "", text) for text in column.show]


def plotted(tab, name):
    """data and layout of a figure as it is drawn."""
    return tab.evaluate(
        """(name) => { const { data, layout } = document.getElementById(`plot-${name}`);
             return [JSON.parse(JSON.stringify(data)), JSON.parse(JSON.stringify(layout))]; }""",
        name,
    )


@pytest.mark.parametrize("name", DERIVED_TABLES)
def test_a_filtered_table_says_what_the_report_of_those_runs_would(name, nfs_page, nfs):
    wanted = DERIVED_TABLES[name](nfs)
    found = shown_rows(nfs_page, name)
    heads = [column.title for column in wanted.columns]
    kept = [k for k, head in enumerate(heads) if head not in NOT_DERIVED]
    expected = [
        tuple(texts(wanted.columns[k])[row].replace("nan", "") for k in kept)
        for row in range(wanted.rows)
    ]
    assert sorted(tuple(row[k] for k in kept) for row in found) == sorted(expected)


@pytest.mark.parametrize("name", DOTS)
def test_a_filtered_figure_shows_what_the_report_of_those_runs_would(name, nfs_page, nfs):
    wanted = DOTS[name](nfs).figure
    data, layout = plotted(nfs_page, name)
    assert layout["yaxis"]["ticktext"] == list(wanted.layout.yaxis.ticktext)
    assert [trace["meta"] for trace in data] == [trace.meta for trace in wanted.data]
    for drawn, trace in zip(data, wanted.data, strict=True):
        if trace.meta == "runs":
            inside = [identity for identity, y in zip(trace.ids, trace.y, strict=True) if y > -0.6]
            assert sorted(drawn["ids"]) == sorted(inside)
            continue
        rows = sorted(k for k, y in enumerate(trace.y) if y > -0.6)
        ours = {round(y): k for k, y in enumerate(drawn["y"])}
        assert sorted(ours) == sorted(round(trace.y[k]) for k in rows)
        for k in rows if trace.meta == "medians" else []:
            own = ours[round(trace.y[k])]
            assert drawn["x"][own] == pytest.approx(trace.x[k], rel=1e-4)
            for side in ("array", "arrayminus"):
                reach = drawn["error_x"][side][own]
                assert reach == pytest.approx(trace.error_x[side][k], abs=2e-5 * trace.x[k])
            assert drawn["customdata"][own] == trace.customdata[k]


def test_panels_of_fewer_rows_are_laid_out_as_the_report_of_those_runs_would(nfs_page, nfs):
    wanted = DOTS["iops-by-operation"](nfs)
    _, layout = plotted(nfs_page, "iops-by-operation")
    assert layout["height"] == wanted.height
    for axis in ("yaxis", "yaxis2", "yaxis7"):
        assert layout[axis]["domain"] == pytest.approx(wanted.figure.layout[axis].domain, abs=1e-4)


def test_ranges_factors_parts_and_the_heatmap_follow_the_filter(nfs_page, nfs):
    tab = nfs_page
    data, _ = plotted(tab, "bandwidth-by-difficulty")
    ranges = figures_rates.bandwidth_by_difficulty(tidy.bandwidth(nfs)).figure.data
    ours = {(t["name"], t["xaxis"]): t for t in data if t["meta"] == "range" and t["x"]}
    wanted = {(t.name, t.xaxis): t for t in ranges if t.meta == "range"}
    assert set(ours) == set(wanted)
    for name, trace in wanted.items():
        assert ours[name]["x"] == pytest.approx(list(trace.x), rel=1e-4)
        looks = ours[name]["marker"]
        assert (looks["symbol"], looks["size"]) == (
            list(trace.marker.symbol),
            list(trace.marker.size),
        )

    data, _ = plotted(tab, "device-comparison")
    factors = figures_devices.device_comparison(nfs).figure.data
    ours = {t["name"]: t["x"] for t in data if t["x"]}
    assert ours == {t.name: pytest.approx(list(t.x), rel=1e-4) for t in factors}

    data, _ = plotted(tab, "score-parts")
    parts = figures_parts.score_parts(nfs).figure.data
    ours = {t["name"]: t["x"] for t in data if t["x"]}
    assert ours == {t.name: pytest.approx(list(t.x), rel=1e-4) for t in parts}

    (heat, hatched), layout = plotted(tab, "cluster-heatmap")
    wanted = figures_nodes.heatmap(nfs).figure
    assert layout["yaxis"]["ticktext"] == list(wanted.layout.yaxis.ticktext)
    assert layout["xaxis"]["ticktext"] == list(wanted.layout.xaxis.ticktext)
    assert heat["text"] == [list(row) for row in wanted.data[0].text]
    assert sorted(hatched["text"]) == sorted(wanted.data[1].text)


def test_the_page_computes_intervals_as_python_does(visit):
    tab = visit("demo", drawn=False)
    draw = np.random.default_rng(8)
    sides = [
        [list(draw.lognormal(0, 0.4, n)), list(draw.lognormal(0.1, 0.3, m))]
        for n, m in [
            (1, 1),
            (2, 3),
            (3, 3),
            (4, 5),
            (6, 6),
            (7, 12),
            (40, 33),
            (200, 5),
            (901, 502),
        ]
    ]
    sides.append([[1.0, 1.0, 2.0, 2.0], [0.5, 0.5, 0.5, 0.5]])
    found = tab.evaluate(
        """(sides) => sides.map(([a, b]) => { const s = HDB.statistics;
             return [s.spread(a), s.ratio(a, b), s.outliers(a)]; })""",
        sides,
    )
    for (a, b), (spread, ratio, flags) in zip(sides, found, strict=True):
        for ours, wanted in ((spread, statistics.spread(a)), (ratio, statistics.ratio(a, b))):
            assert ours["n"] == wanted.n
            for name in ("median", "low", "high"):
                value, expected = ours[name], getattr(wanted, name)
                assert (math.isnan(expected) and math.isnan(value)) or value == pytest.approx(
                    expected, rel=1e-9
                )
        assert flags == list(statistics.outliers(a))


def test_the_answer_is_sure_again_where_the_filter_leaves_one_engine(visit, nfs_page, nfs, runs):
    def verdicts(table):
        return [row[-1] for row in shown_rows(table, "answer")]

    one = runs[runs["made_by"] == "upstream io500-isc25"].copy()
    tab = visit("mixed", drawn=False, place="#?engine=upstream io500-isc25")
    assert verdicts(tab) == texts(answer.best(one).columns[-1]) == ["yes"] * 3
    assert verdicts(nfs_page) == texts(answer.best(nfs).columns[-1])
    assert set(verdicts(nfs_page)) == {answer.VERDICTS["engines"]}


def test_a_click_filters_the_page_and_the_line_says_so(visit, runs):
    tab = visit("mixed", drawn=False)
    bar = tab.locator(".hdb-filter")
    assert bar.locator(".hdb-shown").inner_text() == f"Showing all {len(runs)} runs"
    bar.get_by_text("Filter", exact=True).click()
    bar.locator("summary", has_text="Device").click()
    bar.get_by_label(re.compile("ssd")).check()
    left = int((runs["device_type"] == "ssd").sum())
    assert bar.locator(".hdb-shown").inner_text() == (
        f"Showing {left} of {len(runs)} runs: device ssd"
    )
    assert len(shown_rows(tab, "raw-data")) == left
    bar.get_by_role("button", name="Show all").click()
    assert bar.locator(".hdb-shown").inner_text() == f"Showing all {len(runs)} runs"
    assert len(shown_rows(tab, "raw-data")) == len(runs)


def test_only_runs_that_count_leaves_no_hollow_dot(visit, runs):
    tab = visit("mixed", place="#?valid=1")
    data, _ = plotted(tab, "score-ranking")
    (points,) = (trace for trace in data if trace["meta"] == "runs")
    assert points["ids"]
    assert not [symbol for symbol in points["marker"]["symbol"] if symbol.endswith("-open")]
    assert f"Showing {int(runs['counts'].sum())} of" in tab.locator(".hdb-shown").inner_text()


def test_a_period_leaves_its_runs(visit, runs):
    day = f"{runs['started'].median():%Y-%m-%d}"
    tab = visit("mixed", drawn=False, place=f"#?from={day}")
    left = int((runs["started"] >= day).sum())
    assert f"Showing {left} of {len(runs)} runs: from {day}" == (
        tab.locator(".hdb-shown").inner_text()
    )


def test_without_the_filter_everything_is_again_as_it_was(visit):
    tab = visit("mixed")
    before = {name: shown_rows(tab, name) for name in DERIVED_TABLES}
    figures = {name: plotted(tab, name)[0] for name in DOTS}
    tab.evaluate("window.location.hash = '#?type=nfs'")
    tab.wait_for_function("document.documentElement.dataset.hdbFiltered === 'yes'")
    assert shown_rows(tab, "clusters") != before["clusters"]
    tab.get_by_role("button", name="Show all").click()
    assert {name: shown_rows(tab, name) for name in DERIVED_TABLES} == before
    tab.wait_for_function(
        """() => { const [done, all] = document.documentElement.dataset.hdbFigures.split("/");
             return done === all; }"""
    )
    assert {name: plotted(tab, name)[0] for name in DOTS} == figures


def test_the_address_keeps_the_filter_also_after_a_link_within_the_page(visit):
    tab = visit("mixed", drawn=False)
    tab.locator(".hdb-filter").get_by_text("Filter", exact=True).click()
    tab.get_by_label("Only runs that count").check()
    assert tab.url.endswith("#?valid=1")
    tab.evaluate("window.location.hash = '#scores'")
    tab.wait_for_function("window.location.hash === '#scores?valid=1'")
    again = visit("mixed", drawn=False, place="#scores?valid=1")
    assert "only runs that count" in again.locator(".hdb-shown").inner_text()


@pytest.mark.parametrize("place", ["#?node=nobody", "#?from=yesterday", "#?%", "#?type=nfs;x"])
def test_an_address_with_nonsense_shows_all_runs(visit, place):
    tab = visit("demo", drawn=False, place=place)
    assert tab.locator(".hdb-shown").inner_text() == "Showing all 2 runs"


def test_the_filter_is_used_by_keyboard_alone(visit):
    tab = visit("mixed", drawn=False)
    tab.locator(".hdb-filterbox > summary").focus()
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    assert tab.locator(".hdb-facet[open]").count() == 1
    tab.keyboard.press("Tab")
    tab.keyboard.press("Space")
    assert "of" in tab.locator(".hdb-shown").inner_text()
    tab.keyboard.press("Escape")
    assert tab.locator(".hdb-facet[open]").count() == 0
    assert tab.evaluate("document.activeElement.tagName") == "SUMMARY"


def test_a_filter_that_leaves_no_run_that_counts_ranks_nothing(visit):
    tab = visit("mixed", place="#?valid=1&from=2100-01-01")
    assert tab.locator(".hdb-shown").inner_text().startswith("Showing 0 of")
    assert shown_rows(tab, "score-table") == []
    data, _ = plotted(tab, "score-ranking")
    assert all(not trace["x"] for trace in data)
    following = tab.locator(".hdb-figure:not(.hdb-unfiltered)")
    assert following.count() > 10
    assert following.locator(".hdb-plot").filter(visible=True).count() == 0
    assert set(following.locator(".hdb-missing").all_inner_texts()) == {
        "The filter leaves no run for this figure: widen it, or show all runs."
    }
    assert following.locator(".hdb-missing").count() == following.count()
    tab.get_by_role("button", name="Show all").click()
    tab.wait_for_function("document.querySelectorAll('.hdb-figure .hdb-missing').length === 0")
    assert tab.locator("#plot-score-ranking .main-svg").first.bounding_box()["width"] > 640


def test_names_with_html_are_text_in_the_filter(visit):
    tab = visit("html in names", drawn=False)
    tab.locator(".hdb-filter").get_by_text("Filter", exact=True).click()
    tab.locator(".hdb-facet > summary", has_text="Node").click()
    assert "<script>alert(1)</script>" in tab.locator(".hdb-facet[open]").inner_text()
    assert tab.locator("main img").count() == 0
