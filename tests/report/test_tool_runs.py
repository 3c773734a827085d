"""What the report shows of single tools, of tables that the project's own commands made."""

import subprocess
import sys

import pytest

from hpc_disk_bench.report import load, tidy, tool_runs
from hpc_disk_bench.report.charts import Missing
from hpc_disk_bench.report.emit import render
from tests.support import trees


@pytest.fixture(scope="module")
def made(root, tmp_path_factory):
    """(runs, tools): of a tree with two runs of IO500 and outputs on two storages, one partial."""
    place = tmp_path_factory.mktemp("tools")
    node = trees.FLEET["chrom1"]
    trees.write_tree(place / "tree", [trees.Run(node, "nfs", "nfs7", "hdd")])
    outputs = root / "tests/fixtures/tools"
    text = (outputs / "ior.txt").read_text()
    (place / "cut.txt").write_text(text[: text.index("\nSummary")].replace(" -C\n", " -C '<b>'\n"))

    def command(name, *arguments):
        environ = {"IO500_RESULTS_DIR": str(place / "tree")}
        start = [sys.executable, root / name, *arguments]
        subprocess.run(start, cwd=place, env=environ, check=True, capture_output=True)

    names = ("ior.txt", "mdtest.txt", "stream.txt", "pfind.txt")
    files = [outputs / name for name in names]
    command("parse_summary.py", *files, "--into", "wildwood", "chrom1", "nfs", "hdd", "nfs7")
    command("parse_summary.py", "cut.txt", "--into", "wildwood", "chrom9", "lustre", "ssd")
    command("aggregate_results.py", place / "tree", place / "aggregated_results.csv")
    runs = load.table(place / "aggregated_results.csv")
    return runs, tool_runs.load(runs)


def traces(chart, meta):
    return [trace for trace in chart.figure.data if trace.meta == meta]


def test_each_operation_is_a_panel_and_each_iteration_a_dot(made):
    _, tools = made
    chart = tool_runs.figures(tools, "bandwidth")
    titles = [note.text for note in chart.figure.layout.annotations]
    for panel in ("ior write", "ior read", "stream write", "stream read"):
        assert any(panel in title for title in titles)
    # Five of the whole run, five of the one that ended early.
    assert [len(trace.x) for trace in traces(chart, "iterations")] == [10, 10, 1, 1]
    assert [len(trace.x) for trace in traces(chart, "means")] == [2, 2, 1, 1]


def test_a_storage_looks_as_it_does_among_the_runs(made):
    runs, tools = made
    known = tools[tools["storage"] == "nfs/nfs7/hdd"]
    assert set(known["colour"]) == {runs["colour"].iloc[0]}
    assert set(known["marker"]) == {runs["marker"].iloc[0]}


def test_what_ended_early_is_hollow_and_muted_and_best_of_nothing(made):
    _, tools = made
    chart = tool_runs.figures(tools, "bandwidth")
    symbols = traces(chart, "iterations")[0].marker.symbol
    assert sum(symbol.endswith("-open") for symbol in symbols) == 5
    assert "does not count" in chart.caption
    assert "lustre/ssd" not in chart.alt
    listing = tool_runs.listing(tools)
    assert sum(listing.muted) == 2
    assert listing.rows == len(tools)


def test_rates_have_a_figure_of_their_own_and_times_and_sums_only_the_table(made):
    _, tools = made
    chart = tool_runs.figures(tools, "rate")
    assert "kIOPS" in chart.title
    panels = [note.text for note in chart.figure.layout.annotations]
    assert any("mdtest File creation" in text for text in panels)
    assert any("pfind find" in text for text in panels)
    metrics = next(one for one in tool_runs.listing(tools).columns if one.title == "metric")
    assert {"naive sum", "time"} <= set(metrics.values)


def test_text_of_an_output_is_text_in_the_page(made):
    _, tools = made
    page = render(tool_runs.listing(tools))
    assert "&lt;b&gt;" in page
    assert "<b>" not in page


def test_without_outputs_one_sentence_says_how_to_get_them(tmp_path):
    runs = load.prepare(load.raw(_table(tmp_path)))
    runs.attrs["source"] = str(tmp_path / "table.csv")
    tools = tool_runs.load(runs)
    shown = [tool_runs.figures(tools, metric) for metric in ("bandwidth", "rate")]
    shown.append(tool_runs.listing(tools))
    assert isinstance(shown[0], Missing)
    assert "--into CLUSTER NODE STORAGE DEVICE" in shown[0].sentence
    assert shown[1:] == [None, None]


def _table(directory):
    path = directory / "table.csv"
    path.write_text("cluster_name,node_name\nwildwood,chrom1\n")
    return path


def test_latencies_of_the_engine_are_at_hand_by_phase(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(
        "node_name,find_value,find_latency_p50,find_latency_p99,ior_easy_read_value\n"
        "n1,3.0,1e-05,0.002,1.0\n"
    )
    (row,) = tidy.latencies(load.table(path)).to_dict("records")
    assert (row["phase"], row["p50"], row["p99"]) == ("find", 1e-05, 0.002)
