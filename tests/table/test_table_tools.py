"""Outputs of tools in a tree give a table of their own, and leave the one of runs as it is."""

import csv
import json
import shutil
import subprocess
import sys

import pytest

from hpc_disk_bench import table_tools
from tests.support import trees

TARGET = ("wildwood", "chrom1", "nfs", "hdd", "nfs7")


@pytest.fixture
def keep(root, tmp_path):
    """keep(name, ...): puts recorded outputs into the tree; returns their directory."""

    def run(*names, into=TARGET):
        files = [root / "tests/fixtures/tools" / name for name in names]
        done = subprocess.run(
            [sys.executable, root / "parse_summary.py", *files, "--into", *into],
            cwd=tmp_path,
            env={},
            capture_output=True,
            text=True,
            check=True,
        )
        return tmp_path / done.stdout.strip()

    return run


def test_a_row_for_each_operation_stands_beside_an_untouched_table_of_runs(
    tree, keep, aggregate, rows, tmp_path
):
    tree({}, {})
    assert aggregate().returncode == 0
    before = (tmp_path / "aggregated_results.csv").read_bytes()
    assert not (tmp_path / "aggregated_tools.csv").exists()
    directory = keep("ior.txt", "mdtest.txt")
    done = aggregate()
    assert (tmp_path / "aggregated_results.csv").read_bytes() == before
    place = directory.relative_to(tmp_path / "io500_results")
    assert f"   Loaded: {place} (ior, mdtest)\n" in done.stdout
    assert done.stdout.endswith(" 2 tool runs with 22 rows written to: aggregated_tools.csv\n")
    assert "Total benchmark runs: 2" in done.stdout
    found = rows("aggregated_tools.csv")
    assert list(found[0]) == [column.name for column in table_tools.COLUMNS]
    assert len(found) == 22
    write = found[0]
    assert [write[key] for key in ("cluster_name", "node_name", "storage_volume")] == [
        "wildwood",
        "chrom1",
        "nfs7",
    ]
    results = json.loads((directory / "tool_results.json").read_text())
    told = results["runs"][0]["operations"][0]
    assert float(write["mean"]) == told["mean"]
    assert write["iterations"].split("; ") == [str(row["value"]) for row in told["iterations"]]
    assert (write["valid"], write["direct_io"], write["num_procs"]) == ("True", "False", "2")
    assert write["run_dir"] == str(place)


def test_the_same_tree_gives_the_same_bytes_with_and_without_memory(
    tree, keep, aggregate, tmp_path
):
    tree({})
    keep("mdtest.txt")
    keep("ior.json", into=("a", "b", "local", "ssd"))
    aggregate()
    first = (tmp_path / "aggregated_tools.csv").read_bytes()
    assert first.splitlines()[1].startswith(b"a,b,local,")
    for options in ((), ("--no-cache",)):
        (tmp_path / "aggregated_tools.csv").unlink()
        aggregate(*options)
        assert (tmp_path / "aggregated_tools.csv").read_bytes() == first


def test_a_tree_of_tool_outputs_alone_gives_their_table_and_an_empty_one_of_runs(
    keep, aggregate, rows
):
    keep("stream.txt")
    for _ in range(2):
        done = aggregate()
        assert (done.returncode, done.stderr) == (0, "")
        assert rows() == []
        assert len(rows("aggregated_tools.csv")) == 4


def test_when_the_last_output_has_gone_its_table_is_empty(tree, keep, aggregate, rows):
    tree({})
    directory = keep("ior.csv")
    aggregate()
    shutil.rmtree(directory)
    aggregate()
    assert rows("aggregated_tools.csv") == []


def test_a_copy_of_a_directory_counts_once(tree, keep, aggregate, rows, tmp_path):
    tree({})
    directory = keep("ior.csv")
    shutil.copytree(directory, tmp_path / "io500_results/backup")
    done = aggregate()
    assert len(rows("aggregated_tools.csv")) == 2
    assert "a copy of backup, which counts" in done.stdout


def test_what_cannot_be_read_is_named_and_the_rest_is_there(tree, keep, aggregate, rows):
    tree({})
    broken = keep("ior.txt") / "tool_results.json"
    keep("mdtest.txt")
    broken.write_text("{")
    done = aggregate()
    assert done.returncode == 0
    assert "tool_results.json:1: not JSON" in done.stdout
    assert "reprocess_all_results.sh makes it anew" in done.stdout
    assert {row["tool"] for row in rows("aggregated_tools.csv")} == {"mdtest"}


