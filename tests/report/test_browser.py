"""The report in a real browser, opened from its file: drawn, quiet, used by clicking."""

import csv
import json
import re

import pytest

from hpc_disk_bench.report import load
from tests.support.report_cases import PAGES
from tests.support.report_page import column_of, numbers, rows_of, sort


@pytest.mark.parametrize("name", PAGES)
def test_every_figure_is_drawn_with_all_its_traces(name, visit, page):
    tab = visit(name)
    text = page(name).read_text("utf-8")
    emitted = [json.loads(s) for s in re.findall(r'class="hdb-spec"[^>]*>(.*?)</script>', text)]
    drawn = tab.evaluate(
        """() => [...document.querySelectorAll(".plotly-graph-div")].map((place) => [
             place.querySelectorAll("svg.main-svg").length > 0,
             place.data.length,
             place.querySelectorAll(".point, .heatmaplayer image").length,
           ])"""
    )
    assert len(drawn) == len(emitted)
    for (is_drawn, traces, marks), spec in zip(drawn, emitted, strict=True):
        assert is_drawn
        assert traces == len(spec["data"])
        assert marks > 0


def test_as_many_dots_are_drawn_as_there_are_runs(visit, table):
    tab = visit("mixed")
    runs = load.table(table("mixed"))
    dots = tab.evaluate(
        """() => [...document.querySelectorAll("#plot-score-halves .scatterlayer .point")].length"""
    )
    assert dots == int((runs["score_total"] > 0).sum())


def test_a_table_sorts_by_clicking_its_heading(visit):
    tab = visit("mixed", drawn=False)
    sort(tab, "score-table", "score")
    rising = numbers(column_of(tab, "score-table", "score"))
    assert rising == sorted(rising)
    sort(tab, "score-table", "score")
    falling = numbers(column_of(tab, "score-table", "score"))
    assert falling == sorted(falling, reverse=True)
    assert falling[0] > rising[0]


def test_a_sorted_heading_says_so_to_a_screen_reader(visit):
    tab = visit("reference", drawn=False)
    sort(tab, "score-table", "node")
    head = tab.locator("#table-score-table thead th", has_text="node")
    assert head.get_attribute("aria-sort") == "ascending"
    assert tab.locator("#table-score-table th[aria-sort]").count() == 1


def test_names_sort_as_people_sort_them_and_missing_values_last(visit):
    tab = visit("mixed", drawn=False)
    sort(tab, "score-table", "rank")
    first = numbers(column_of(tab, "score-table", "rank"))
    assert first[0] == 1
    sort(tab, "score-table", "rank")
    assert column_of(tab, "score-table", "rank")[0] != ""


def test_why_a_run_does_not_count_is_read_without_scrolling(visit):
    tab = visit("demo", width=1400, drawn=False)
    scroll = tab.locator("#table-score-table .hdb-scroll").bounding_box()
    why = tab.locator("#table-score-table td.hdb-long").first
    assert "Runtime is smaller than expected" in why.inner_text()
    box = why.bounding_box()
    assert box["x"] + box["width"] <= scroll["x"] + scroll["width"]


def test_searching_filters_the_rows(visit):
    tab = visit("reference", drawn=False)
    tab.get_by_role("button", name="All 53").first.click()
    assert len(rows_of(tab, "score-table")) == 53
    tab.locator("#table-score-table .hdb-search").fill("olympus local")
    found = column_of(tab, "score-table", "storage")
    assert sorted(found) == ["local/md126/ssd", "local/nvme0n1/ssd"]
    assert "2 rows (of 53)" in tab.locator("#table-score-table .hdb-status").inner_text()


def test_paging_shows_every_row_once(visit):
    tab = visit("reference", drawn=False)
    box = tab.locator("#table-score-table")
    seen = []
    for page_number in range(3):
        seen += column_of(tab, "score-table", "rank")
        if page_number < 2:
            box.get_by_role("button", name="Next rows").click()
    assert sorted(numbers(seen)) == list(range(1, 54))
    assert box.get_by_role("button", name="Next rows").is_disabled()


