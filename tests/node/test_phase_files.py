"""Runs whose result_summary.txt and result.txt are lost: what the files of single phases hold."""

import json
import shutil
import subprocess
import sys

import pytest

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.results import load

LOST = ("result_summary.txt", "result.txt")


def test_each_phase_that_came_to_its_end_is_kept_in_run_order(recorded):
    results = load(recorded("phase-files"))
    assert results.as_json()["source"] == "per-phase files"
    assert results.as_json()["partial"] is True
    assert [(name, phase[1:4]) for name, phase in results.phases.items()] == [
        ("ior-easy-write", (803.25 / 1024, "GiB/s", 1.2)),
        ("mdtest-easy-write", (182.646369, "kIOPS", 0.54750609398)),
        ("mdworkbench-create", (82.5261, "kIOPS", None)),
        ("find-easy", (2360720.221745 / 1000, "kIOPS", 0.04236)),
        ("find", (2756088.066206 / 1000, "kIOPS", 0.136286)),
    ]
    assert not results.phases["mdworkbench-create"].scored
    assert "result_summary.txt is missing: rebuilt from the files of its phases" in results.notices


def test_a_figure_without_a_verdict_does_not_count_as_valid(recorded):
    results = load(recorded("phase-files"))
    assert not results.valid
    assert not any(phase.valid for phase in results.phases.values())
    (reason,) = results.phases["find"].reasons
    assert reason == "whether the benchmark marked it invalid is lost with result.txt"


def test_the_ranks_table_stands_in_for_what_mdtest_printed(recorded, tmp_path):
    shutil.copy(recorded("phase-files", "mdtest-easy-write.csv"), tmp_path)
    assert load(tmp_path).phases["mdtest-easy-write"].value == 182.64636887


@pytest.mark.parametrize("name", ["ior-easy-write.txt", "mdtest-easy-write.txt", "find.csv"])
def test_a_file_cut_off_anywhere_never_gives_a_figure_that_was_not_measured(
    recorded, tmp_path, name
):
    content = recorded("phase-files", name).read_bytes()
    (expected,) = load_only(tmp_path, name, content)
    for end in range(0, len(content), 7):
        assert load_only(tmp_path, name, content[:end]) in ([], [expected]), end


def load_only(directory, name, content):
    (directory / name).write_bytes(content)
    try:
        return [phase.value for phase in load(directory).phases.values()]
    except UserError:
        return []


def test_as_far_as_result_txt_goes_files_of_later_phases_are_of_another_run(recorded, tmp_path):
    shutil.copytree(recorded("phase-files"), tmp_path, dirs_exist_ok=True)
    (tmp_path / "result.txt").write_text("[run]\nprocs = 2\n\n[ior-easy-write]\nexe = ./ior\n")
    with pytest.raises(UserError, match="the run broke off in ior-easy-write"):
        load(tmp_path)


def test_a_summary_that_somebody_named_otherwise_is_not_replaced_by_other_files(recorded, tmp_path):
    shutil.copytree(recorded("phase-files"), tmp_path, dirs_exist_ok=True)
    with pytest.raises(UserError, match=r"my-summary\.txt: no such file"):
        load(tmp_path / "my-summary.txt")


def test_the_command_says_where_its_figures_are_from(recorded, root):
    command = [sys.executable, root / "parse_summary.py", recorded("phase-files")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["source"] == "per-phase files"
    assert "rebuilt from the files of its phases" in done.stderr


def test_the_recorded_runs_lose_no_figure_with_their_two_files(shared, tmp_path):
    """Every phase that left a file of its own, against the figure of the summary."""
    checked = 0
    for path in sorted(shared("upstream-runs").glob("*-std-*/results/result_summary.txt")):
        directory = tmp_path / path.parts[-3]
        shutil.copytree(path.parent, directory, ignore=shutil.ignore_patterns(*LOST))
        whole, rebuilt = load(path), load(directory)
        assert list(rebuilt.phases) == [name for name in whole.phases if name != "timestamp"]
        for name, phase in rebuilt.phases.items():
            assert phase.value == pytest.approx(whole.phases[name].value, rel=3e-4), (path, name)
            checked += 1
    assert checked >= 12 * 13
