"""The course of a run's phases on the page: chosen, drawn and said, in a real browser."""

import re
import subprocess

import pytest

from tests.support import records
from tests.support import report_tables as made
from tests.support.report_page import numbers

HTML = "<img src=x onerror=alert(1)>"
DRAWN = "#plot-inside-series .main-svg"


@pytest.fixture(scope="module")
def page(render, root, engine, mpirun, mpi_environ, tmp_path_factory):
    """page(name): the report on 3 runs of one node and storage, an invalid one, one of the engine,
    one with HTML in all its names, and one of an engine that keeps no record."""
    place = tmp_path_factory.mktemp("inside")
    rows = [made.run("nfs/nfs7/hdd", "neo", rate=0.1) for _ in range(3)]
    rows += [made.invalid("local/ssd", "neo"), made.run("local/ssd", "real"),
             made.run("nfs/hdd", HTML), made.run("local/ssd", "bare")]  # fmt: skip
    for k, row in enumerate(rows[:-1]):
        directory = place / row["run_dir"]
        directory.mkdir(parents=True)
        (directory / "run_metadata.json").write_text("{}")
        if row["node_name"] == "real":
            run_engine([mpirun, "-np", "2", engine], mpi_environ, root, directory)
        elif row["node_name"] == HTML:
            phases = ("ior-easy-write", "mdtest-easy-write", f"mdtest-{HTML}")
            records.write(directory, phases=phases, hosts=(HTML,))
        else:
            hosts = ("chrom1", "chrom2") if k == 2 else ("neo",)
            records.write(directory, hosts=hosts, seed=k, seconds=400 if k == 1 else 60)
            if k == 3:  # as of an older engine
                (directory / "histogram.csv").unlink()
    output = place / "report.html"
    done = render(made.write(place / "table.csv", *rows), output)
    assert done.returncode == 0, done.stderr
    return lambda _: output


def run_engine(command, environ, root, directory):
    text = (root / "tests/support/config-tiny.ini").read_text()
    data, ini = directory / "data", directory / "config.ini"
    ini.write_text(text.replace("$TEST_DIR", str(data)).replace("$OUTPUT_DIR", str(directory)))
    data.mkdir()
    subprocess.run([*command, ini], env=environ, check=True, capture_output=True, timeout=300)


def opened(visit, **more):
    """The section of a new visit, opened by scrolling to it."""
    tab = visit("inside", drawn=False, **more)
    tab.locator("#hdb-inside").scroll_into_view_if_needed()
    tab.wait_for_selector(DRAWN)
    return tab.locator("#table-inside")


@pytest.fixture(scope="module")
def section(visit_once):
    """The section that most tests look at together; each chooses what it looks at."""
    return opened(visit_once)


def choose(section, run, phase="all, one after the other"):
    """Choose the first run whose name has `run` in it, and a phase."""
    offered = section.get_by_label("Run", exact=True).locator("option").all_inner_texts()
    name = next(name for name in offered if run in name)
    section.get_by_label("Run", exact=True).select_option(label=name)
    section.get_by_label("Phase", exact=True).select_option(label=phase)


def traces(section):
    """What each trace of the figure is, and how many points it has."""
    return section.page.evaluate(
        """() => document.getElementById("plot-inside-series").data
             .map((trace) => [trace.meta, trace.x.filter((x) => x !== null).length])"""
    )


def panels(section):
    titles = section.locator("#plot-inside-series .annotation-text").all_text_contents()
    return [title.split(" (")[0] for title in titles if " (" in title]


def test_nothing_is_drawn_before_a_reader_comes_near(visit):
    tab = visit("inside")
    assert tab.locator(DRAWN).count() == 0
    assert tab.locator("#hdb-inside select").count() == 0


def test_runs_with_a_record_are_offered_the_newest_first_and_invalid_ones_say_so(section):
    names = section.get_by_label("Run", exact=True).locator("option").all_inner_texts()
    times = [re.search(r"\d\d:\d\d:\d\d", name)[0] for name in names]
    assert len(names) == 6
    assert times == sorted(times, reverse=True)
    assert [name for name in names if name.endswith("invalid")] == [names[2]]
    choose(section, "invalid")
    assert section.locator(".hdb-badge").inner_text() == "✗ invalid"
    assert "ior-easy-write" in section.locator(".hdb-badge").locator("..").inner_text()


def test_a_chosen_run_is_drawn_phase_by_phase_with_what_its_node_did(section):
    choose(section, "neo · nfs/nfs7/hdd")
    assert panels(section) == [
        "Bandwidth", "Operations", "Latency", "CPU", "Memory still to be written",
        "Traffic of the block device",
    ]  # fmt: skip
    names = section.locator("#plot-inside-series .annotation-text").all_text_contents()
    assert {"ior-easy-write", "mdtest-hard-delete"} <= set(names)
    found = dict(traces(section))
    assert found["rate"] == 8 * 60
    assert 300 < found["busy"] <= 600


