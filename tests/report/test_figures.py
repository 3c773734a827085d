"""Every figure of the report on every kind of table: drawn or a sentence, honest and escaped."""

import json
import math

import pytest

from hpc_disk_bench.report import (
    emit,
    failures,
    figures_devices,
    figures_network,
    figures_nodes,
    figures_parts,
    figures_published,
    figures_rates,
    figures_score,
    figures_time,
    figures_writes,
    history,
    tidy,
)
from hpc_disk_bench.report.charts import Chart, Missing
from tests.support import report_tables as made
from tests.support.report_cases import TABLES

FIGURES = {
    "ranking": figures_score.ranking,
    "halves": figures_score.halves,
    "bandwidth": lambda runs: figures_rates.bandwidth_by_storage(tidy.bandwidth(runs)),
    "difficulty": lambda runs: figures_rates.bandwidth_by_difficulty(tidy.bandwidth(runs)),
    "iops": lambda runs: figures_rates.iops_by_operation(tidy.iops(runs)),
    "network": figures_network.network_speed_impact,
    "volumes": figures_network.volume_comparison,
    "local": figures_network.local_and_networked,
    "heatmap": figures_nodes.heatmap,
    "devices": figures_devices.device_comparison,
    "times": lambda runs: figures_time.phase_times(tidy.phases(runs)),
    "parts": figures_parts.score_parts,
    "published": figures_published.among_published,
    "history": lambda runs: history.figure(runs, history.changes(runs)),
    "failures": failures.by_code,
    "writes": figures_writes.endings,
}


def points(chart, kind="runs"):
    """The points of a chart's traces of one kind: [(x, y, symbol, id)]."""
    found = []
    for trace in chart.figure.data:
        if trace.meta == kind:
            count = len(trace.x or ())
            symbols = trace.marker.symbol
            each = symbols if isinstance(symbols, (tuple, list)) else [symbols] * count
            found += zip(trace.x, trace.y, each, trace.ids or [None] * count, strict=True)
    return found


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_is_drawn_with_words_or_a_sentence_says_what_is_missing(figure, name, runs_of):
    made_of_it = FIGURES[figure](runs_of(name))
    if isinstance(made_of_it, Missing):
        assert len(made_of_it.sentence) > 30
        return
    assert isinstance(made_of_it, Chart)
    assert len(made_of_it.caption) > 60
    assert len(made_of_it.alt) > 40
    spec = json.loads(emit.chart(made_of_it).split('data-for="')[1].split(">", 1)[1].split("</")[0])
    drawn = [t for t in spec["data"] if t.get("x") or t.get("z")]
    assert drawn
    assert 80 < spec["height"] < 3000


@pytest.mark.parametrize("figure", FIGURES)
def test_no_runs_is_a_sentence_that_says_how_to_make_one(figure, runs_of):
    sentence = FIGURES[figure](runs_of("no runs")).sentence
    assert "./io500_wrapper.sh" in sentence


@pytest.mark.parametrize("name", ["reference", "mixed"])
@pytest.mark.parametrize("figure", sorted(FIGURES))
def test_every_title_names_the_unit(figure, name, runs_of):
    title = FIGURES[figure](runs_of(name)).title
    units = (
        "GiB/s",
        "kIOPS",
        "%",
        "seconds",
        "SSD / HDD",
        "score",
        "factor",
        "percentile",
        "number of",
    )
    assert any(unit in title for unit in units)


@pytest.mark.parametrize("figure", ["ranking", "bandwidth", "iops", "times"])
def test_runs_that_do_not_count_are_hollow_and_the_others_filled(figure):
    runs = made.runs(made.run(rate=1.0), made.invalid(rate=2.0), made.run(rate=1.1))
    chart = FIGURES[figure](runs)
    for _, _, symbol, identity in points(chart):
        run = int(identity.split("/")[0])
        assert symbol.endswith("-open") == (not runs["counts"][run])
    assert "Hollow dots" in chart.caption


