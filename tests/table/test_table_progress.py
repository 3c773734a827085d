"""On long trees it says how far it is: one line that changes on a terminal, lines in a log."""

import os
import pty
import re
import subprocess
import sys

import pytest

from tests.support import trees

# The command itself, with less patience than between two lines of a real log.
HASTY = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from hpc_disk_bench import table, table_console
table_console.EVERY_LIVE = table_console.EVERY_LOGGED = 0
sys.exit(table.main(sys.argv[1:]))
"""


@pytest.fixture
def command(tmp_path, root):
    trees.write_tree(tmp_path / "tree", trees.mixed_runs(300))
    return [sys.executable, "-c", HASTY, root, tmp_path / "tree", tmp_path / "t.csv"]


def test_a_log_gets_lines_with_the_time(command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0
    stamp = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
    assert re.search(rf"^{stamp} scanning: \d+ directories$", done.stderr, re.MULTILINE)
    assert re.search(rf"^{stamp} reading: 256 of 300 runs, 85 %$", done.stderr, re.MULTILINE)
    assert "reading:" not in done.stdout


def test_a_terminal_gets_one_line_that_is_wiped_in_the_end(command):
    reader, writer = pty.openpty()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=writer)
    os.close(writer)
    said = os.read(reader, 10_000).decode()
    os.close(reader)
    assert done.returncode == 0
    assert "\r   reading: 256 of 300 runs, 85 %\x1b[K" in said
    assert said.endswith("\r\x1b[K")
    assert "\n" not in said


def test_quiet_says_nothing_of_it(command):
    assert subprocess.run([*command, "-q"], capture_output=True).stderr == b""
