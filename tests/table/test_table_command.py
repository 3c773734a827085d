"""aggregate_results.py turns a results tree into one table and says what it did."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
from collections import Counter

import pytest

from hpc_disk_bench.phases import SCORED
from tests.support import trees

RULE = "=" * 60


@pytest.fixture
def reference(tmp_path):
    return trees.write_tree(tmp_path / "io500_results", trees.reference_runs())


def test_it_says_what_the_reference_run_said(reference, aggregate):
    done = aggregate("io500_results")
    lines = done.stdout.splitlines()
    assert lines[:8] == [
        RULE,
        "IO500 Results Aggregation",
        RULE,
        "Scanning base directory: io500_results",
        "Output file: aggregated_results.csv",
        RULE,
        "",
        "Recursively scanning io500_results for result directories...",
    ]
    assert lines[8] == "Found 55 result directories"
    places = [line.split(maxsplit=1) for line in lines[9:64]]
    assert Counter(word for word, _ in places) == {"Loaded:": 53, "Skipping": 2}
    assert ["Loaded:", "wildwood/jackson/nfs/fs0/ssd"] in places
    assert "   Skipping wildwood/aspen12/nfs/hdd/2025.10.28-09.11.00: missing results.json" in lines
    assert lines[64:] == [
        "",
        " Warning: 2 directories are missing results.json",
        "  You can regenerate these by running:",
        "    ./io500_wrapper.sh --reprocess <directory>",
        "",
        RULE,
        "Successfully loaded 53 benchmark results",
        RULE,
        "",
        "Found 12 unique test types",
        "",
        RULE,
        " Aggregated results written to: aggregated_results.csv",
        " Total benchmark runs: 53",
        " Total test types: 12",
        RULE,
    ]
    assert (done.returncode, done.stderr) == (0, "")


def test_every_line_but_the_runs_is_that_of_the_slides(reference, aggregate, shared):
    slides = shared("seeds", "000_f11a681be61818cf.txt").read_text("utf-8").splitlines()
    start = next(k for k, line in enumerate(slides) if line.startswith("Scanning base directory"))
    end = next(k for k, line in enumerate(slides) if "Total test types" in line)

    def fixed(lines):
        return [line for line in lines if "Loaded:" not in line and "Skipping" not in line]

    ours = aggregate("io500_results").stdout.splitlines()[3:-1]
    assert fixed(ours) == fixed(slides[start : end + 1])


def test_each_run_is_one_row_with_what_its_files_say(reference, aggregate, rows):
    aggregate()
    table = {row["run_dir"]: row for row in rows()}
    assert len(table) == 53
    for place, row in table.items():
        metadata = json.loads((reference / place / "run_metadata.json").read_text())
        results = json.loads((reference / place / "results.json").read_text())
        node = json.loads((reference / place).joinpath(node_of(place)).read_text())
        for key in ("cluster_name", "storage_type", "timestamp", "test_dir", "engine_version"):
            assert row[key] == metadata[key]
        assert int(row["num_procs"]) == metadata["num_procs"]
        assert row["storage_filesystem"] == metadata["storage"]["filesystem"]
        assert row["cpu_model"] == node["cpu_model"]
        assert row["network_speed"] == node["network_speed"]
        for phase in SCORED:
            assert float(row[f"{phase.column}_value"]) == results[phase.name]["value"]
            assert float(row[f"{phase.column}_time"]) == results[phase.name]["time"]
            assert row[f"{phase.column}_unit"] == results[phase.name]["unit"]
            assert row[f"{phase.column}_valid"] == "True"
        assert float(row["score_total"]) == results["score"]["total"]
        assert row["state"] == "complete"


def node_of(place):
    return "/".join([".."] * (place.count("/") - 1)) + "/node_metadata.json"


def test_rows_are_sorted_and_the_same_tree_gives_the_same_bytes(reference, aggregate, tmp_path):
    aggregate("io500_results", "a.csv")
    moved = tmp_path / "else where"
    shutil.copytree(reference, moved)
    aggregate(f"{moved}/", "b.csv", LC_ALL="C", TZ="Asia/Tokyo")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_rows_stand_by_cluster_node_storage_volume_device_and_time(aggregate, rows, tmp_path):
    trees.write_tree(tmp_path / "io500_results", trees.mixed_runs(120, seed=3))
    aggregate()
    keys = ("cluster_name", "node_name", "storage_type", "storage_volume", "device_type")
    order = [tuple(row[key] for key in (*keys, "timestamp")) for row in rows()]
    assert order == sorted(order)
    assert len(set(order)) > 100


def test_the_root_may_be_given_by_the_environment(reference, aggregate, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = aggregate(cwd=elsewhere, IO500_RESULTS_DIR=reference)
    assert f"Scanning base directory: {reference}" in done.stdout
    assert (elsewhere / "aggregated_results.csv").is_file()
    assert aggregate(cwd=elsewhere, IO500_RESULTS_DIR="").returncode == 2


def test_it_runs_from_anywhere_through_a_link_and_without_a_terminal(reference, root, tmp_path):
    (tmp_path / "bin").mkdir()
    link = tmp_path / "bin/aggregate"
    link.symlink_to(root / "aggregate_results.py")
    line = f"'{link}' '{reference}' '{tmp_path}/out.csv' </dev/null"
    environ = {**os.environ, "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", line], cwd="/", env=environ, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "out.csv").is_file()


def test_it_finishes_though_nobody_listens(reference, root, tmp_path):
    line = f"'{sys.executable}' '{root}/aggregate_results.py' | head -n 1"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{RULE}\n", "")
    assert len((tmp_path / "aggregated_results.csv").read_text().splitlines()) == 54


def test_a_link_in_the_place_of_the_table_stays_and_leads_to_the_new_one(
    reference, aggregate, tmp_path
):
    (tmp_path / "kept").mkdir()
    (tmp_path / "aggregated_results.csv").symlink_to("kept/table.csv")
    aggregate()
    assert (tmp_path / "aggregated_results.csv").is_symlink()
    assert (tmp_path / "kept/table.csv").read_text().startswith("cluster_name,")


def test_quiet_leaves_the_warnings(reference, aggregate):
    lines = aggregate("--quiet").stdout.split("\n")
    assert lines[1] == " Warning: 2 directories are missing results.json"
    root = "    ./io500_wrapper.sh --reprocess io500_results/wildwood"
    assert lines[3:] == [
        f"{root}/aspen12/nfs/hdd/2025.10.28-09.11.00",
        f"{root}/cascade/nfs/hdd/2025.10.29-05.18.00",
        "",
    ]


def test_quiet_names_each_run_that_lost_its_row_and_no_standing_state(tree, aggregate, rows):
    """What cron mails is what somebody can mend."""
    root = tree({}, {"state": "invalid"}, {"state": "failed"}, {"state": "running"}, {})
    (root / "wildwood/._results.json").write_text("")
    (root / "wildwood/empty").mkdir()
    (root / "again").symlink_to("wildwood")
    cut = max(root.rglob("run_metadata.json"))
    cut.write_text(cut.read_text()[:200])
    (said,) = aggregate("-q").stdout.splitlines()
    place = cut.parent.relative_to(root)
    assert re.match(rf"   Skipping {place}: run_metadata\.json:\d+: not JSON: ", said)
    assert len(rows()) == 3


def test_the_long_form_has_every_figure_of_the_wide_one_once(reference, aggregate, rows):
    aggregate()
    aggregate("--long")
    wide = {row["run_dir"]: row for row in rows()}
    long = rows("aggregated_results_long.csv")
    assert len({(row["run_dir"], row["phase"], row["metric"]) for row in long}) == len(long)
    assert len(long) == 53 * (13 * 2 + 3)
    names = {"bandwidth": "value", "rate": "value", "time": "time"}
    for row in long:
        metric = row["metric"] if row["phase"] == "score" else names[row["metric"]]
        assert row["value"] == wide[row["run_dir"]][f"{row['phase'].replace('-', '_')}_{metric}"]
    units = {(row["metric"], row["unit"]) for row in long}
    assert units == {
        ("bandwidth", "GiB/s"), ("rate", "kIOPS"), ("time", "s"), ("iops", "kIOPS"), ("total", ""),
    }  # fmt: skip
    unscored = {row["phase"] for row in long if row["scored"] == "False"}
    assert unscored == {"ior-rnd4K-easy-read"}


def test_geometric_means_hold_in_the_table(reference, aggregate, rows):
    aggregate()
    for row in rows():
        rates = [float(row[f"{phase.column}_value"]) for phase in SCORED if phase.group == "iops"]
        mean = math.exp(sum(map(math.log, rates)) / len(rates))
        assert mean == pytest.approx(float(row["score_iops"]), rel=1e-5)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "nowhere: no such directory"),
        (["file"], "file: not a directory"),
        (["empty"], "empty: no run below it (a directory with run_metadata.json)"),
        (["io500_results", "empty"], "empty: is a directory"),
        (["io500_results", "none/a.csv"], "none is no directory"),
        (["io500_results", "/dev/null"], "/dev/null: is no regular file"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["--lon"], "unrecognized arguments: --lon"),
        (["a", "b", "c"], "unrecognized arguments: c"),
        (["unparsed"], "unparsed: none of its 1 runs has results"),
    ],
)
def test_what_cannot_be_aggregated_is_one_line_and_leaves_the_old_table(
    reference, aggregate, tmp_path, arguments, words
):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    trees.write_tree(tmp_path / "unparsed", trees.reference_runs()[1:2])
    table = tmp_path / "aggregated_results.csv"
    table.write_text("the old table")
    done = aggregate(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("aggregate_results.py: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert table.read_text() == "the old table"


def test_help_names_every_option_and_the_environment(aggregate):
    done = aggregate("--help")
    assert done.returncode == 0
    for words in ("results_root", "output", "--long", "--quiet", "IO500_RESULTS_DIR", "Exit code"):
        assert words in done.stdout
