"""What real trees collect over the years costs no other run its row, and is said."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from hpc_disk_bench.table_csv import unguarded
from tests.support import trees
from tests.support.needs import obeying_modes


@pytest.fixture
def good(tree):
    """A tree of two good runs and, of one of them, the directory."""
    root = tree({}, {})
    return root, sorted(root.rglob("results.json"))[0].parent


def test_a_run_whose_files_cannot_be_used_is_skipped_with_the_reason(tree, aggregate, rows):
    root = tree(*[{} for _ in range(9)])
    runs = [path.parent for path in sorted(root.rglob("results.json"))]
    (runs[0] / "results.json").write_text('{"find": {')
    (runs[1] / "results.json").write_bytes(b"\xff\xfe{}")
    (runs[2] / "results.json").write_text("")
    (runs[3] / "results.json").write_text("[" * 100_000)
    (runs[4] / "run_metadata.json").write_text("null")
    (runs[5] / "run_metadata.json").unlink()
    (runs[6] / "results.json").write_text('{"find": ' + "9" * 5000 + "}")
    (runs[7] / "results.json").unlink()
    done = aggregate()
    assert (done.returncode, done.stderr) == (0, "")
    assert [row["run_dir"] for row in rows()] == [os.path.relpath(runs[8], root)]
    for run, reason in zip(
        runs,
        [
            "results.json:1: not JSON: Expecting property name",
            "results.json: not UTF-8 text",
            "results.json:1: not JSON",
            "results.json: not JSON that can be read: nested too deeply",
            "run_metadata.json: not a JSON object",
            "missing run_metadata.json",
            "results.json: ",
            "missing results.json",
        ],
        strict=False,
    ):
        assert f"   Skipping {os.path.relpath(run, root)}: {reason}" in done.stdout


def test_apple_doubles_are_no_results(good, aggregate, rows):
    root, run = good
    for name in ("results.json", "run_metadata.json"):
        (run / f"._{name}").write_bytes(b"\x00\x05\x16\x07\x00")
    (root / "._wildwood").write_bytes(b"\x00\x05\x16\x07")
    done = aggregate()
    assert len(rows()) == 2
    assert "._results.json: an AppleDouble file" in done.stdout


def test_loops_of_symbolic_links_end_and_every_run_counts_once(good, aggregate, rows):
    root, run = good
    (run / "self").symlink_to(run)
    (root / "wildwood/again").symlink_to(root / "wildwood")
    (root / "circle").symlink_to("circle")
    (root / "dangling").symlink_to("/nonexistent/anywhere")
    assert aggregate().returncode == 0
    assert len(rows()) == 2


def test_a_link_that_leads_above_the_tree_is_not_followed(good, aggregate, rows, tmp_path):
    root, _ = good
    shutil.copytree(root, tmp_path / "another tree")
    for path in (tmp_path / "another tree").rglob("run_metadata.json"):
        path.write_text(path.read_text().replace('"wildwood"', '"elsewhere"'))
    (root / "wildwood/up").symlink_to(tmp_path)
    (root / "top").symlink_to("/")
    done = aggregate()
    assert {row["cluster_name"] for row in rows()} == {"wildwood"}
    for place in ("wildwood/up", "top"):
        assert f"   Skipping {place}: a link to a directory above the results" in done.stdout


def test_a_pipe_in_the_place_of_a_file_does_not_stop_it(good, aggregate, rows):
    _, run = good
    (run / "results.json").unlink()
    os.mkfifo(run / "results.json")
    done = aggregate()
    assert len(rows()) == 1
    assert "results.json: not a regular file" in done.stdout


def test_empty_and_half_written_directories_are_said(good, aggregate, rows):
    root, run = good
    (root / "wildwood/neo/local/ssd/2026.01.01-00.00.00").mkdir(parents=True)
    half = run.with_name("2026.01.02-00.00.00")
    half.mkdir()
    (half / "io500.ini").write_text("")
    done = aggregate()
    assert len(rows()) == 2
    for place in ("wildwood/neo/local/ssd/2026.01.01-00.00.00", half.relative_to(root)):
        assert f"   Skipping {place}: no run in it" in done.stdout


def test_a_part_of_the_tree_may_stand_elsewhere_behind_a_link(good, aggregate, rows, tmp_path):
    root, _ = good
    trees.write_tree(tmp_path / "other disk", [trees.Run(trees.FLEET["neo"], "local", "", "ssd")])
    (root / "wildwood/neo").symlink_to(tmp_path / "other disk/wildwood/neo")
    aggregate()
    assert [row["node_name"] for row in rows()] == ["chrom1", "chrom1", "neo"]
    assert rows()[2]["hostname"] == "neo.hpc.example.edu"


def test_results_one_level_deeper_are_found(good, aggregate, rows):
    _, run = good
    deeper = run / "2025.10.28-15.00.00"
    deeper.mkdir()
    for name in ("results.json", "result_summary.txt"):
        (run / name).rename(deeper / name)
    done = aggregate()
    assert len(rows()) == 2
    assert "Skipping" not in done.stdout


def test_of_two_copies_of_a_run_the_deeper_counts(good, aggregate, rows):
    root, run = good
    copy = root / "backup/of/last year" / run.relative_to(root)
    shutil.copytree(run, copy)
    results = json.loads((copy / "results.json").read_text())
    results["find"]["value"] = 4242.5
    (copy / "results.json").write_text(json.dumps(results))
    done = aggregate()
    assert len(rows()) == 2
    assert [row["find_value"] for row in rows()].count("4242.5") == 1
    place, deeper = run.relative_to(root), copy.relative_to(root)
    assert f"   Skipping {place}: a copy of {deeper}, which counts" in done.stdout


def test_two_runs_of_the_same_second_are_two(good, aggregate, rows):
    _, run = good
    twin = run.with_name(run.name + "-2")
    shutil.copytree(run, twin)
    aggregate()
    assert len(rows()) == 3


def test_names_with_blanks_line_ends_and_bytes_that_are_no_text(good, aggregate, rows):
    root, run = good
    odd = os.fsencode(root) + b"/wildwood/a b\n\xff\x1b[31m"
    os.makedirs(odd)
    shutil.copytree(run, os.fsdecode(odd) + "/run")
    metadata = json.loads((run / "run_metadata.json").read_text())
    metadata["start_epoch"] += 1
    with open(os.fsdecode(odd) + "/run/run_metadata.json", "w") as file:
        json.dump(metadata, file)
    done = aggregate(LC_ALL="C")
    assert done.returncode == 0
    places = [row["run_dir"] for row in rows()]
    assert "wildwood/a b\n\\udcff\x1b[31m/run" in places
    assert "\x1b" not in done.stdout


def test_what_cannot_be_read_is_skipped_and_said(good, root, tmp_path):
    tree, run = good
    hidden = sorted(tree.rglob("results.json"))[1].parent
    script = root / "aggregate_results.py"
    command = [*obeying_modes(), sys.executable, script, tree, tmp_path / "t.csv"]
    (run / "results.json").chmod(0)
    hidden.chmod(0)
    done = subprocess.run(command, capture_output=True, text=True)
    hidden.chmod(0o755)
    place = run.relative_to(tree)
    assert f"Skipping {place}: results.json: cannot be read: Permission denied" in done.stdout
    assert f"Skipping {hidden.relative_to(tree)}: Permission denied" in done.stdout
    assert done.stderr == "aggregate_results.py: " + f"{tree}: none of its 1 runs has results\n"


@pytest.mark.parametrize("names", [["closed/tree"], ["io500_results", "closed/t.csv"]])
def test_what_may_not_be_looked_at_is_not_called_missing(good, root, tmp_path, names):
    (tmp_path / "closed").mkdir(mode=0)
    command = [*obeying_modes(), sys.executable, root / "aggregate_results.py", *names]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    problem = "cannot be read: Permission denied (namei -l "
    assert done.returncode == 2
    assert re.fullmatch(
        rf"aggregate_results.py: \S*{names[-1]}: {re.escape(problem)}.*\n", done.stderr
    )


@pytest.mark.parametrize("text", ["=1+1", "+1", "-x", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''-"])
def test_text_never_becomes_a_formula_and_comes_back_as_it_was(good, aggregate, rows, change, text):
    _, run = good
    change(run / "run_metadata.json", node_name=text)
    aggregate()
    cells = [row["node_name"] for row in rows() if row["node_name"] != "chrom1"]
    assert cells[0][0] == "'"
    assert [unguarded(cell) for cell in cells] == [text]


@pytest.mark.parametrize("text", ["a,b", 'a "b"', "two\nlines", "Ä 日本", "'quoted'", "a\rb", " "])
def test_any_other_text_stands_as_it_is(good, aggregate, rows, change, text):
    _, run = good
    change(run / "run_metadata.json", test_dir=text)
    aggregate()
    assert text in [row["test_dir"] for row in rows()]


def test_signs_that_no_csv_can_hold_are_shown_as_escapes(good, aggregate, rows, change):
    _, run = good
    change(run / "run_metadata.json", test_dir="a\0b\ud800")
    assert aggregate().returncode == 0
    assert "a\\x00b\\ud800" in [row["test_dir"] for row in rows()]


def test_negative_numbers_stay_numbers(good, aggregate, rows):
    aggregate()
    assert {row["utc_offset_seconds"] for row in rows()} == {"-25200"}


def test_the_benchmarks_data_in_the_tree_is_not_walked_through(good, aggregate, rows):
    _, run = good
    data = run / "io500.9f2c"
    shutil.copytree(run, data / "data/copy")
    (data / ".hpc-disk-bench.json").write_text("{}")
    aggregate()
    assert len(rows()) == 2