def test_values_of_wrong_types_are_left_empty_and_said(tree, keep, aggregate, rows, change):
    tree({})
    path = keep("ior.csv") / "tool_results.json"
    content = json.loads(path.read_text())
    content["runs"][0]["operations"][0]["mean"] = {"a": 1}
    content["runs"].append("nonsense")
    change(path, runs=content["runs"])
    done = aggregate()
    assert "tool_results.json: mean is" in done.stdout
    assert [row["mean"] != "" for row in rows("aggregated_tools.csv")] == [False, True]


def test_a_partial_run_does_not_count(root, tree, tmp_path, aggregate, rows):
    tree({})
    text = (root / "tests/fixtures/tools/ior.txt").read_text()
    (tmp_path / "cut.txt").write_text(text[: text.index("\nSummary")])
    command = [sys.executable, root / "parse_summary.py", "cut.txt", "--into", *TARGET]
    subprocess.run(command, cwd=tmp_path, env={}, check=True, capture_output=True)
    aggregate()
    for row in rows("aggregated_tools.csv"):
        assert (row["state"], row["valid"], row["reasons"]) == ("partial", "False", "ended early")


def test_a_command_is_no_formula_to_a_spreadsheet(tree, keep, aggregate, tmp_path, change):
    tree({})
    path = keep("ior.txt") / "tool_results.json"
    runs = json.loads(path.read_text())["runs"]
    runs[0]["command"] = '=cmd|"x",\n2'
    change(path, runs=runs)
    aggregate()
    with open(tmp_path / "aggregated_tools.csv", newline="") as file:
        assert next(csv.DictReader(file))["command"] == '\'=cmd|"x",\n2'


@pytest.mark.parametrize(
    ("output", "beside"),
    [
        ("aggregated_results.csv", "aggregated_tools.csv"),
        ("aggregated_results_long.csv", "aggregated_tools.csv"),
        ("dir/mine.csv", "dir/mine_tools.csv"),
        ("aggregated_results.parquet", "aggregated_tools.parquet"),
    ],
)
def test_the_table_of_tools_is_called_after_the_one_of_runs(output, beside):
    assert str(table_tools.path_beside(output)) == beside


def test_it_comes_as_parquet_too(tree, keep, aggregate, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="no pyarrow: scripts/setup.sh parquet")
    tree({})
    keep("ior.txt")
    assert aggregate("--parquet").returncode == 0
    table = parquet.read_table(tmp_path / "aggregated_tools.parquet").to_pylist()
    assert table[0]["mean"] == pytest.approx(9.7083, rel=1e-4)
    assert table[0]["valid"] is True


LATENCY = {"p50": 1e-05, "p95": 2e-05, "p99": 0.0003, "p99.9": 0.004, "max": 0.05}


def test_latencies_stand_at_the_end_of_a_row_and_as_rows_of_the_long_form(
    tree, aggregate, rows, change
):
    (path,) = tree({}, {}).rglob("2025*00.00/results.json")
    phases = json.loads(path.read_text())
    slow = {**LATENCY, "p99": 0.5}
    change(path, **{"find": {**phases["find"], "latency": {"stat": LATENCY, "readdir": slow}}})
    change(path, **{"ior-easy-read": {**phases["ior-easy-read"], "latency": {"read": LATENCY}}})
    aggregate()
    told, untold = rows()
    assert (told["ior_easy_read_latency_p50"], told["ior_easy_read_latency_p99"]) == (
        "1e-05",
        "0.0003",
    )
    # Of several kinds of operations the slowest counts.
    assert told["find_latency_p99"] == "0.5"
    assert told["ior_easy_write_latency_p99"] == ""
    assert told["find_value"] == str(phases["find"]["value"])
    assert {text for name, text in untold.items() if "_latency_" in name} == {""}
    aggregate("--long")
    long = rows("aggregated_results_long.csv")
    found = {(row["phase"], row["metric"]): row for row in long if "latency" in row["metric"]}
    assert len(found) == 15
    assert found["ior-easy-read", "latency_p99.9"]["value"] == "0.004"
    assert found["find", "latency_p99_readdir"]["value"] == "0.5"
    assert {row["unit"] for row in found.values()} == {"s"}


def test_latencies_of_further_phases_come_after_those_of_the_standard_ones(tree, aggregate, rows):
    (path,) = tree({}).rglob("results.json")
    content = json.loads(path.read_text())
    further = {"value": 1.0, "unit": "kIOPS", "time": 1.0, "valid": True, "latency": {"a": LATENCY}}
    trees.write_json(path, {**content, "find-easy": further})
    aggregate()
    (row,) = rows()
    assert list(row)[-1] == "find_easy_latency_p99"
    assert row["find_easy_latency_p99"] == "0.0003"
    assert row["find_easy_value"] == "1.0"
