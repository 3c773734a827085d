"""What parsing a tree again changes: only what differs, said value by value, and nothing else."""

import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest

from hpc_disk_bench.changes import changes
from hpc_disk_bench.results import load

RUNS = {
    "c/n1/local/ssd/2026.01.01-00.00.00": "valid",
    "c/n1/nfs/nfs7/hdd/2026.01.02-00.00.00": "invalid",
    "c/n2/local/hdd/2026.01.03-00.00.00": "aborted",
}
VALID, INVALID, ABORTED = RUNS


@pytest.fixture
def tree(recorded, tmp_path):
    """A results tree of three runs that were never parsed: a valid, an invalid and a broken one."""
    results = tmp_path / "results"
    for place, name in RUNS.items():
        shutil.copytree(recorded(name), results / place, copy_function=shutil.copyfile)
        (results / place / "run_metadata.json").write_text("{}\n")
    return results


@pytest.fixture
def again(root, tree):
    """A function: reprocess_all_results.sh with these options on the tree, as finished process."""

    def run(*options, code=0):
        command = [root / "reprocess_all_results.sh", *options, tree]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return done

    return run


def state(tree):
    """Every file of the tree with its content and when it was written."""
    files = sorted(path for path in tree.rglob("*") if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def originals(tree):
    return {
        path: content
        for path, content in state(tree).items()
        if not path.endswith((".parsed.json", "results.json"))
    }


def test_a_tree_that_has_not_changed_is_neither_parsed_nor_written(again, tree):
    before = originals(tree)
    again()
    done = state(tree)
    out = again().stdout
    assert out.startswith("0 parsed, 0 changed, 3 unchanged, 0 left alone, 0 failed")
    assert state(tree) == done
    assert originals(tree) == before


def test_what_changed_is_said_value_by_value_and_summed_up(again, tree):
    again()
    for place in (VALID, INVALID):
        path = tree / place / "results.json"
        results = json.loads(path.read_text())
        results["find"]["value"], results["score"]["valid"] = 1.5, "yes"
        del results["ior-easy-read"]
        path.write_text(json.dumps(results))
    lines = again().stdout.splitlines()
    assert f"  Changed: {INVALID} (INVALID)" in lines
    assert "    find.value: 1.5 -> 2116.031089" in lines
    assert '    score.valid: "yes" -> false' in lines
    assert any(line.startswith('    ior-easy-read: none -> {"value": ') for line in lines)
    assert "  find.value changed in 2 runs" in lines
    assert lines[-1].startswith("0 parsed, 2 changed, 1 unchanged")
    assert (
        json.loads((tree / INVALID / "results.json").read_text()) == load(tree / INVALID).as_json()
    )


def test_a_score_that_its_phases_do_not_give_is_named_with_its_run(again, tree):
    path = tree / INVALID / "result_summary.txt"
    path.write_text(path.read_text().replace("TOTAL 37.565544", "TOTAL 1411.170212"))
    lines = again().stdout.splitlines()
    place = lines.index(f"  Parsed: {INVALID} (INVALID)")
    assert lines[place + 1].startswith("    warning: the printed total 1411.17 is bandwidth * iops")


def test_a_file_of_the_benchmark_that_changed_is_parsed_again(again, tree):
    again()
    path = tree / INVALID / "result_summary.txt"
    path.write_text(path.read_text().replace("2116.031089", "2116.031000"))
    out = again().stdout
    assert "    find.value: 2116.031089 -> 2116.031\n" in out
    assert "0 parsed, 1 changed, 2 unchanged" in out


def test_a_run_parsed_by_another_version_is_parsed_again(again, tree):
    again()
    record = tree / VALID / ".parsed.json"
    content = json.loads(record.read_text())
    content["parser"] = "0.0.1+" + "0" * 12
    record.write_text(json.dumps(content))
    (tree / VALID / "results.json").write_text("{}")
    content["results_sha256"] = hashlib.sha256(b"{}").hexdigest()
    record.write_text(json.dumps(content))
    assert "0 parsed, 1 changed, 2 unchanged" in again().stdout
    assert json.loads(record.read_text())["parser"] != content["parser"]


def test_a_record_that_is_lost_or_spoilt_only_costs_the_parsing(again, tree):
    again()
    results = (tree / VALID / "results.json").stat().st_mtime_ns
    (tree / VALID / ".parsed.json").write_text("{")
    (tree / INVALID / ".parsed.json").unlink()
    assert "0 parsed, 0 changed, 3 unchanged" in again().stdout
    assert (tree / VALID / "results.json").stat().st_mtime_ns == results
    assert json.loads((tree / VALID / ".parsed.json").read_text())["schema_version"] == 1


def test_results_that_are_no_json_are_written_anew(again, tree):
    again()
    (tree / VALID / "results.json").write_text('{"find": ')
    out = again().stdout
    assert "results.json" in out
    assert "-> rewritten" in out
    assert json.loads((tree / VALID / "results.json").read_text())["score"]["valid"] is True


def test_a_dry_run_says_the_same_and_writes_nothing(again, tree):
    before = state(tree)
    out = again("--dry-run").stdout
    assert f"  Parsed: {INVALID} (INVALID)" in out
    assert out.endswith("(dry run: nothing written)\n")
    assert state(tree) == before


def test_force_parses_also_what_has_not_changed(again, tree):
    again()
    before = (tree / VALID / "results.json").stat().st_mtime_ns
    record = tree / VALID / ".parsed.json"
    record.unlink()
    assert "0 parsed, 0 changed, 3 unchanged" in again("--force").stdout
    assert (tree / VALID / "results.json").stat().st_mtime_ns == before
    assert record.exists()


@pytest.mark.parametrize("jobs", ["0", "-1", "many", "", "1.5"])
def test_a_wrong_number_of_processes_is_refused(root, tree, jobs):
    command = [root / "reprocess_all_results.sh", "--jobs", jobs, tree]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"--jobs '{jobs}': the number of processes is needed" in done.stderr


def write_status(run, **fields):
    content = {"schema_version": 1, "state": "running", "updated_epoch": 0, **fields}
    (run / "status.json").write_text(json.dumps(content))


def test_a_run_whose_process_is_alive_is_left_alone(again, tree):
    run = tree / ABORTED
    process = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(60)", "hpc_disk_bench/__main__.py"]
    )
    try:
        write_status(run, host=socket.gethostname(), pid=process.pid)
        done = again("--force")
    finally:
        process.kill()
        process.wait()
    assert (
        f"Left alone: {ABORTED}: still running (on {socket.gethostname()}, process" in done.stderr
    )
    assert "2 parsed, 0 changed, 0 unchanged, 1 left alone" in done.stdout
    assert not (run / "results.json").exists()


