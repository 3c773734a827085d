"""The tables: every run with what it is worth, medians of what counts, all data as it is."""

import pytest

from hpc_disk_bench.report import emit, load, summary, tables, tables_rates, tidy
from hpc_disk_bench.report.charts import Missing, Table
from tests.support import report_tables as made
from tests.support.report_cases import NASTY, TABLES

ALL = {
    "scores": tables.score_table,
    "bandwidth": lambda runs: tables_rates.bandwidth_comparison(tidy.bandwidth(runs)),
    "iops": lambda runs: tables_rates.iops_summary(tidy.iops(runs)),
    "network": tables_rates.network_shares,
    "clusters": tables_rates.clusters,
    "top": tables_rates.top_performers,
    "key": tables_rates.key_statistics,
    "nodes": tables.nodes,
}


def shown(table, title):
    """What a column of a table shows, from top to bottom."""
    (column,) = (c for c in table.columns if c.title == title)
    return [str(v) for v in column.values] if column.show is None else column.show


def values(table, title):
    (column,) = (c for c in table.columns if c.title == title)
    return list(column.values)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("kind", ALL)
def test_a_table_has_rows_or_a_sentence_says_what_is_missing(kind, name, table):
    found = ALL[kind](load.table(table(name)))
    if found is None:
        assert kind == "network"  # its figure says it
    elif isinstance(found, Missing):
        assert len(found.sentence) > 30
    else:
        assert isinstance(found, Table)
        assert {len(column.values) for column in found.columns} == {found.rows}
        assert found.rows > 0
        assert len(found.caption) > 40
        assert emit.render(found).count("<tr") == found.rows + 1


def test_the_score_table_ranks_what_counts_and_says_why_the_rest_does_not():
    runs = made.runs(
        made.run(node="b", rate=1.0), made.run(node="a", rate=2.0), made.invalid(node="c", rate=9.0)
    )
    table = tables.score_table(runs)
    assert shown(table, "node") == ["a", "b", "c"]
    assert shown(table, "rank") == ["1", "2", ""]
    assert values(table, "valid") == ["valid", "valid", "invalid"]
    assert "ior-easy-write (12.5 s)" in shown(table, "remarks")[2]
    assert table.muted == [False, False, True]


def test_equal_scores_share_a_rank():
    table = tables.score_table(made.runs(made.run(node="a"), made.run(node="b")))
    assert shown(table, "rank") == ["1", "1"]


def test_repeats_are_counted_over_the_runs_that_count():
    rows = [made.run(rate=rate) for rate in (1.0, 2.0, 3.0)]
    table = tables.score_table(made.runs(*rows, made.invalid()))
    assert shown(table, "repeats, n") == ["3", "3", "3", "3"]
    assert " to " in shown(table, "their spread")[0]
    pair = tables.score_table(made.runs(*rows[:2], made.invalid()))
    assert shown(pair, "repeats, n") == ["2", "2", "2"]
    assert shown(pair, "their spread") == ["too few", "too few", "too few"]


def test_an_outlier_among_repeats_is_flagged():
    rates = (1.0, 1.02, 0.98, 1.01, 0.99, 3.0)
    table = tables.score_table(made.runs(*(made.run(rate=rate) for rate in rates)))
    remarks = shown(table, "remarks")
    assert remarks[0] == "outlier among its repeats"
    assert set(remarks[1:]) == {""}


def test_a_suspect_run_is_ranked_and_marked():
    table = tables.score_table(made.runs(made.run(warnings="declared ssd, but sda rotates.")))
    assert values(table, "valid") == ["suspect"]
    assert shown(table, "rank") == ["1"]
    assert shown(table, "remarks") == ["declared ssd, but sda rotates"]


def test_medians_in_the_comparison_leave_invalid_runs_out():
    valid = [made.run(ior_easy_write=rate) for rate in (1.0, 2.0, 3.0)]
    runs = made.runs(*valid, made.invalid(ior_easy_write=90.0))
    table = tables_rates.bandwidth_comparison(tidy.bandwidth(runs))
    assert values(table, "ior-easy-write") == [2.0]
    assert shown(table, "runs") == ["3"]
    assert values(table, "valid") == ["valid"]


def test_a_storage_without_a_valid_run_is_shown_and_marked():
    runs = made.runs(made.run("local/ssd"), made.invalid("nfs/hdd", rate=7.0))
    table = tables_rates.bandwidth_comparison(tidy.bandwidth(runs))
    assert values(table, "valid") == ["valid", "not valid"]
    assert table.muted == [False, True]


def test_the_verdict_on_the_network_follows_its_share():
    link = {"network_speed": "10Gbps"}  # 1.164 GiB/s
    rates = {"far": 0.2, "some": 0.7, "limit": 1.0, "cached": 2.0}
    rows = [made.run(f"nfs/{name}/hdd", rate=rate, **link) for name, rate in rates.items()]
    rows.append(made.invalid("nfs/bad/hdd", **link))
    table = tables_rates.network_shares(made.runs(*rows))
    storages = values(table, "storage")
    said = dict(zip(storages, shown(table, "what it says"), strict=True))
    assert said["nfs/far/hdd"] == "the storage or its server is the limit, not the link"
    assert said["nfs/some/hdd"] == "the link limits some of the work"
    assert said["nfs/limit/hdd"] == "the link is the limit"
    assert said["nfs/cached/hdd"] == "faster than the link: cached"
    assert said["nfs/bad/hdd"] == "no run counts: not judged"


