"""Runs parsed again: one by io500_wrapper.sh --reprocess, all by reprocess_all_results.sh."""

import json
import os
import shutil
import subprocess
import tempfile

import pytest

from hpc_disk_bench.results import load
from hpc_disk_bench.tree import find_runs
from tests.support.needs import obeying_modes


@pytest.fixture
def command(root):
    """A function: a command of the clone with these arguments, as a finished process."""

    def run(name, *arguments, **options):
        return subprocess.run(
            [root / name, *arguments], capture_output=True, text=True, check=False, **options
        )

    return run


@pytest.fixture
def tree(recorded, tmp_path):
    """A results tree: a valid run one level deeper, an invalid and an aborted one."""
    results = tmp_path / "results"
    for place, name in {
        "c/n1/local/ssd/2026.01.01-00.00.00": "valid",
        "c/n1/nfs/nfs 7/hdd/2026.01.02-00.00.00": "invalid",
        "c/n2/local/hdd/2026.01.03-00.00.00": "aborted",
    }.items():
        shutil.copytree(recorded(name), results / place, copy_function=shutil.copyfile)
        (results / place / "run_metadata.json").write_text("{}\n")
    return results


def count(parsed=0, changed=0, unchanged=0, left=0, failed=0, skipped=0):
    """The closing line of reprocess_all_results.sh."""
    return (
        f"{parsed} parsed, {changed} changed, {unchanged} unchanged, {left} left alone, "
        f"{failed} failed, {skipped} skipped"
    )


def test_a_run_is_parsed_again_and_its_score_told(command, tree):
    run = tree / "c/n1/nfs/nfs 7/hdd/2026.01.02-00.00.00"
    done = command("io500_wrapper.sh", "--reprocess", run)
    assert done.returncode == 0, done.stderr
    assert "INVALID (stonewall-time 3s != 300s)" in done.stdout
    assert f"results   {run}/results.json" in done.stdout
    assert json.loads((run / "results.json").read_text()) == load(run).as_json()


def test_result_files_one_level_deeper_belong_to_the_run_above(command, tree):
    run = tree / "c/n1/local/ssd/2026.01.01-00.00.00"
    assert command("io500_wrapper.sh", "--reprocess", run).returncode == 0
    assert json.loads((run / "results.json").read_text())["score"]["valid"] is True
    assert not (run / "2026.11.20-09.54.40" / "results.json").exists()


def test_a_run_that_broke_off_is_parsed_and_said_to_be_partial(command, tree):
    run = tree / "c/n2/local/hdd/2026.01.03-00.00.00"
    done = command("io500_wrapper.sh", "--reprocess", run)
    assert done.returncode == 0
    assert "no score, partial: 2 of 12 phases" in done.stdout
    assert json.loads((run / "results.json").read_text())["partial"] is True


def test_the_recorded_upstream_runs_can_be_parsed_again(command, shared, tmp_path):
    for path in sorted(shared("upstream-runs").glob("*/results/**/result_summary.txt"))[::5]:
        if "[SCORE" not in path.read_text():
            continue
        run = tmp_path / path.relative_to(shared("upstream-runs")).parent
        shutil.copytree(path.parent, run, copy_function=shutil.copyfile)
        done = command("io500_wrapper.sh", "--reprocess", run)
        assert done.returncode == 0, done.stderr
        results = json.loads((run / "results.json").read_text())
        marked = sum(line.endswith("[INVALID]") for line in path.read_text().splitlines())
        assert sum(not entry["valid"] for entry in results.values()) == marked


@pytest.mark.parametrize(
    ("prepare", "code", "complaint"),
    [
        (lambda path: None, 2, "does not exist"),
        (lambda path: path.write_text("a file"), 2, "is a file, a directory is needed"),
        (lambda path: path.mkdir(), 5, "no such file, nor a result.txt or files of single phases"),
    ],
)
def test_a_directory_without_a_run_is_one_line(command, tmp_path, prepare, code, complaint):
    prepare(tmp_path / "run")
    done = command("io500_wrapper.sh", "--reprocess", tmp_path / "run")
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("io500_wrapper.sh: ")
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_may_not_be_looked_at_is_not_called_missing(root, tmp_path):
    (tmp_path / "closed").mkdir(mode=0)
    for command in (["reprocess_all_results.sh"], ["io500_wrapper.sh", "--reprocess"]):
        command[0] = root / command[0]
        done = subprocess.run(
            [*obeying_modes(), *command, tmp_path / "closed/tree"], capture_output=True, text=True
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert f"{tmp_path}/closed/tree: cannot be read: Permission denied (" in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_a_directory_with_several_runs_is_not_taken_for_one(command, tree):
    done = command("io500_wrapper.sh", "--reprocess", tree)
    assert done.returncode == 2
    assert "holds 3 runs; name one of them, or: ./reprocess_all_results.sh" in done.stderr


def test_reprocess_needs_exactly_one_directory(command):
    done = command("io500_wrapper.sh", "--reprocess")
    assert done.returncode == 2
    assert "--reprocess needs one results directory, 0 given" in done.stderr


def test_all_runs_of_a_tree_are_parsed_again_and_counted(command, tree):
    done = command("reprocess_all_results.sh", tree)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "  Parsed: c/n1/local/ssd/2026.01.01-00.00.00",
        "  Parsed: c/n1/nfs/nfs 7/hdd/2026.01.02-00.00.00 (INVALID)",
        "  Parsed: c/n2/local/hdd/2026.01.03-00.00.00 (partial)",
        f"{count(parsed=3)} below {tree}",
    ]
    assert len(list(tree.rglob("results.json"))) == 3