def test_a_run_on_another_host_is_left_alone_as_long_as_it_is_heard_of(again, tree):
    write_status(tree / ABORTED, host="n9", pid=1, updated_epoch=time.time() - 30)
    assert "1 left alone" in again().stdout
    write_status(tree / ABORTED, host="n9", pid=1, updated_epoch=time.time() - 3600)
    assert "1 parsed, 0 changed, 2 unchanged, 0 left alone" in again().stdout


def test_one_run_that_is_still_going_on_is_refused(root, tree):
    write_status(tree / ABORTED, host="n9", pid=1, updated_epoch=time.time())
    command = [root / "io500_wrapper.sh", "--reprocess", tree / ABORTED]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert re.search(r"still running \(heard of \d+ s ago\): left alone", done.stderr)


def test_a_wrapper_that_runs_is_left_alone_and_its_end_is_parsed(wrapper, root):
    wrapper.use_stand_in(hang="yes")
    process = wrapper.start()
    try:
        while not wrapper.runs or wrapper.json("status.json")["state"] != "running":
            time.sleep(0.05)
        command = [root / "reprocess_all_results.sh", wrapper.results]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert f"process {wrapper.json('status.json')['pid']}" in done.stderr
        assert "1 left alone" in done.stdout
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "interrupted before anything was measured" in done.stderr


def test_a_run_of_the_wrapper_needs_no_parsing_afterwards(wrapper, root, recorded):
    wrapper.use_stand_in(run=recorded("invalid"))
    assert wrapper.run().returncode == 0
    command = [root / "reprocess_all_results.sh", wrapper.results]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("0 parsed, 0 changed, 1 unchanged")


def test_one_run_tells_what_changed_and_a_dry_run_leaves_it(root, tree):
    run = tree / INVALID
    old = {"find": {"value": 1.0, "unit": "kIOPS", "time": 1.0, "valid": True}}
    (run / "results.json").write_text(json.dumps(old))
    command = [root / "io500_wrapper.sh", "--reprocess", "--dry-run", run]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "changed find.value: 1.0 -> 2116.031089" in done.stderr
    assert "nothing is written; results.json would be changed" in done.stderr
    assert json.loads((run / "results.json").read_text()) == old
    assert not (run / ".parsed.json").exists()
    command.remove("--dry-run")
    subprocess.run(command, capture_output=True, check=True)
    assert json.loads((run / "results.json").read_text()) == load(run).as_json()


def test_dry_run_without_reprocess_is_wrong_use(wrapper):
    done = wrapper.run("--dry-run")
    assert done.returncode == 2
    assert "--dry-run belongs to --reprocess" in done.stderr
    assert wrapper.made() == []


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting read-only needs root")
def test_a_read_only_tree_that_holds_the_right_results_is_up_to_date(again, tree, mount, root):
    again()
    for path in tree.rglob(".parsed.json"):
        path.unlink()
    (tree / VALID / "results.json").write_text("{}")
    point = mount("--bind", "-o", "ro", tree, on="read-only")
    command = [root / "reprocess_all_results.sh", point]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 5
    assert done.stderr.splitlines() == [
        f"  Failed: {VALID}: {point}/{VALID}/results.json: cannot be written: Read-only file system"
    ]
    assert done.stdout.splitlines()[-1].startswith(
        "0 parsed, 0 changed, 2 unchanged, 0 left alone, 1 failed"
    )


def test_a_run_whose_own_two_files_are_lost_is_parsed_from_those_of_its_phases(
    again, tree, recorded
):
    run = tree / "c/n3/local/hdd/2026.01.04-00.00.00"
    deeper = run / "2026.01.04-00.00.07"
    shutil.copytree(recorded("phase-files"), deeper, copy_function=shutil.copyfile)
    (run / "run_metadata.json").write_text("{}\n")
    assert "4 parsed" in again().stdout
    assert json.loads((run / "results.json").read_text())["source"] == "per-phase files"
    assert "4 unchanged" in again().stdout
    (deeper / "find.csv").unlink()
    assert "    find: {" in again().stdout


def test_changes_tell_truth_values_from_numbers_and_another_order():
    old = {"b": {"value": 1.0, "valid": 1}, "a": {"value": 2.0}, "gone": {"value": None}}
    new = {"a": {"value": 2.0}, "b": {"value": 1, "valid": True}}
    assert [str(change) for change in changes(old, new)] == [
        "b.valid: 1 -> true",
        'gone: {"value": null} -> none',
    ]
    assert len(changes({"a": 1, "b": 2}, {"b": 2, "a": 1})) == 1
    assert changes(old, old) == []
