"""io500_wrapper.sh --clean: what runs that were killed left is removed, and nothing else."""

import json
import os
import shutil
import signal
import subprocess
import time

import pytest

from hpc_disk_bench import identity
from hpc_disk_bench.marked import Marked
from tests.support.processes import processes_in, wait_for

MARKER = ".hpc-disk-bench.json"


def kill(wrapper, process):
    """kill -9 of the wrapper; its benchmark goes with it."""
    process.kill()
    process.communicate()
    wait_for(lambda: not processes_in(wrapper.directory))


@pytest.fixture
def killed(hanging):
    """A wrapper with the leftovers of one run that was killed."""
    process = hanging.start()
    wait_for(hanging.hangs)
    kill(hanging, process)
    return hanging


def clean(wrapper, *flags, directory=None):
    command = [wrapper.arguments()[0], "--clean", *flags, directory or wrapper.test_dir]
    process = wrapper.start(command=command)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def left(wrapper):
    (path,) = wrapper.test_dir.glob("io500.*")
    return path


def forge(directory, **changes):
    """A marked directory as a run of this machine that is gone leaves it."""
    (directory / "data").mkdir(parents=True)
    (directory / "data/file").write_text("data")
    process = subprocess.Popen(["true"])
    gone = identity.of_process(process.pid)
    process.wait()
    marker = {
        "schema_version": 1,
        "created_by": "hpc-disk-bench",
        "user": "me",
        **gone,
        "start_ticks": 1,
        "created_epoch": time.time() - 7200,
        "run_directory": "/nowhere",
        "made": [],
        **changes,
    }
    (directory / MARKER).write_text(json.dumps(marker))
    return directory


def test_a_benchmark_ends_with_its_wrapper_even_when_that_is_killed(hanging):
    process = hanging.start()
    wait_for(hanging.hangs)
    process.kill()
    process.communicate()
    wait_for(lambda: not processes_in(hanging.directory))


def test_what_a_killed_run_left_is_removed_and_its_run_closed(killed):
    path = left(killed)
    owner = path.owner()
    code, out, err = clean(killed)
    assert code == 0, err
    (line,) = out.splitlines()
    assert line.startswith(f"removed   {path}: ")
    assert " files, " in line
    assert f" old, of {owner}@" in line
    assert not killed.test_dir.exists()  # the run had made it
    status = killed.json("status.json")
    assert (status["state"], status["diagnosis"]["code"]) == ("interrupted", "HDB028")
    assert f"{killed.runs[0]}: its run was killed" in err


def test_a_dry_run_says_what_would_go_and_touches_nothing(killed):
    before, status = killed.made(), killed.json("status.json")
    code, out, _ = clean(killed, "--dry-run")
    assert code == 0
    assert out.startswith(f"would go  {left(killed)}: ")
    assert (killed.made(), killed.json("status.json")) == (before, status)


def test_a_run_that_goes_on_is_left_alone_and_named(hanging):
    process = hanging.start()
    wait_for(hanging.hangs)
    path = left(hanging)
    code, out, err = clean(hanging, "--force")
    assert (code, out) == (0, "")
    assert f"{path} (" in err
    assert f"process {process.pid} on this node" in err
    assert (path / "data/ior-easy/ior_file_easy.00000000").exists()
    process.terminate()
    process.communicate(timeout=30)


def test_a_benchmark_that_outlives_its_wrapper_keeps_its_data(hanging, recorded):
    hanging.use_stand_in(hang="deaf", run=recorded("aborted"))
    process = hanging.start()
    wait_for(hanging.hangs)
    process.kill()
    process.communicate()
    code, _, err = clean(hanging, "--force")
    assert code == 0
    assert "its benchmark goes on as process " in err
    assert (left(hanging) / "data").is_dir()
    for pid in processes_in(hanging.directory):
        os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not processes_in(hanging.directory))
    assert clean(hanging)[0] == 0
    assert not hanging.test_dir.exists()


def test_a_process_that_was_given_the_number_since_does_not_count(wrapper):
    """The marker tells when its process was started: this test's number is another's by that."""
    path = forge(wrapper.test_dir / "io500.00000001", pid=os.getpid())
    assert clean(wrapper)[0] == 0
    assert not path.exists()


def test_what_is_not_marked_is_never_removed(wrapper):
    unmarked = wrapper.test_dir / "io500.00000001"
    (unmarked / "data").mkdir(parents=True)
    foreign = wrapper.test_dir / "io500.00000002"
    foreign.mkdir()
    (foreign / MARKER).write_text('{"created_by": "somebody"}')
    broken = wrapper.test_dir / "io500.00000003"
    broken.mkdir()
    (broken / MARKER).write_text('{"created_by": "hpc-disk-be')
    forge(wrapper.test_dir / "of another name")
    before = wrapper.made()
    code, out, err = clean(wrapper, "--force")
    assert (code, out) == (0, "")
    assert f"{unmarked}: its marker {MARKER} is gone" in err
    assert f"{foreign}: its marker is not one of hpc-disk-bench" in err
    assert f"{broken}/{MARKER}:1: not JSON" in err
    assert wrapper.made() == before