def test_top_performers_are_the_best_medians_and_never_invalid():
    runs = made.runs(
        made.run(node="a", rate=2.0), made.run(node="b", rate=3.0), made.invalid(node="c", rate=9.0)
    )
    table = tables_rates.top_performers(runs)
    assert set(shown(table, "best")) == {"b · local/ssd"}
    assert set(shown(table, "runner-up")) == {"a · local/ssd"}
    assert all(lead == pytest.approx(1.5) for lead in values(table, "lead"))


def test_clusters_are_compared_by_what_counts():
    runs = made.runs(
        made.run(cluster_name="x", rate=1.0),
        made.run(cluster_name="y", rate=2.0),
        made.invalid(cluster_name="y", rate=9.0),
    )
    table = tables_rates.clusters(runs)
    assert shown(table, "runs") == ["1", "2"]
    assert shown(table, "that count") == ["1", "1"]
    assert values(table, "bandwidth, GiB/s") == [pytest.approx(1.0), pytest.approx(2.0)]


def test_key_statistics_leave_invalid_runs_out():
    runs = made.runs(made.run(rate=1.0), made.run(rate=3.0), made.invalid(rate=90.0))
    table = tables_rates.key_statistics(runs)
    place = shown(table, "measure").index("bandwidth score")
    assert values(table, "maximum")[place] == pytest.approx(3.0)
    assert values(table, "median")[place] == pytest.approx(2.0)
    assert shown(table, "runs")[place] == "2"


def test_the_raw_data_are_the_table_to_the_last_digit(table):
    raw = load.raw(table("mixed"))
    shown_table = tables.raw_data(raw)
    by_title = {column.title: list(column.values) for column in shown_table.columns}
    for name in raw.columns:
        given = list(raw[name])
        assert by_title.get(name, [""] * len(given)) == given


def test_a_column_of_numbers_sorts_as_numbers_and_one_of_names_does_not():
    table = tables.raw_data(made.raw(made.run(node="10"), made.run(node="n9")))
    numeric = {column.title: column.numeric for column in table.columns}
    assert numeric["score_total"]
    assert numeric["num_procs"]
    assert not numeric["node_name"]
    assert not numeric["timestamp"]


@pytest.mark.parametrize("rows", [5, 6])
def test_only_a_table_with_a_search_box_says_that_it_has_one(rows):
    table = tables.raw_data(made.raw(*(made.run() for _ in range(rows))))
    assert ("search box" in table.caption) == ('data-search="yes"' in emit.render(table))
    assert ("search box" in table.caption) == (rows > 5)


def test_the_engines_and_the_ranks_are_two_sentences():
    rows = [made.run(), made.run(num_procs="32")]
    said = tables.made_with(made.runs(*rows))
    assert "benchmarks: upstream io500-isc25. The runs used 16 and 32 ranks.</li>" in said
    assert "benchmarks: upstream io500-isc25</li>" in tables.made_with(made.runs(rows[0]))


def test_a_node_s_memory_is_in_the_unit_it_was_gathered_in(root):
    assert "memory, GiB" in [column.title for column in tables.nodes(made.runs(made.run())).columns]
    assert "| `memory_gb` | number | GiB |" in (root / "docs/columns.md").read_text("utf-8")


def test_each_node_is_listed_once_with_its_runs():
    runs = made.runs(made.run(node="a"), made.run(node="a", storage="nfs/hdd"), made.run(node="b"))
    table = tables.nodes(runs)
    assert shown(table, "node") == ["a", "b"]
    assert shown(table, "runs") == ["2", "1"]


@pytest.mark.parametrize("kind", ALL)
def test_names_with_html_are_text_in_every_table(kind, table):
    found = ALL[kind](load.table(table("html in names")))
    text = emit.render(found)
    assert "<script>alert" not in text
    assert "<img" not in text
    assert "```" not in text


def test_the_banner_counts_the_runs_and_names_the_reasons():
    runs = made.runs(
        made.run(),
        made.invalid(phase="ior-easy-write"),
        made.invalid(phase="ior-easy-write"),
        made.failed(evidence="ERROR rank 3: No space left on device (ENOSPC)"),
        made.run(warnings="test_dir is an nfs4 mount."),
    )
    banner = summary.banner(runs)
    assert "3 of 5 runs do not count" in banner
    assert "2 invalid, 1 failed" in banner
    reason = "Runtime is smaller than expected minimum runtime: ior-easy-write (2 runs)"
    assert reason in banner
    assert "No space left on device (ENOSPC) (1 run)" in banner
    assert "1 run that counts is suspect" in banner
    assert "test_dir is an nfs4 mount (1 run)" in banner


def test_the_banner_says_so_when_all_runs_count():
    banner = summary.banner(made.runs(made.run(), made.run()))
    assert "All 2 runs count." in banner
    assert "hdb-allgood" in banner


def test_the_banner_says_so_when_no_run_counts(table):
    banner = summary.banner(load.table(table("demo")))
    assert "None of the 2 runs counts" in banner
    assert "hdb-allbad" in banner


def test_the_banner_escapes_what_comes_from_files():
    banner = summary.banner(made.runs(made.failed(evidence=NASTY), made.run(warnings=NASTY)))
    assert "<script>" not in banner
    assert "&lt;script&gt;" in banner


def test_the_extent_of_the_table_is_told(table):
    tiles = summary.tiles(load.table(table("reference")))
    for fact in (">53<", ">14<", ">8<", "15 / 38", "2025-10-28 to 2025-10-30", "io500-isc25"):
        assert fact in tiles