@pytest.mark.parametrize("figure", ["ranking", "halves", "bandwidth", "times", "history"])
def test_suspect_runs_have_a_hole_and_say_so(figure):
    doubt = {"warnings": "declared ssd, but sda rotates."}
    runs = made.runs(made.run(), made.run(rate=1.1, **doubt), made.invalid(rate=2.0, **doubt))
    chart = FIGURES[figure](runs)
    kinds = {0: "", 1: "-dot", 2: "-open"}
    for _, _, symbol, identity in points(chart):
        assert symbol == "circle" + kinds[int(identity.split("/")[0])]
    assert "Dots with a hole are suspect" in chart.caption
    said = str([trace.customdata for trace in chart.figure.data if trace.meta == "runs"])
    assert "suspect: declared ssd, but sda rotates" in said
    assert "hole" not in FIGURES[figure](made.runs(made.run(), made.invalid(**doubt))).caption


@pytest.mark.parametrize("figure", ["ranking", "bandwidth", "iops"])
def test_an_invalid_run_does_not_move_a_median(figure):
    valid = [made.run(rate=rate) for rate in (1.0, 1.1, 1.2)]
    alone = points(FIGURES[figure](made.runs(*valid)), "medians")
    beside = points(FIGURES[figure](made.runs(*valid, made.invalid(rate=50.0))), "medians")
    assert [x for x, *_ in alone] == [x for x, *_ in beside]


def test_an_invalid_run_is_below_the_ranked_ones_without_a_rank():
    runs = made.runs(made.run(node="slow"), made.invalid(node="fast", rate=9.0))
    chart = figures_score.ranking(runs)
    labels = chart.figure.layout.yaxis.ticktext  # from bottom to top
    assert list(labels) == ["fast · local/ssd", "1 · slow · local/ssd"]
    assert "invalid: not ranked" in [note.text for note in chart.figure.layout.annotations]


def test_where_no_run_counts_the_figures_show_them_all_and_say_so(runs_of):
    runs = runs_of("demo")
    assert not runs["counts"].any()
    for figure in ("ranking", "bandwidth", "iops", "local"):
        chart = FIGURES[figure](runs)
        assert points(chart)
        assert all(symbol.endswith("-open") for _, _, symbol, _ in points(chart))
        notes = [note.text for note in chart.figure.layout.annotations]
        assert "invalid: not ranked" in notes
        assert not points(chart, "medians")


def test_fewer_than_three_repeats_have_dots_and_a_median_without_interval():
    chart = figures_score.ranking(made.runs(made.run(rate=1.0), made.run(rate=2.0)))
    (medians,) = (trace for trace in chart.figure.data if trace.meta == "medians")
    assert "too few for an interval" in medians.customdata[0]
    assert list(medians.error_x.array) == [0]
    assert len(points(chart)) == 2


def test_three_repeats_have_an_interval():
    chart = figures_score.ranking(made.runs(*(made.run(rate=r) for r in (1.0, 1.5, 2.0))))
    (medians,) = (trace for trace in chart.figure.data if trace.meta == "medians")
    assert "95 %" in medians.customdata[0]
    assert medians.error_x.array[0] > 0


def test_every_run_is_a_point_of_its_own_even_where_phases_share_a_trace(runs_of):
    runs = runs_of("mixed")
    chart = FIGURES["times"](runs)
    identities = [identity for *_, identity in points(chart)]
    assert len(identities) == len(set(identities))
    assert len({identity.split("/")[1] for identity in identities}) == 12


