"""A command finds the Python that has what it needs, from wherever it is called."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = """\
#!/usr/bin/env python3
import os, sys
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from hpc_disk_bench import environment
environment.use("report")
print(sys.prefix, sys.argv[1:])
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A real environment with nothing in it."""
    path = tmp_path_factory.mktemp("bare") / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", path], check=True)
    return path


@pytest.fixture(scope="module")
def full(root):
    """The environment of this test run, which has to have all that the report needs."""
    check = [sys.executable, "-I", root / "scripts/has_packages.py", root / "requirements/report"]
    if subprocess.run(check).returncode:
        pytest.skip("this Python lacks packages of requirements/report.in")
    return Path(sys.prefix)


@pytest.fixture
def clone(root, tmp_path):
    """A clone of the least that a command needs, with one command in it."""
    path = tmp_path / "a clone"
    (path / "hpc_disk_bench").mkdir(parents=True)
    shutil.copy(root / "hpc_disk_bench/environment.py", path / "hpc_disk_bench")
    shutil.copytree(root / "requirements", path / "requirements")
    (path / "scripts").mkdir()
    shutil.copy(root / "scripts/has_packages.py", path / "scripts")
    (path / "command.py").write_text(COMMAND)
    (path / "command.py").chmod(0o755)
    return path


def run(*words, cwd="/", **environment):
    inherited = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
    env = {**inherited, **{name: str(value) for name, value in environment.items()}}
    return subprocess.run(
        [str(word) for word in words], cwd=cwd, env=env, capture_output=True, text=True, timeout=60
    )


def base_python():
    """A Python outside every environment."""
    return Path(sys.base_prefix) / "bin/python3"


def test_a_python_that_has_all_keeps_the_command(clone, full):
    done = run(full / "bin/python", clone / "command.py", "a b", "--c")
    assert done.stdout == f"{full} ['a b', '--c']\n"


def test_the_active_environment_takes_it_over_with_the_same_arguments(clone, full):
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        done = run(base_python(), clone / "command.py", "a b", "$(c)", **{name: full})
        assert done.stdout == f"{full} ['a b', '$(c)']\n", done.stderr


def test_the_clones_own_environment_is_next(clone, full, bare):
    (clone / ".venv").symlink_to(full)
    done = run(bare / "bin/python", clone / "command.py", "x", VIRTUAL_ENV=bare)
    assert done.stdout == f"{clone}/.venv ['x']\n", done.stderr


def test_it_is_found_through_a_link_and_by_its_name_on_path(clone, full, bare, tmp_path):
    (clone / ".venv").symlink_to(full)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/gather").symlink_to(clone / "command.py")
    path = f"{tmp_path}/bin:{bare}/bin:{os.environ['PATH']}"
    done = run("bash", "-c", "gather two", PATH=path)
    assert done.stdout == f"{clone}/.venv ['two']\n", done.stderr


def test_where_no_python_has_all_it_is_one_line_with_the_remedy(clone, bare):
    done = run(bare / "bin/python", clone / "command.py", "x", VIRTUAL_ENV=bare)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "command.py: needs Python 3.11 or newer with the packages of requirements/report.in: "
        f"run `make setup` in {clone}\n"
    )


def test_a_python_that_promises_all_and_has_nothing_does_not_loop(clone, bare):
    liar = clone / ".venv/bin/python"
    liar.parent.mkdir(parents=True)
    liar.write_text(
        f'#!/bin/sh\ncase "$*" in *has_packages*) exit 0;; esac\nexec {bare}/bin/python "$@"\n'
    )
    liar.chmod(0o755)
    done = run(bare / "bin/python", clone / "command.py")
    assert done.returncode == 2
    assert done.stderr.count("make setup") == 1


def test_what_follows_the_move_inherits_nothing_of_it(clone, full):
    (clone / "command.py").write_text(COMMAND + "print(sorted(os.environ))\n")
    done = run(base_python(), clone / "command.py", VIRTUAL_ENV=full)
    assert "HPC_DISK_BENCH" not in done.stdout
    assert str(full) in done.stdout


def test_a_module_keeps_its_way_of_being_called(clone, full):
    (clone / "hpc_disk_bench/__init__.py").write_text("")
    (clone / "hpc_disk_bench/tool.py").write_text(COMMAND)
    done = run(base_python(), "-m", "hpc_disk_bench.tool", "x", VIRTUAL_ENV=full, PYTHONPATH=clone)
    assert done.stdout == f"{full} ['x']\n", done.stderr
