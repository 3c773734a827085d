"""Which MPI set-up settles on (scripts/mpi.bash), with the real one in different clothes."""

import os
import subprocess
from pathlib import Path

import pytest

# choose_mpi with the step that would download the wheel replaced by a word on stderr and an end.
CHOOSE = """
set -euo pipefail; shopt -s inherit_errexit
. "$root/scripts/common.bash"
. "$root/scripts/mpi.bash"
venv_with() { printf 'asked for the wheel\\n' >&2; exit 9; }
choose_mpi
"""


class Machine:
    """A PATH whose mpicc and mpirun hand over to the real ones and note that they were used."""

    def __init__(self, directory, real, root):
        self.directory = directory
        self.used = directory / "used"
        self.clone = directory / "clone"
        self.clone.mkdir()
        (self.clone / "scripts").symlink_to(root / "scripts")
        self.bin = directory / "bin"
        self.bin.mkdir()
        for name in ("mpicc", "mpirun"):
            self.program(name, f'echo {name} >>"{self.used}"; exec "{real / name}" "$@"')

    def program(self, name, body):
        (self.bin / name).write_text(f"#!/bin/sh\n{body}\n")
        (self.bin / name).chmod(0o755)

    def choose(self, **changes):
        inherited = {
            key: value
            for key, value in os.environ.items()
            if key not in ("VIRTUAL_ENV", "CONDA_PREFIX")
        }
        path = f"{self.bin}:{os.environ['PATH']}"
        return subprocess.run(
            ["bash", "-c", CHOOSE],
            env={**inherited, "root": str(self.clone), "PATH": path, **changes},
            capture_output=True,
            text=True,
            timeout=120,
        )


@pytest.fixture
def machine(tmp_path, mpirun, root):
    return Machine(tmp_path, mpirun.parent, root)


def test_the_machines_own_mpi_is_taken_where_it_starts_two_ranks(machine):
    chosen = machine.choose()

    assert chosen.stdout.strip() == str(machine.bin / "mpicc"), chosen.stderr
    assert machine.used.read_text().split() == ["mpicc", "mpirun"]


def test_an_mpi_that_was_tried_is_not_tried_again(machine):
    machine.choose()
    machine.used.unlink()

    again = machine.choose()

    assert again.stdout.strip() == str(machine.bin / "mpicc")
    assert not machine.used.exists()


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("mpicc", "exit 1"),
        ("mpirun", "exit 1"),
        # The mpirun of another MPI starts singletons: each rank believes that it is alone.
        ("mpirun", 'shift 2; "$@"; "$@"'),
    ],
    ids=["no compiler behind mpicc", "mpirun fails", "mpirun of another MPI"],
)
def test_an_mpi_that_does_not_work_is_named_and_the_wheel_taken(machine, name, body):
    machine.program(name, body)

    chosen = machine.choose()

    assert chosen.returncode == 9
    assert f"{machine.bin}/mpicc and its mpirun do not start 2 ranks" in chosen.stderr
    assert "asked for the wheel" in chosen.stderr


def test_another_mpi_on_path_is_looked_at_anew(machine, mpirun):
    machine.choose()
    other = machine.directory / "other"
    machine.bin.rename(other)
    machine.bin.mkdir()

    chosen = machine.choose(PATH=f"{other}:{os.environ['PATH']}")

    assert chosen.stdout.strip() == str(other / "mpicc"), chosen.stderr


def test_the_active_environments_mpi_goes_before_that_on_path(machine, tmp_path, mpirun):
    prefix = tmp_path / "environment"
    (prefix / "bin").mkdir(parents=True)
    for name in ("mpicc", "mpirun"):
        wrapper = prefix / "bin" / name
        wrapper.write_text(f'#!/bin/sh\nexec "{mpirun.parent / name}" "$@"\n')
        wrapper.chmod(0o755)

    chosen = machine.choose(CONDA_PREFIX=str(prefix))

    assert Path(chosen.stdout.strip()) == prefix / "bin/mpicc", chosen.stderr
    assert not machine.used.exists()