def test_a_storage_has_the_same_colour_and_marker_in_all_figures(runs_of):
    runs = runs_of("reference")
    seen = {}
    for figure in ("ranking", "bandwidth", "iops", "network", "volumes", "local", "times"):
        for trace in FIGURES[figure](runs).figure.data:
            if trace.meta == "runs":
                looks = zip(trace.marker.color, trace.marker.symbol, strict=True)
                for identity, look in zip(trace.ids, looks, strict=True):
                    storage = runs["storage"][int(identity.split("/")[0])]
                    seen.setdefault(storage, set()).add(look)
    assert len(seen) == runs["storage"].nunique()
    assert all(len(looks) == 1 for looks in seen.values())
    assert len({next(iter(looks)) for looks in seen.values()}) == len(seen)


def test_panels_of_one_unit_share_their_axis(runs_of):
    layout = FIGURES["iops"](runs_of("reference")).figure.layout
    ranges = {tuple(layout[f"xaxis{k or ''}"].range) for k in (None, *range(2, 9))}
    assert len(ranges) == 1


def test_values_that_span_decades_are_on_a_logarithmic_axis(runs_of):
    assert FIGURES["iops"](runs_of("reference")).figure.layout.xaxis.type == "log"


def test_the_share_of_the_line_rate_is_bandwidth_over_the_link():
    row = made.run("nfs/hdd", rate=0.5820766, network_speed="10Gbps")  # half of 1.164 GiB/s
    chart = figures_network.network_speed_impact(made.runs(row))
    assert {round(x, 2) for x, *_ in points(chart)} == {50.0}


def test_local_storage_is_not_held_against_the_network():
    runs = made.runs(made.run("local/ssd"), made.run("nfs/hdd"))
    chart = figures_network.network_speed_impact(runs)
    assert {identity.split("/")[0] for *_, identity in points(chart)} == {"1"}


def test_an_unknown_link_speed_is_a_sentence_that_says_where_to_get_it():
    chart = figures_network.network_speed_impact(made.runs(made.run("nfs/hdd", network_speed="")))
    assert "gather_node_metadata.sh" in chart.sentence


def test_the_line_rate_is_drawn_and_what_is_beyond_it_shaded():
    runs = made.runs(made.run("nfs/hdd", ior_easy_read=3.0))
    shapes = figures_network.network_speed_impact(runs).figure.layout.shapes
    assert {(shape.type, shape.x0) for shape in shapes} == {("line", 100), ("rect", 100)}


def test_the_factor_of_ssd_over_hdd_is_that_of_the_medians():
    hdd = [made.run("local/hdd", rate=rate) for rate in (1.0, 1.1, 0.9)]
    ssd = [made.run("local/ssd", rate=rate) for rate in (5.0, 5.5, 4.5)]
    factors = figures_devices.device_factors(made.runs(*hdd, *ssd))
    assert len(factors) == 12
    assert all(factor.ratio.median == pytest.approx(5.0) for factor in factors)
    assert all(factor.reach == "local" for factor in factors)


def test_local_ssds_are_not_compared_with_networked_hdds():
    chart = figures_devices.device_comparison(made.runs(made.run("local/ssd"), made.run("nfs/hdd")))
    assert isinstance(chart, Missing)
    assert "not both local or both networked" in chart.sentence


def test_an_invalid_ssd_run_gives_no_factor():
    chart = figures_devices.device_comparison(
        made.runs(made.run("local/hdd"), made.invalid("local/ssd"))
    )
    assert isinstance(chart, Missing)


def test_the_range_from_hard_to_easy_is_drawn_with_its_factor():
    run = made.run(ior_easy_write=4.0, ior_hard_write=1.0, ior_easy_read=3.0, ior_hard_read=2.0)
    chart = figures_rates.bandwidth_by_difficulty(made.runs(run).pipe(tidy.bandwidth))
    ranges = [tuple(trace.x) for trace in chart.figure.data if trace.meta == "range"]
    assert ranges == [(1.0, 4.0), (2.0, 3.0)]
    notes = [note.text for note in chart.figure.layout.annotations]
    assert {"\N{MULTIPLICATION SIGN}4.0", "\N{MULTIPLICATION SIGN}1.5"} <= set(notes)


