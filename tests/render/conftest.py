"""Renders documents with the command itself, in a process of its own."""

import os
import shutil
import subprocess
import sys
import tempfile

import pytest


@pytest.fixture
def write(tmp_path):
    """write(text): that document in an empty directory; returns its path."""

    def make(text, name="doc.qmd"):
        path = tmp_path / "work" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return make


@pytest.fixture
def render(root, tmp_path):
    """render(path, *options, **environment): the finished process. Its TMPDIR is render.scratch.

    `before` are words of a command that is to run it. render.start(...) gives it while it runs.
    """
    scratch = tempfile.mkdtemp()  # short: a path of tmp_path is too long for a socket

    def start(path, *options, before=(), **environment):
        changed = {"PYTHONPATH": root, "TMPDIR": scratch, **environment}
        return subprocess.Popen(
            [*before, sys.executable, "-m", "hpc_disk_bench.render", str(path), *map(str, options)],
            env={**os.environ, **{name: str(value) for name, value in changed.items()}},
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(*arguments, **environment):
        process = start(*arguments, **environment)
        output, errors = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    run.start, run.scratch = start, scratch
    yield run
    shutil.rmtree(scratch)
