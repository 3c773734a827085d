"""A run that does not count gets a row that says so, and a line that names it."""

import json
import time

import pytest

from tests.support import trees


@pytest.mark.parametrize(
    ("state", "shown"),
    [
        ("invalid", "(invalid HDB025: ior-easy-write)"),
        ("partial", "(partial)"),
        ("failed", "(failed HDB012)"),
        ("interrupted", "(interrupted HDB019)"),
    ],
)
def test_it_is_loaded_with_its_state_and_named(tree, aggregate, rows, state, shown):
    tree({"state": state})
    done = aggregate()
    (row,) = rows()
    assert row["state"] == state
    assert row["score_valid"] == "False"
    assert f"   Loaded: {row['run_dir']} {shown}" in done.stdout.splitlines()
    assert f" Warning: 1 of 1 run does not count: 1 {state}" in done.stdout


def test_an_invalid_phase_carries_its_reasons_and_keeps_its_figures(tree, aggregate, rows):
    tree({"state": "invalid", "short": ("ior-easy-write",)})
    aggregate()
    (row,) = rows()
    assert row["ior_easy_write_valid"] == "False"
    assert row["ior_easy_write_reasons"] == trees.TOO_SHORT
    assert float(row["ior_easy_write_value"]) > 0
    assert row["ior_hard_write_valid"] == "True"
    assert row["ior_hard_write_reasons"] == ""


def test_a_failed_run_says_where_and_why_and_keeps_what_it_measured(tree, aggregate, rows):
    tree({"state": "failed", "failed_at": "find"})
    aggregate()
    (row,) = rows()
    assert row["diagnosis"] == "HDB012"
    assert (row["exit_code"], row["last_phase"], row["scored_phases"]) == ("4", "find", "4")
    assert "No space left on device" in row["evidence"]
    assert float(row["mdtest_hard_write_value"]) > 0
    assert row["find_value"] == ""
    assert row["score_total"] == ""


def test_a_failed_run_that_measured_nothing_has_a_row_too(tree, aggregate, rows):
    root = tree({"state": "failed"}, {})
    (failed,) = [path for path in root.rglob("status.json") if '"failed"' in path.read_text()]
    failed.with_name("results.json").unlink()
    assert "Successfully loaded 2 benchmark results" in aggregate().stdout
    assert [row["state"] for row in rows()] == ["failed", "complete"]


def test_a_run_that_still_runs_is_skipped_and_not_to_be_reprocessed(tree, aggregate, rows):
    tree({"state": "running"}, {})
    done = aggregate()
    assert len(rows()) == 1
    assert "missing results.json (still running)" in done.stdout
    assert "--reprocess" not in done.stdout


def test_what_the_results_say_outweighs_a_status_that_says_complete(tree, aggregate, rows, change):
    root = tree({"state": "invalid"})
    (status,) = root.rglob("status.json")
    change(status, state="complete")
    aggregate()
    assert rows()[0]["state"] == "invalid"


def test_a_broken_status_is_said_and_the_results_decide(tree, aggregate, rows):
    root = tree({})
    (status,) = root.rglob("status.json")
    status.write_text('{"state": ')
    done = aggregate()
    assert rows()[0]["state"] == "complete"
    assert "status.json:1: not JSON: Expecting value: the state is taken from" in done.stdout


def test_a_run_with_a_phase_missing_never_counts_as_complete(tree, aggregate, rows, change):
    root = tree({})
    (results,) = root.rglob("results.json")
    change(results, find=...)
    aggregate()
    (row,) = rows()
    assert (row["state"], row["scored_phases"]) == ("partial", "11")


@pytest.mark.parametrize("odd", ["NaN", "Infinity", "-Infinity", "null", '"fast"', "true", "[1]"])
def test_what_is_no_number_is_empty_and_not_valid(tree, aggregate, rows, odd):
    root = tree({})
    (results,) = root.rglob("results.json")
    content = json.loads(results.read_text())
    value = content["find"]["value"]
    results.write_text(results.read_text().replace(f'"value": {value}', f'"value": {odd}'))
    aggregate()
    (row,) = rows()
    assert (row["find_value"], row["find_valid"], row["state"]) == ("", "False", "invalid")


