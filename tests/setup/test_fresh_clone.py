"""The first minutes with the project: a fresh clone, an empty home, nothing set up."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# What a login shell has, less every variable of this test run.
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@pytest.fixture
def fresh(root, tmp_path):
    """A clone of the committed state, in a path with a blank; an empty home is beside it."""
    if not (root / ".git").exists():
        pytest.skip("not a git clone: nothing to clone from")
    clone = tmp_path / "a fresh" / "clone"
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", root, clone], check=True)
    (tmp_path / "home").mkdir()
    return clone


def environ(home, **more):
    # The site's way to its packages and the Python to use are the machine's, not the test's.
    kept = (
        "PIP_",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "NO_PROXY",
        "https_proxy",
        "http_proxy",
        "no_proxy",
    )
    inherited = {key: value for key, value in os.environ.items() if key.startswith(kept)}
    return {**inherited, "HOME": str(home), "PATH": PATH, "LANG": "C.UTF-8", **more}


@pytest.mark.parametrize("target", ["demo", "test", "engine", "lint", "report", "aggregate"])
def test_make_knows_every_target_in_a_fresh_clone(fresh, tmp_path, target):
    planned = subprocess.run(
        ["make", "-n", target],
        cwd=fresh,
        env=environ(tmp_path / "home"),
        capture_output=True,
        text=True,
    )
    assert planned.returncode == 0, planned.stderr
    script = planned.stdout.split()[0]
    assert os.access(fresh / script, os.X_OK), script


def test_a_fresh_clone_holds_nothing_that_is_built_or_measured(fresh):
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"],
        cwd=fresh,
        capture_output=True,
        text=True,
        check=True,
    )
    assert tracked.stdout == ""


@pytest.mark.skipif(
    "CI" not in os.environ, reason="downloads packages and takes minutes: CI=true runs it"
)
def test_make_demo_from_nothing_ends_in_a_report_and_leaves_the_home_alone(fresh, tmp_path):
    home = tmp_path / "home"
    command = ["make", "demo"]
    python = str(Path(sys.base_prefix) / "bin/python3")
    demo = subprocess.run(
        command, cwd=fresh, env=environ(home, PYTHON=python), capture_output=True, text=True
    )

    assert demo.returncode == 0, demo.stderr
    report = Path(demo.stdout.splitlines()[-1].split(maxsplit=1)[1])
    assert report.is_file()
    assert fresh in report.parents
    assert "<html" in report.read_text()[:2000]
    assert list(home.rglob("*")) == []
    assert not (fresh / "demo_data").exists()
