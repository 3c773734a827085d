"""scripts/setup.sh, with real virtual environments and a real pip."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from little_clone import LittleClone


def only_line(result):
    """The one line of a refusal, after checking that it is one and comes with exit code 2."""
    assert result.returncode == 2, result.stderr
    lines = result.stderr.strip().splitlines()
    refusals = [line for line in lines if line.startswith("set-up: ")]
    assert lines[-1:] == refusals, result.stderr
    assert "Traceback" not in result.stderr
    return lines[-1]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A clone that is set up; tests leave it so."""
    clone = LittleClone(tmp_path_factory.mktemp("made"))
    first = clone.setup("report")
    assert first.returncode == 0, first.stderr
    return clone


def test_a_set_up_makes_the_environment_and_the_next_one_touches_nothing(made):
    assert made.installed() == "1.0"
    before = made.snapshot(made.venv)

    second = made.setup("report")

    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert made.snapshot(made.venv) == before


def test_an_active_environment_that_has_everything_is_used_and_no_other_made(made, clone):
    used = clone.setup("report", VIRTUAL_ENV=str(made.venv))

    assert (used.returncode, used.stderr) == (0, "")
    assert not clone.venv.exists()


def test_a_changed_lock_is_installed_by_the_next_set_up(made):
    made.lock("1.1")
    assert made.setup("report").returncode == 0
    assert made.installed() == "1.1"

    made.lock("1.0")
    assert made.setup("report").returncode == 0
    assert made.installed() == "1.0"