def test_the_pointer_tells_all_panels_of_a_second(section):
    choose(section, "neo · nfs/nfs7/hdd", "ior-easy-write")
    plot = section.locator("#plot-inside-series .nsewdrag").first
    plot.scroll_into_view_if_needed()
    plot.hover()
    said = section.locator("#plot-inside-series .hoverlayer")
    for words in (
        "ior-easy-write, ",
        "half within",
        "chrom2: CPUs 50.0 % busy",
        "written 400 MiB/s",
    ):
        said.get_by_text(words).first.wait_for(state="attached")


def test_findings_are_marked_and_said_with_phase_second_and_confidence(section):
    choose(section, "neo · nfs/nfs7/hdd")
    said = section.locator(".hdb-findings li").all_inner_texts()
    assert len(said) == 2
    assert re.match(r"ior-easy-write, (39|40|41) s: cache-fill after", said[0])
    assert "(confidence high)" in said[0]
    assert said[1].startswith("mdtest-easy-write: straggler")
    assert "rank 2 on chrom1" in said[1]
    marks = section.locator("#plot-inside-series .annotation-text", has_text=re.compile(r"^\d$"))
    assert sorted(marks.all_text_contents()) == ["1", "2"]
    label = section.locator("#plot-inside-series").get_attribute("aria-label")
    assert "ior-easy-write: cache-fill" in label
    assert "mdtest-easy-write: straggler" in label


def test_one_phase_fills_the_axis_and_its_tables(section):
    choose(section, "neo · nfs/nfs7/hdd", "mdtest-easy-write")
    assert "Bandwidth" not in panels(section)
    assert dict(traces(section))["rate"] == 60
    assert len(section.locator(".hdb-findings li").all()) == 1
    for name in ("inside-phases", "inside-latencies"):
        rows = section.locator(f'table[data-name="{name}"] tbody tr').all_inner_texts()
        assert len(rows) == 1
        assert rows[0].startswith("mdtest-easy-write")


def test_percentiles_of_each_operation_are_a_table_in_milliseconds(section):
    choose(section, "neo · nfs/nfs7/hdd")
    rows = section.locator('table[data-name="inside-latencies"] tbody tr').all()
    assert len(rows) == 12
    cells = rows[0].locator("td").all_inner_texts()
    assert cells[:2] == ["ior-easy-write", "write"]
    assert numbers(cells[2:]) == [60_000, 1, 2, 4, 8, 16]


def histograms(section):
    """The title of each panel, the names above it, and how many operations a second it shows."""
    return section.page.evaluate(
        """() => {
             const { layout, data } = document.getElementById("plot-inside-histograms");
             const notes = (name) => layout.annotations.filter((note) => note.name === name);
             return notes("panel").map((panel) => {
               const [axis] = panel.xref.split(" ");
               const trace = data.find((one) => one.meta === "histogram" && one.xaxis === axis);
               const shown = trace.y.filter((_, k) => trace.customdata[k].match(/: [^0]/));
               return [panel.text, notes("mark").filter((one) => one.xref === panel.xref)
                 .map((one) => one.text).join(" "), shown.reduce((sum, y) => sum + y, 0)];
             });
           }"""
    )


def test_each_operation_has_a_histogram_with_its_percentiles_marked(section):
    choose(section, "neo · nfs/nfs7/hdd")
    panels_ = histograms(section)
    assert len(panels_) == 12
    assert re.match(r"ior-easy-write · write, 60.000 operations", panels_[0][0])
    assert panels_[0][1:] == ["p50 p95 p99 p99.9 max", pytest.approx(1000, rel=0.01)]
    choose(section, "neo · nfs/nfs7/hdd", "mdtest-easy-write")
    (panel,) = histograms(section)
    assert panel[0].startswith("mdtest-easy-write · create")
    assert panel[2] == pytest.approx(20_000, rel=0.01)
    label = section.locator("#plot-inside-histograms").get_attribute("aria-label")
    assert "mdtest-easy-write create: half within 1.00 ms" in label


def test_the_pointer_tells_how_many_operations_a_class_has(section):
    choose(section, "neo · nfs/nfs7/hdd", "ior-easy-write")
    place = section.locator("#plot-inside-histograms .nsewdrag").first
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    said = section.locator("#plot-inside-histograms .hoverlayer")
    # The class of 1 ms is the second of the axis, which begins with an empty one.
    at = section.page.evaluate(
        """() => document.getElementById("plot-inside-histograms")._fullLayout.xaxis.d2p(1)"""
    )
    section.page.mouse.move(box["x"] + at, box["y"] + 20)
    said.get_by_text("30 000 operations (50.0 %)".replace(" 000", "\u2009000")).wait_for(
        state="attached"
    )


def test_a_run_without_histograms_shows_its_percentiles_alone(section):
    choose(section, "invalid")
    assert section.locator("#figure-inside-histograms").count() == 0
    assert section.locator('table[data-name="inside-latencies"] tbody tr').count() == 12


