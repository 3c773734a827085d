"""The table is read as it is, whatever it lacks; a table that cannot be read is one clear line."""

import pytest

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.phases import SCORED
from hpc_disk_bench.report import load
from tests.support import report_tables as made


def test_names_that_look_like_numbers_or_gaps_stay_names(tmp_path):
    path = made.write(tmp_path / "t.csv", made.run("nfs/007/hdd", "NA"), made.run(node="1e3"))
    runs = load.table(path)
    assert list(runs["node"]) == ["NA", "1e3"]
    assert runs["storage"][0] == "nfs/007/hdd"


def test_the_table_is_taken_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("IO500_TABLE", str(made.write(tmp_path / "other.csv", made.run(node="n9"))))
    assert list(load.table()["node"]) == ["n9"]


def test_a_missing_table_says_how_to_make_it(tmp_path):
    with pytest.raises(UserError, match=r"no such table; make it with \./aggregate_results\.py"):
        load.table(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"a,b\n1,2,3,4\n5,6,7,8,9\n", "not a table"),
        (b"a,b\n\xff\xfe,1\n", "not a table"),
        (b"a,b\n1,2\n", r"not a table of aggregate_results\.py .no column node_name"),
        (b"node_name,phase,metric,value\nn1,find,rate,1\n", "not a table of runs .*without --long"),
    ],
)
def test_what_is_no_table_is_refused_in_one_line(tmp_path, content, said):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(UserError, match=said) as caught:
        load.table(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda row: ",".join(row.split(",")[:20]), "20 of {all} fields"),
        (lambda row: row.replace(",", ";"), "1 of {all} fields"),
        (lambda row: f"{row},more", "{more} of {all} fields"),
        (lambda row: f'"{row}', "unexpected end of data"),
    ],
)
def test_a_row_that_is_cut_or_damaged_is_no_run_and_named_by_its_line(tmp_path, damage, said):
    path = made.write(tmp_path / "t.csv", made.run(), made.run(), made.run())
    head, first, second, third = path.read_text().splitlines()
    path.write_text("\n".join((head, first, damage(second), third)))
    with pytest.raises(UserError) as caught:
        load.table(path)
    columns = len(head.split(","))
    assert str(caught.value) == (
        f"{path}:3: {said.format(all=columns, more=columns + 1)}: the table is cut or damaged;"
        " make it again with ./aggregate_results.py (make aggregate)"
    )


def test_what_editors_and_spreadsheets_add_is_no_damage(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(
        b"\nnode_name,evidence,score_total,,node_name\r\n"
        b'n1,"two\nlines, ""so""",1.5,,x\r\n'
        b"\n"
        b"n2,,2.5,,y\n"
        b"  \n"
        b"n3,,3.5,,z"
    )
    runs = load.table(path)
    assert list(runs["node_name"]) == ["n1", "n2", "n3"]
    assert list(runs["score_total"]) == [1.5, 2.5, 3.5]
    assert runs["evidence"][0] == 'two\nlines, "so"'


def test_a_directory_is_told_from_a_table(tmp_path):
    with pytest.raises(UserError, match=r"a directory, not a table: name the table in it, or make"):
        load.table(tmp_path)


def test_a_byte_order_mark_does_not_change_the_first_column(tmp_path):
    path = made.write(tmp_path / "t.csv", made.run())
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert list(load.table(path)["cluster_name"]) == ["wildwood"]


def test_columns_that_are_missing_are_there_and_empty():
    runs = load.prepare(made.raw({"node_name": "n1", "score_total": "1.5"}))
    assert runs["ior_easy_write_value"].isna().all()
    assert runs["storage"][0] == "unknown storage"
    assert runs["score_total"][0] == 1.5


def test_a_table_of_its_header_alone_has_no_runs_and_all_columns():
    runs = load.prepare(made.raw(made.run()).iloc[:0])
    assert runs.empty
    assert {"storage", "counts", "wire", *(f"{p.column}_value" for p in SCORED)} <= set(runs)


def test_numbers_that_are_none_are_missing():
    wrong = {"ior_easy_write_value": "nan", "score_total": "inf", "num_procs": "many"}
    runs = made.runs(made.run() | wrong)
    assert runs[["ior_easy_write_value", "score_total", "num_procs"]].isna().all(axis=None)


def test_the_mark_against_spreadsheet_formulas_is_taken_off_for_showing():
    runs = made.runs(made.run() | {"storage_source": "'=cmd|calc", "node_name": "'-n1"})
    assert runs["storage_source"][0] == "=cmd|calc"
    assert runs["node"][0] == "-n1"


def test_everything_but_local_is_networked():
    kinds = ["local/ssd", "nfs/hdd", "powerscale/hdd", "isilon/hdd", "lustre/ssd"]
    runs = made.runs(*(made.run(kind) for kind in kinds))
    assert list(runs["networked"]) == [False, True, True, True, True]


def test_the_line_rate_counts_all_client_nodes():
    runs = made.runs(
        made.run("nfs/hdd", network_speed="10Gbps"),
        made.run("nfs/hdd", network_speed="10Gbps", node_count="4"),
        made.run("nfs/hdd", network_speed="unknown"),
    )
    assert runs["wire"][0] == pytest.approx(10e9 / 8 / 2**30)
    assert runs["wire"][1] == pytest.approx(4 * runs["wire"][0])
    assert runs["wire"].isna()[2]


def test_the_cluster_is_named_where_there_are_several():
    one = made.runs(made.run(node="n1"), made.run(node="n2"))
    two = made.runs(made.run(node="n1"), made.run(node="n1", cluster_name="cedar"))
    assert list(one["node"]) == ["n1", "n2"]
    assert list(two["node"]) == ["wildwood/n1", "cedar/n1"]


def test_a_storage_keeps_its_colour_and_marker_in_every_part_of_the_table():
    runs = made.runs(made.run("nfs/a/hdd"), made.run("local/ssd"), made.run("nfs/a/hdd", "n2"))
    looks = runs.groupby("storage")[["colour", "marker"]].nunique()
    assert (looks == 1).all(axis=None)
    assert runs["colour"].nunique() == 2