def test_a_set_up_that_was_killed_is_made_good_by_the_next(clone):
    process = subprocess.Popen(
        ["scripts/setup.sh", "report"],
        cwd=clone.root,
        env=clone.environ(),
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not (clone.venv / "bin/python").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert clone.installed() == ""

    again = clone.setup("report")

    assert again.returncode == 0, again.stderr
    assert clone.installed() == "1.0"


def test_two_set_ups_at_once_make_one_environment(clone):
    command = ["scripts/setup.sh", "report"]
    both = [
        subprocess.Popen(command, cwd=clone.root, env=clone.environ(), stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    talk = [process.communicate(timeout=300)[1].decode() for process in both]

    assert [process.returncode for process in both] == [0, 0], talk
    assert sorted("making .venv" in text for text in talk) == [False, True]
    assert clone.installed() == "1.0"


def test_a_venv_that_somebody_else_made_is_refused_and_left_alone(clone):
    clone.venv.mkdir()
    (clone.venv / "precious").write_text("mine")

    refused = clone.setup("report")

    assert "was not made by this set-up" in only_line(refused)
    assert [path.name for path in clone.venv.iterdir()] == ["precious"]


def test_neither_half_an_active_environment_nor_pythonpath_passes_for_installed(
    made, clone, tmp_path
):
    (clone.root / "requirements/report.in").write_text("little-part\nanother-part\n")
    (tmp_path / "module").mkdir()
    (tmp_path / "module/little_part.py").write_text('version = "of a module"\n')

    result = clone.setup("report", VIRTUAL_ENV=str(made.venv), PYTHONPATH=str(tmp_path / "module"))

    assert result.returncode == 0, result.stderr
    assert clone.installed() == "1.0"


def test_without_a_network_one_line_says_so_and_nothing_is_left(clone):
    before = clone.snapshot()

    offline = clone.setup(
        "report", PIP_NO_INDEX=None, PIP_FIND_LINKS=None, PIP_INDEX_URL="http://127.0.0.1:9/"
    )

    assert "index cannot be reached" in only_line(offline)
    assert clone.snapshot().keys() == before.keys()


def test_a_package_that_is_not_what_was_locked_is_not_installed(clone):
    lock = clone.root / "requirements/report.lock"
    lock.write_text("little-part==1.0 --hash=sha256:" + "0" * 64 + "\n")

    refused = clone.setup("report")

    assert "could not install the locked packages" in only_line(refused)
    assert not clone.venv.exists()


@pytest.mark.parametrize("missing", ["none at all", "one that cannot compile"])
def test_without_a_c_compiler_one_line_says_so_and_nothing_is_left(clone, path_without, missing):
    programs = path_without("cc", "gcc", "clang", "c99", "c89", "mpicc", "x86_64", "aarch64")
    if missing == "one that cannot compile":
        (programs / "cc").write_text("#!/bin/sh\necho no headers >&2\nexit 1\n")
        (programs / "cc").chmod(0o755)
    before = clone.snapshot()

    refused = clone.setup(PATH=str(programs), CC=None)

    line = only_line(refused)
    assert "C compiler" in line
    assert "apt install gcc" in line
    assert len(refused.stderr.splitlines()) == 1
    assert clone.snapshot() == before


def old_python(tmp_path):
    """A real Python before 3.11 where there is one, else a program that answers like one."""
    versions = Path(os.environ.get("PYENV_ROOT", "/nonexistent")) / "versions"
    for real in versions.glob("3.[6-9].*/bin/python3"):
        return real
    standin = tmp_path / "python3"
    standin.write_text("#!/bin/sh\necho '309|yes|/usr/bin/python3'\n")
    standin.chmod(0o755)
    return standin


def test_a_python_that_is_too_old_is_one_line_and_leaves_nothing(clone, tmp_path):
    before = clone.snapshot()

    refused = clone.setup("report", PYTHON=str(old_python(tmp_path)))

    assert "Python 3.11 or newer is needed" in only_line(refused)
    assert len(refused.stderr.splitlines()) == 1
    assert clone.snapshot() == before


def test_a_python_without_ensurepip_is_one_line_that_names_the_package(clone, tmp_path):
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden/ensurepip.py").write_text("raise ImportError\n")
    python = tmp_path / "python3"
    python.write_text(
        f'#!/bin/sh\nPYTHONPATH={tmp_path}/hidden exec {sys.base_prefix}/bin/python3 "$@"\n'
    )
    python.chmod(0o755)

    refused = clone.setup("report", PYTHON=str(python))

    assert "apt install python3-venv" in only_line(refused)
    assert not clone.venv.exists()


def test_names_on_path_that_do_not_run_are_passed_over_for_a_python_that_does(
    clone, path_without, tmp_path
):
    programs = path_without("python")
    shim = programs / "python3.13"
    shim.write_text("#!/bin/sh\necho 'python3.13: command not found' >&2\nexit 127\n")
    shim.chmod(0o755)
    (programs / "python3.12").symlink_to(old_python(tmp_path))
    real = Path(sys.base_prefix) / "bin/python3"
    (programs / "python3").symlink_to(real)

    found = subprocess.run(
        ["bash", "-euc", "root=$PWD; . scripts/common.bash; . scripts/venv.bash; find_python"],
        cwd=clone.root,
        env=clone.environ(PATH=str(programs), PYTHON=None),
        capture_output=True,
        text=True,
    )

    assert found.returncode == 0, found.stderr
    assert Path(found.stdout.strip()).resolve() == real.resolve()


def test_make_reports_a_failed_set_up_as_a_failure(clone):
    clone.venv.mkdir()
    made = subprocess.run(
        ["make", "-s", "report"],
        cwd=clone.root,
        env=clone.environ(),
        capture_output=True,
        text=True,
    )
    assert made.returncode == 2
    assert "set-up: " in made.stderr


def test_an_environment_whose_python_is_gone_is_made_again(made):
    (made.venv / "bin/python").unlink()

    assert made.setup("report").returncode == 0

    assert made.installed() == "1.0"


def test_a_part_that_does_not_exist_is_refused(clone):
    assert "no such part: everything" in only_line(clone.setup("everything"))


def test_in_this_clone_too_nothing_is_done_twice(root, engine):
    command = [root / "scripts/setup.sh", "report", "dev", "engine"]
    subprocess.run(command, check=True)
    before = engine.stat().st_mtime_ns

    again = subprocess.run(command, capture_output=True, text=True)

    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert engine.stat().st_mtime_ns == before