def test_neither_a_link_is_followed_nor_a_marker_that_is_one(wrapper):
    outside = forge(wrapper.directory / "outside")
    wrapper.test_dir.mkdir()
    (wrapper.test_dir / "io500.00000001").symlink_to(outside)
    linked = wrapper.test_dir / "io500.00000002"
    linked.mkdir()
    (linked / MARKER).symlink_to(outside / MARKER)
    inside = forge(wrapper.test_dir / "io500.00000003")
    (inside / "data/link").symlink_to(outside)
    code, _, err = clean(wrapper, "--force")
    assert code == 0
    assert "io500.00000001: it is no directory" in err
    assert f"io500.00000002: its marker {MARKER} cannot be read" in err
    assert (outside / "data/file").read_text() == "data"
    assert not inside.exists()
    assert linked.exists()


@pytest.mark.parametrize("where", ["on it", "in it"])
def test_a_mount_point_is_not_crossed_even_of_the_same_file_system(wrapper, where, real_parts):
    real_parts.root()
    precious = forge(wrapper.directory / "precious")
    path = forge(wrapper.test_dir / "io500.00000001")
    point = path if where == "on it" else path / "data/mounted"
    point.mkdir(exist_ok=True)
    done = subprocess.run(["mount", "--bind", precious, point], check=False)
    if done.returncode:
        real_parts.lack("bind mounts")
    try:
        _, _, err = clean(wrapper)
        assert "mounted" in err
        assert (precious / "data/file").read_text() == "data"
        assert (precious / MARKER).exists()
    finally:
        subprocess.run(["umount", point], check=True)


def test_another_host_s_run_is_judged_by_what_was_last_heard_of_it(wrapper):
    run = wrapper.results / "c/n/local/ssd/2026.01.01-00.00.00"
    run.mkdir(parents=True)
    path = forge(
        wrapper.test_dir / "io500.00000001", host="n7", pid=5, run_directory=os.fspath(run)
    )
    status = {"state": "running", "host": "n7", "pid": 5, "updated_epoch": time.time() - 20}
    (run / "status.json").write_text(json.dumps(status))
    code, _, err = clean(wrapper, "--force")
    assert code == 0
    assert "on n7, heard of 2" in err
    status["updated_epoch"] -= 3600
    (run / "status.json").write_text(json.dumps(status))
    code, out, _ = clean(wrapper)
    assert (code, out.startswith(f"removed   {path}")) == (0, True)
    assert json.loads((run / "status.json").read_text())["state"] == "interrupted"


def test_a_run_of_which_nothing_can_be_seen_is_left_unless_forced(wrapper):
    path = forge(wrapper.test_dir / "io500.00000001", host="n7")
    code, out, err = clean(wrapper)
    assert (code, out) == (3, "")
    assert "it was started on n7" in err
    assert "clean there, or add --force if it is over" in err
    assert path.exists()
    assert clean(wrapper, "--force")[0] == 0
    assert not path.exists()


def test_a_marker_that_points_elsewhere_changes_nothing_there(wrapper, killed):
    """Neither another run's status, nor a directory above that the marker claims to have made."""
    victim = killed.runs[0]
    said = (victim / "status.json").read_text()
    shutil.rmtree(killed.test_dir)
    empty = killed.directory / "empty"
    empty.mkdir()
    path = forge(
        killed.test_dir / "io500.00000001", run_directory=os.fspath(victim), made=[os.fspath(empty)]
    )
    assert clean(killed)[0] == 0
    assert not path.exists()
    assert (victim / "status.json").read_text() == said
    assert empty.is_dir()


def test_what_was_begun_by_a_killed_process_goes_as_far_as_it_is_known(wrapper):
    wrapper.test_dir.mkdir()
    process = subprocess.Popen(["true"])
    process.wait()
    host = os.uname().nodename
    for number, content in enumerate(((), (MARKER, "data/"), ("precious",))):
        path = wrapper.test_dir / f".io500.{host}-{process.pid}-0000000{number}.part"
        path.mkdir()
        for name in content:
            (path / name).mkdir() if name.endswith("/") else (path / name).write_text("")
    code, out, _ = clean(wrapper)
    assert code == 0
    assert len(out.splitlines()) == 2
    (kept,) = wrapper.test_dir.iterdir()
    assert [file.name for file in kept.iterdir()] == ["precious"]


def test_a_removal_that_is_given_up_leaves_a_leftover_that_is_known(wrapper):
    path = forge(wrapper.test_dir / "io500.00000001")
    with Marked(path) as marked:
        removed, _, gone = marked.remove(give_up=lambda files: True)
    assert (removed, gone) == (0, False)
    assert (path / MARKER).exists()
    code, out, _ = clean(wrapper)
    assert (code, out.startswith(f"removed   {path}: ")) == (0, True)
    assert not path.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--clean"], "--clean needs one test directory, 0 given"),
        (["--clean", "--reprocess", "x"], "two commands"),
        (["--clean", "/no/such/directory"], "/no/such/directory: cannot be read"),
        (["--clean", "--check", "x"], "--check does not belong to --clean"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(wrapper, arguments, message):
    process = wrapper.start(command=[wrapper.arguments()[0], *arguments])
    _, err = process.communicate()
    assert process.returncode == 2
    assert message in err
    assert len(err.splitlines()) == 1