def test_the_ends_of_a_range_are_told_apart_also_where_hard_is_faster():
    run = made.run(ior_easy_write=4.0, ior_hard_write=1.0, ior_easy_read=2.0, ior_hard_read=3.0)
    chart = figures_rates.bandwidth_by_difficulty(made.runs(run).pipe(tidy.bandwidth))
    ends = [(x, symbol) for x, _, symbol, _ in points(chart, "range")]
    hard, easy = "line-ns-open", "circle"
    assert ends == [(1.0, hard), (4.0, easy), (3.0, hard), (2.0, easy)]
    assert "(upright stroke)" in chart.caption
    assert "left" not in chart.caption


def test_the_stonewall_is_drawn_in_the_rows_of_the_write_phases():
    chart = FIGURES["times"](made.runs(made.run()))
    lines = chart.figure.layout.shapes
    names = list(chart.figure.layout.yaxis.ticktext)
    rows = {names[round((line.y0 + line.y1) / 2)] for line in lines}
    writes = {"ior-easy-write", "ior-hard-write", "mdtest-easy-write", "mdtest-hard-write"}
    assert rows == {f"<b>{name}</b>" for name in writes}
    assert {line.x0 for line in lines} == {300}


def test_the_heatmap_has_a_number_where_it_was_measured_and_a_hatch_where_none_counts():
    runs = made.runs(
        made.run("local/ssd", "n1"), made.invalid("nfs/hdd", "n1"), made.run("nfs/hdd", "n2")
    )
    chart = figures_nodes.heatmap(runs)
    heat, hatched = chart.figure.data
    assert [[value is None for value in row] for row in heat.z] == [[False, True], [True, False]]
    assert len(hatched.x) == 1
    assert "not ranked" in hatched.text[0]


def test_the_axis_of_failures_counts_in_whole_runs():
    axis = failures.by_code(made.runs(made.failed(), made.failed())).figure.layout.xaxis
    assert (axis.tick0, axis.dtick) == (0, 1)
    assert axis.range[1] > 2


def test_runs_of_several_engines_are_not_compared_without_saying_so():
    one = made.runs(made.run(), made.run())
    two = made.runs(made.run(), made.run(engine="embedded", engine_version="0.1.0"))
    for figure in ("ranking", "halves", "bandwidth", "iops", "local", "heatmap"):
        assert "engine versions" not in FIGURES[figure](one).caption
        assert "2 engine versions" in FIGURES[figure](two).caption


def test_more_targets_than_a_page_holds_are_cut_and_the_caption_says_so(runs_of):
    chart = FIGURES["ranking"](runs_of("mixed"))
    assert len(chart.figure.layout.yaxis.ticktext) == 40
    # The others wait below the axis for a reader who filters.
    assert min(y for _, y, *_ in points(chart)) < -0.6
    assert "Shown are 40 of" in chart.caption


def test_equal_scores_lie_on_the_lines_of_equal_score(runs_of):
    chart = FIGURES["halves"](runs_of("reference"))
    (lines,) = (trace for trace in chart.figure.data if trace.meta == "equal scores")
    pairs = zip(lines.x, lines.y, lines.text, strict=True)
    starts = [(x, y, float(t.removeprefix("score "))) for x, y, t in pairs if t]
    assert starts
    for x, y, score in starts:
        assert math.sqrt(x * y) == pytest.approx(score)


@pytest.mark.parametrize("figure", FIGURES)
def test_names_with_html_are_text_in_every_figure(figure, runs_of):
    chart = FIGURES[figure](runs_of("html in names"))
    text = emit.render(chart)
    assert "<script>alert" not in text
    assert "<img" not in text
    if isinstance(chart, Chart):
        shown = json.dumps([trace.to_plotly_json() for trace in chart.figure.data], default=list)
        shown += json.dumps(chart.figure.layout.to_plotly_json(), default=list)
        assert "<script" not in shown
        assert "<img" not in shown