def test_a_number_written_as_text_is_a_number(tree, aggregate, rows, change):
    root = tree({})
    (metadata,) = root.rglob("run_metadata.json")
    change(metadata, num_procs="16", ppn="many")
    done = aggregate()
    assert (rows()[0]["num_procs"], rows()[0]["ppn"]) == ("16.0", "")
    assert 'run_metadata.json: ppn is "many", not a number: left empty' in done.stdout


def test_results_of_an_older_shape_do_not_pass_as_valid(tree, aggregate, rows):
    root = tree({})
    (results,) = root.rglob("results.json")
    content = json.loads(results.read_text())
    for phase in content.values():
        phase.pop("valid")
    results.write_text(json.dumps(content))
    done = aggregate()
    (row,) = rows()
    assert (row["state"], row["find_valid"]) == ("invalid", "False")
    assert float(row["find_value"]) == content["find"]["value"]
    assert "of an older shape" in done.stdout
    assert "reprocess the run" in done.stdout


def test_metadata_of_the_first_shape_is_enough(tree, aggregate, rows):
    root = tree({})
    (metadata,) = root.rglob("run_metadata.json")
    content = json.loads(metadata.read_text())
    metadata.write_text(json.dumps(dict(list(content.items())[:8])))
    aggregate()
    (row,) = rows()
    assert (row["state"], row["engine"], row["storage_filesystem"]) == ("complete", "", "")


def test_an_extended_run_brings_columns_for_its_phases_and_score(tree, aggregate, rows, change):
    root = tree({}, {})
    results = sorted(root.rglob("results.json"))[0]
    extra = {"value": 2.5, "unit": "kIOPS", "time": 3.0, "valid": True}
    change(
        results,
        score_extended={"bandwidth": 1.0, "iops": 4.0, "total": 2.0, "valid": True},
        **{"find-hard": extra, "find-easy": extra, "a phase! of tomorrow": extra},
    )
    done = aggregate()
    names = list(rows()[0])
    values = [name for name in names if name.endswith("_value")]
    assert values[-4:] == [
        "ior_rnd4K_easy_read_value",
        "find_easy_value",
        "find_hard_value",
        "a_phase_of_tomorrow_value",
    ]
    assert names.index("a_phase_of_tomorrow_valid") + 1 == names.index("score_bandwidth")
    assert names.index("score_valid") + 1 == names.index("score_extended_bandwidth")
    assert [row["score_extended_total"] for row in rows()] == ["2.0", ""]
    assert "Found 15 unique test types" in done.stdout


def test_a_node_without_metadata_is_named_with_the_remedy(tree, aggregate, rows):
    root = tree({})
    (root / "wildwood/chrom1/node_metadata.json").unlink()
    done = aggregate()
    assert rows()[0]["cpu_model"] == ""
    assert " Warning: 1 node has no node_metadata.json: wildwood/chrom1" in done.stdout
    assert "    ./gather_node_metadata.sh <cluster> <node>" in done.stdout


def test_broken_node_metadata_is_said_once_and_costs_no_run(tree, aggregate, rows):
    root = tree({}, {}, {})
    (root / "wildwood/chrom1/node_metadata.json").write_text("[]")
    done = aggregate()
    assert [row["hostname"] for row in rows()] == ["", "", ""]
    assert done.stdout.count("node_metadata.json: not a JSON object") == 1


def test_a_run_of_another_host_that_has_long_been_silent_counts_as_interrupted(
    tree, aggregate, rows, change
):
    root = tree({"state": "running"}, {})
    (status,) = [path for path in root.rglob("status.json") if '"running"' in path.read_text()]
    change(status, host="a-host-elsewhere", updated_epoch=time.time() - 3600)
    aggregate()
    assert [row["state"] for row in rows()] == ["interrupted", "complete"]
    assert rows()[0]["diagnosis"] == "HDB028"
