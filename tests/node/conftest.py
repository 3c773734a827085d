"""What the tests of the node side share: the oldest Python to support, and recorded runs."""

import glob
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def python39():
    """Path of a Python 3.9, the oldest that the node side has to run on."""
    pyenv = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    candidates = [
        shutil.which("python3.9"),
        *sorted(glob.glob(f"{pyenv}/versions/3.9.*/bin/python3.9")),
        "/usr/libexec/platform-python",
    ]
    for candidate in filter(None, candidates):
        if os.access(candidate, os.X_OK) and _version(candidate) == "3.9":
            return candidate
    if sys.version_info[:2] == (3, 9):
        return sys.executable
    pytest.skip("no Python 3.9 on PATH or in pyenv")


@pytest.fixture(scope="session")
def recorded():
    """A function: the directory of a recorded run of the upstream benchmark."""
    return lambda *names: ROOT.joinpath("tests/fixtures/upstream", *names)


def _version(python):
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip()