def test_the_csv_is_what_was_found_in_its_order_with_all_digits(visit, table, tmp_path):
    tab = visit("mixed", drawn=False)
    raw = load.raw(table("mixed"))
    box = tab.locator("#table-raw-data")
    box.locator(".hdb-search").fill("powerscale")
    sort(tab, "raw-data", "score_total")
    with tab.expect_download() as waiting:
        box.get_by_role("button", name="CSV").click()
    assert waiting.value.suggested_filename == "raw-data.csv"
    waiting.value.save_as(tmp_path / "raw-data.csv")
    with open(tmp_path / "raw-data.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    wanted = raw[raw["storage_type"] == "powerscale"]
    assert len(rows) == len(wanted)
    assert sorted(row["run_dir"] for row in rows) == sorted(wanted["run_dir"])
    by_run = wanted.set_index("run_dir")
    for row in rows:
        for column, value in row.items():
            assert value == by_run.loc[row["run_dir"]].get(column, value)
    scores = [float(row["score_total"]) for row in rows if row["score_total"]]
    assert scores == sorted(scores)


def test_the_theme_follows_the_system_and_a_click_changes_it(visit):
    tab = visit("reference", scheme="dark")
    colours = """() => {
      const figure = document.querySelector("#plot-score-ranking .xtick text");
      return [getComputedStyle(document.body).backgroundColor, getComputedStyle(figure).fill];
    }"""
    assert tab.evaluate("document.documentElement.dataset.hdbTheme") == "dark"
    dark = tab.evaluate(colours)
    tab.get_by_role("button", name="Light theme").click()
    light = tab.evaluate(colours)
    assert dark == ["rgb(20, 24, 29)", "rgb(154, 166, 180)"]
    assert light == ["rgb(255, 255, 255)", "rgb(91, 102, 115)"]
    assert tab.get_by_role("button", name="Dark theme").is_visible()


@pytest.mark.parametrize("name", ["reference", "mixed", "demo", "html in names"])
def test_a_phone_shows_the_page_without_scrolling_sideways(name, visit):
    tab = visit(name, width=390, height=844)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    widest = tab.evaluate(
        """() => Math.max(0, ...[...document.querySelectorAll(".hdb-figure, .hdb-tablebox, h2, p")]
             .map((part) => part.getBoundingClientRect().right))"""
    )
    assert widest <= 390


def test_panels_stand_below_each_other_on_a_phone(visit):
    def tops(tab):
        figure = tab.locator("#plot-bandwidth-by-storage")
        titles = [figure.get_by_text(title, exact=True) for title in ("easy write", "hard write")]
        return [round(title.bounding_box()["y"]) for title in titles]

    beside = tops(visit("reference"))
    below = tops(visit("reference", width=390, height=844))
    assert beside[0] == beside[1]
    assert below[1] > below[0] + 100


def test_markup_in_names_is_shown_and_never_run(visit):
    tab = visit("html in names")
    assert tab.locator("main img").count() == 0
    assert "<script>alert(1)</script>" in tab.locator("#table-score-table").inner_text()
    labels = tab.locator("#plot-score-ranking .ytick text").all_text_contents()
    assert any("<img src=x" in label for label in labels)


def test_a_printed_page_is_light_and_has_all_figures(visit, tmp_path):
    tab = visit("reference", scheme="dark")
    pdf = tab.pdf(path=tmp_path / "report.pdf", print_background=True)
    assert pdf.startswith(b"%PDF")
    tab.emulate_media(media="print")
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    fill = (
        """() => getComputedStyle(document.querySelector("#plot-score-ranking .xtick text")).fill"""
    )
    assert tab.evaluate(fill) == "rgb(91, 102, 115)"


def test_a_table_too_wide_for_paper_is_replaced_by_a_sentence(visit):
    tab = visit("mixed", drawn=False)
    box = tab.locator("#table-raw-data")
    assert not box.locator(".hdb-paper").is_visible()
    tab.emulate_media(media="print")
    assert "do not fit on paper" in box.locator(".hdb-paper").inner_text()
    assert not box.locator("table").is_visible()
    assert tab.locator("#table-score-table table").is_visible()


def test_the_numbers_of_a_figure_are_a_table_that_sorts_and_follows_the_filter(visit, runs_of):
    tab = visit("mixed")
    figure = tab.locator("#figure-score-halves")
    figure.get_by_text("The numbers of this figure").click()
    runs = runs_of("mixed")
    both = (runs["score_bandwidth"] > 0) & (runs["score_iops"] > 0)
    assert f"of {both.sum()} rows" in figure.locator(".hdb-status").inner_text()
    figure.get_by_role("button", name="value", exact=True).click()
    values = numbers(figure.locator("tbody tr:not([hidden]) td.hdb-number").all_inner_texts())
    assert values == sorted(values)
    tab.evaluate("window.location.hash = '#?valid=1'")
    left = int((both & runs["counts"]).sum())
    figure.get_by_text(f"of {left} rows").wait_for()


def test_without_script_the_tables_and_the_reasons_can_still_be_read(browser, page):
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(page("mixed").as_uri())
    rows = tab.locator("#table-score-table tbody tr").all()
    assert len(rows) > 190
    assert rows[-1].is_visible()
    assert tab.locator(".hdb-banner").is_visible()
    assert "needs JavaScript" in tab.locator("#figure-score-ranking").inner_text()
    context.close()


def test_the_tools_are_reached_and_used_by_keyboard(visit):
    tab = visit("reference", drawn=False)
    head = tab.locator("#table-score-table thead").get_by_role("button", name="storage", exact=True)
    head.focus()
    tab.keyboard.press("Enter")
    storages = column_of(tab, "score-table", "storage")
    assert storages == sorted(storages)