def test_other_runs_of_the_node_and_storage_are_laid_over_on_choice(section):
    choose(section, "neo · nfs/nfs7/hdd", "ior-easy-write")
    before = traces(section)
    section.get_by_label("2 other runs").check()
    after = traces(section)
    assert [meta for meta, _ in after].count("other run") == 2
    assert sorted(size for meta, size in after if meta == "other run") == [60, 200]
    assert [one for one in after if one[0] != "other run"] == before
    kinds = section.page.evaluate(
        """() => document.getElementById("plot-inside-histograms").data.map((one) => one.meta)"""
    )
    assert kinds == ["area", "other run", "other run", "histogram"]
    section.get_by_label("2 other runs").uncheck()
    choose(section, "invalid")
    assert section.get_by_label("there is none").is_disabled()


def test_ranks_show_how_long_each_waited(section):
    choose(section, "neo · nfs/nfs7/hdd")
    section.get_by_text("The numbers of this figure").click()
    table = section.locator("#figure-inside-ranks tbody tr")
    table.first.wait_for()
    rows = table.all_text_contents()
    late, early = (
        next(row for row in rows if f"mdtest-easy-write, rank {rank}" in row) for rank in (2, 3)
    )
    assert "waited 0 s" in late
    assert "waited 24.0 s (40.0 %)" in early


def test_a_run_of_the_engine_itself_has_all_its_phases(section):
    choose(section, "real")
    rows = section.locator('table[data-name="inside-phases"] tbody tr').all()
    assert len(rows) >= 12
    assert panels(section)[:3] == ["Bandwidth", "Operations", "Latency"]
    assert section.locator("#figure-inside-ranks svg.main-svg").count() > 0
    with_latency = section.locator('table[data-name="inside-latencies"] tbody tr').count()
    assert len(histograms(section)) == with_latency >= 12


def test_an_axis_says_each_number_once_and_in_full(section):
    choose(section, "real")
    said = section.page.evaluate(
        """() => ["x", "y", "y2", "y3"].map((axis) => [...document.querySelectorAll(
             `#plot-inside-series .${axis}tick text`)].map((tick) => tick.textContent))"""
    )
    for ticks in said:
        values = numbers(ticks)
        assert len(values) >= 2
        assert values == sorted(set(values))


def test_names_with_html_are_text_in_the_section(section):
    choose(section, HTML)
    assert section.locator("img").count() == 0
    assert HTML in section.locator(".hdb-findings").inner_text()
    assert HTML in section.locator('table[data-name="inside-phases"]').inner_text()


def test_the_filter_of_the_page_takes_runs_from_the_choice(visit):
    section = opened(visit)
    choose(section, "neo · nfs/nfs7/hdd")
    section.page.evaluate("window.location.hash = '#?type=local'")
    options = section.get_by_label("Run", exact=True).locator("option")
    section.page.wait_for_function("document.querySelectorAll('.hdb-wide option').length === 2")
    assert all("local/ssd" in name for name in options.all_inner_texts())
    assert section.locator("#figure-inside-series .hdb-title").inner_text().startswith("real")
    section.page.evaluate("window.location.hash = '#?node=bare'")
    section.get_by_text("None of the runs that are shown has a record").wait_for()
    assert section.locator("svg").count() == 0


def test_the_choice_is_reached_and_changed_by_keyboard(visit):
    section = opened(visit)
    select = section.get_by_label("Run", exact=True)
    first = section.locator("#figure-inside-series .hdb-title").inner_text()
    select.focus()
    section.page.keyboard.press("ArrowDown")
    section.page.wait_for_function(
        "(old) => document.querySelector('#figure-inside-series .hdb-title').textContent !== old",
        arg=first,
    )
    section.page.keyboard.press("Tab")
    assert section.page.evaluate("document.activeElement.getAttribute('aria-label')") == "Phase"


def test_the_section_is_dark_where_the_system_is_and_light_on_paper(visit):
    section = opened(visit, scheme="dark")
    colour = (
        """() => getComputedStyle(document.querySelector("#plot-inside-series .xtick text")).fill"""
    )
    assert section.page.evaluate(colour) == "rgb(154, 166, 180)"
    section.page.emulate_media(media="print")
    section.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert section.page.evaluate(colour) == "rgb(91, 102, 115)"


def test_a_section_that_was_never_opened_is_printed(visit):
    tab = visit("inside")
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    tab.wait_for_selector(DRAWN)
    assert tab.locator("#plot-inside-series").bounding_box()["width"] <= 1280


def test_a_phone_shows_the_section_without_scrolling_sideways(visit):
    section = opened(visit, width=390, height=844)
    assert section.page.evaluate("document.documentElement.scrollWidth") <= 390
    right = section.page.evaluate(
        """() => Math.max(...[...document.querySelectorAll("#table-inside :is(figure, select)")]
             .map((part) => part.getBoundingClientRect().right))"""
    )
    assert right <= 390
