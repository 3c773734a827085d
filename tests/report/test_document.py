"""io500_analysis.qmd has the 24 cells, each short, and renders whatever the table holds."""

import os
import re
import subprocess

import pytest

from hpc_disk_bench.render import document
from hpc_disk_bench.report import header
from tests.support import report_tables as made
from tests.support.needs import night
from tests.support.report_cases import NASTY, PAGES

REFERENCE = [
    "setup",
    "summary-stats",
    "score-table",
    "score-plot",
    "bandwidth-prep",
    "bandwidth-by-storage",
    "bandwidth-comparison-table",
    "bandwidth-by-difficulty",
    "iops-prep",
    "iops-by-operation",
    "iops-summary-table",
    "network-speed-impact",
    "nfs-volume-comparison",
    "storage-comparison-plot",
    "cluster-heatmap",
    "cluster-table",
    "device-comparison",
    "top-performers",
    "time-analysis-prep",
    "time-by-test",
    "recommendations",
    "key-statistics",
    "raw-data",
    "system-info",
]
# Further cells, each after the one it belongs to.
FURTHER = {
    "failures-by-code": "summary-stats",
    "score-parts": "score-plot",
    "placement": "score-parts",
    "group-comparison": "device-comparison",
    "write-endings": "time-by-test",
    "inside-phases": "write-endings",
    "history": "inside-phases",
    "tool-runs": "raw-data",
}
SILENT = {"setup", "bandwidth-prep", "iops-prep", "time-analysis-prep"}
DOCUMENT = "io500_analysis.qmd"


@pytest.fixture(scope="session")
def source(root):
    return document.read(root / DOCUMENT)


def cell_of(page, label):
    """What the cell `label` shows in a rendered page."""
    text = page.read_text("utf-8")
    start = text.index(f'data-label="{label}"')
    end = text.find('<div class="cell"', start)
    return text[start : end if end > 0 else None]


def test_the_cells_are_those_of_the_reference_in_its_order(source):
    labels = [cell.label for cell in source.cells]
    assert [label for label in labels if label in REFERENCE] == REFERENCE
    assert len(REFERENCE) == 24
    assert len(labels) == len(set(labels))


def test_a_further_cell_stands_after_the_one_it_belongs_to(source):
    labels = [cell.label for cell in source.cells]
    for label, before in FURTHER.items():
        assert labels[labels.index(label) - 1] == before


def test_a_cell_is_one_to_five_lines_that_call_the_package(source):
    for cell in source.cells:
        lines = [line for line in cell.source.splitlines() if line.strip()]
        assert 1 <= len(lines) <= 5, cell.label
        assert "def " not in cell.source


def test_cells_that_show_something_print_it_as_it_is(source):
    for cell in source.cells:
        shows = "show(" in cell.source
        assert shows == (cell.label not in SILENT)
        assert shows == (cell.options.get("output") == "asis")


def test_the_title_block_keeps_every_renderer_offline(source):
    assert source.option("theme") == ["cosmo", "custom.scss"]
    assert source.option("embed-resources") is True
    assert source.option("html-math-method") == "mathml"
    assert source.option("include-in-header") == [{"file": str(header.HEADER)}]


def test_the_theme_imports_no_web_font(root):
    scss = (root / "custom.scss").read_text()
    defaults = scss.index("/*-- scss:defaults --*/")
    assert defaults < scss.index("$web-font-path: false;") < scss.index("/*-- scss:rules --*/")


@pytest.mark.parametrize("name", PAGES)
def test_the_report_renders_with_something_in_every_cell(name, page):
    for label in [*REFERENCE, *FURTHER]:
        if label not in SILENT:
            shown = cell_of(page(name), label)
            assert re.search(r"hdb-(figure|tablebox|missing|banner|advice)", shown), label


def test_the_renderer_names_the_cells_as_it_goes(source, render, table, tmp_path):
    done = render(table("demo"), tmp_path / "r.html")
    labels = [cell.label for cell in source.cells]
    found = re.findall(rf"Cell (\d+)/{len(labels)}: '([\w-]+)'\.+Done", done.stdout)
    assert found == [(str(k + 1), label) for k, label in enumerate(labels)]
    assert done.stderr == ""


def test_the_banner_is_the_first_thing_on_the_page(page):
    text = page("mixed").read_text("utf-8")
    first = re.search(r'class="hdb-(?!theme)(\w+)', text[text.index("<main") :])
    assert first[1] == "banner"


def test_plotly_is_in_the_page_once_and_nothing_is_loaded_from_elsewhere(page):
    text = page("reference").read_text("utf-8")
    assert text.count("* plotly.js v") == 1
    assert not re.search(r'<(script|link|img|iframe)\b[^>]*\b(src|href)="(?!data:|#)', text)
    assert "require.js" not in text.lower().replace("requirejs", "require.js")[:200_000]


def test_a_page_of_a_fleet_is_small_enough_to_mail(page):
    assert page("reference").stat().st_size < 8e6


@night("draws a thousand runs")
def test_a_page_of_a_thousand_runs_is_small_enough_to_mail(page):
    assert page("thousand").stat().st_size < 15e6


def test_names_with_html_are_text_on_the_page(page):
    text = page("html in names").read_text("utf-8")
    assert NASTY not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<img" not in text


def test_names_of_all_scripts_are_on_the_page(page):
    text = page("foreign names").read_text("utf-8")
    for name in ("узел-1", "عقدة", "磁盘", "größe", "北京"):
        assert name in text


def test_a_table_that_is_not_there_ends_the_render_and_says_how_to_make_it(render, tmp_path):
    done = render(tmp_path / "none.csv", tmp_path / "r.html")
    assert done.returncode != 0
    assert "make it with ./aggregate_results.py" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "r.html").exists()


def test_the_header_is_made_from_the_installed_plotly_and_kept_out_of_git(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q", "."], check=True)
    path = header.write()
    text = path.read_text("utf-8")
    assert "* plotly.js v" in text
    untracked = subprocess.run(["git", "status", "--short"], capture_output=True, text=True)
    assert untracked.stdout == ""
    # It goes through a fence of backticks in one renderer, and stands in script elements in both.
    assert not re.search(r"^\s*`{3}", text, re.MULTILINE)
    assert text.count("<script>") == text.count("</script>")


def test_a_header_that_is_as_it_should_be_is_not_written_again(tmp_path):
    path = header.write(tmp_path / "sub" / "header.html")
    os.utime(path, (1, 1))
    header.write(path)
    assert path.stat().st_mtime == 1
    path.write_text("old")
    header.write(path)
    assert "plotly.js" in path.read_text("utf-8")


def test_one_row_less_in_the_table_is_one_run_less_in_the_report(render, tmp_path):
    rows = [made.run(node=f"n{k}") for k in range(3)]
    for count in (3, 2):
        table = made.write(tmp_path / "t.csv", *rows[:count])
        done = render(table, tmp_path / "r.html")
        assert done.returncode == 0, done.stderr
        assert f"All {count} runs count." in cell_of(tmp_path / "r.html", "summary-stats")


def test_no_two_elements_of_the_page_have_the_same_id(page):
    text = page("mixed").read_text("utf-8")
    text = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    found = re.findall(r'\sid="([^"]+)"', text)
    assert len(found) == len(set(found))


def test_headings_and_cells_have_ids_of_their_own(source):
    headings = re.findall(r"^## .*", source.path.read_text("utf-8"), re.MULTILINE)
    for heading in headings:
        given = re.search(r"\{#([\w-]+)\}", heading)
        identity = given[1] if given else heading[3:].lower().replace(" ", "-")
        assert identity not in [cell.label for cell in source.cells]