def test_the_results_root_comes_from_the_environment_or_the_working_directory(command, tree):
    environ = {**os.environ, "IO500_RESULTS_DIR": str(tree)}
    assert "3 parsed" in command("reprocess_all_results.sh", env=environ).stdout
    tree.rename(tree.parent / "io500_results")
    environ.pop("IO500_RESULTS_DIR")
    done = command("reprocess_all_results.sh", env=environ, cwd=tree.parent)
    assert f"{count(unchanged=3)} below io500_results" in done.stdout


def test_what_cannot_be_parsed_is_named_and_the_rest_is_done(command, tree):
    broken = tree / "c/n1/local/ssd/2026.01.04-00.00.00"
    broken.mkdir()
    (broken / "run_metadata.json").write_text("{}")
    empty = tree / "c/n1/local/ssd/2026.01.05-00.00.00"
    empty.mkdir()
    (empty / "result_summary.txt").write_bytes(b"\x00\x01\x02\n\x1b[2J")
    done = command("reprocess_all_results.sh", "--quiet", tree)
    assert done.returncode == 5
    assert done.stdout == f"{count(parsed=3, failed=2)} below {tree}\n"
    failures = done.stderr.splitlines()
    assert len(failures) == 2
    assert "Failed: c/n1/local/ssd/2026.01.04-00.00.00: " in failures[0]
    assert "no line in it is a phase or a score" in failures[1]
    assert "Traceback" not in done.stderr


def test_a_strange_tree_is_walked_to_its_end(command, tree):
    node = tree / "c/n1"
    (node / "loop").symlink_to(tree)
    (node / "self").symlink_to("self")
    (node / "dangling").symlink_to("nowhere")
    (node / "alias").symlink_to(node / "local")
    run = node / "local/ssd/2026.01.01-00.00.00"
    (run / "._result_summary.txt").write_bytes(b"\x00\x05\x16\x07")
    (tree / "._c").write_bytes(b"\x00\x05\x16\x07")
    (tree / ".snapshot").mkdir()
    shutil.copytree(run, tree / ".snapshot/run")
    (tree / "c/half written").mkdir()
    (tree / "c/line\nend").mkdir()
    data = tree / "c/io500.x"
    (data / "data").mkdir(parents=True)
    (data / ".hpc-disk-bench.json").write_text("{}")
    (data / "data/result.txt").write_text("[find]\nscore = 1\n")
    done = command("reprocess_all_results.sh", tree)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith(count(parsed=3, skipped=7))
    assert "alias: the same directory as" in done.stderr
    assert "loop: the same directory as" in done.stderr
    assert "self: Too many levels of symbolic links" in done.stderr
    assert "._result_summary.txt: an AppleDouble file" in done.stderr
    assert "io500.x: the data of a benchmark run" in done.stderr


def test_an_unreadable_directory_is_named_and_skipped():
    with tempfile.TemporaryDirectory() as tree:
        os.chmod(tree, 0o755)
        os.mkdir(os.path.join(tree, "closed"), 0)
        skipped = []
        child = os.fork()
        if child == 0:
            if os.geteuid() == 0:  # for whom nothing is unreadable
                os.setuid(65534)
            find_runs(tree, lambda path, reason: skipped.append((path, reason)))
            os._exit(skipped != [(os.path.join(tree, "closed"), "Permission denied")])
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_of_several_copies_of_a_run_the_deepest_counts(recorded, tmp_path):
    top = tmp_path / "run"
    shutil.copytree(recorded("invalid"), top)
    shutil.copytree(recorded("valid", "2026.11.20-09.54.40"), top / "results/2026.11.20-09.54.40")
    (run,) = find_runs(tmp_path)
    assert run.directory == str(top)
    assert run.files == str(top / "results/2026.11.20-09.54.40")


def test_a_stray_result_file_at_the_top_does_not_swallow_the_runs_below(tree):
    (tree / "result.txt").write_text("[find]\nscore = 1\n")
    places = [os.path.relpath(run.directory, tree) for run in find_runs(tree)]
    assert places == [
        *(".", "c/n1/local/ssd/2026.01.01-00.00.00"),
        *("c/n1/nfs/nfs 7/hdd/2026.01.02-00.00.00", "c/n2/local/hdd/2026.01.03-00.00.00"),
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting read-only needs root")
def test_a_tree_that_cannot_be_written_fails_by_name(command, tree, tmp_path):
    read_only = tmp_path / "read-only"
    read_only.mkdir()
    mounted = subprocess.run(["mount", "--bind", "-o", "ro", tree, read_only], check=False)
    if mounted.returncode != 0:
        pytest.skip("cannot bind mount here")
    try:
        done = command("reprocess_all_results.sh", read_only)
    finally:
        subprocess.run(["umount", read_only], check=True)
    assert done.returncode == 5
    assert "cannot be written: Read-only file system" in done.stderr


def test_it_runs_on_python_3_9(command, tree, python39, tmp_path):
    path = tmp_path / "bin"
    path.mkdir()
    (path / "python3").symlink_to(python39)
    environ = {"PATH": f"{path}:/usr/bin:/bin", "VIRTUAL_ENV": ""}
    environ["CONDA_PREFIX"] = str(tmp_path / "none")
    done = subprocess.run(
        [python39, "-I", "hpc_disk_bench/__main__.py", "reprocess-all", f"--directory={tree}"],
        capture_output=True,
        text=True,
        env=environ,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "3 parsed" in done.stdout
