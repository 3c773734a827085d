"""Aggregates with the command itself, in a directory of its own."""

import csv
import json
import os
import subprocess
import sys

import pytest

from tests.support import trees


@pytest.fixture
def aggregate(root, tmp_path):
    """aggregate(*arguments, **environment): the finished process, run in tmp_path."""

    def run(*arguments, cwd=tmp_path, **environment):
        environ = {name: text for name, text in os.environ.items() if name != "IO500_RESULTS_DIR"}
        return subprocess.run(
            [sys.executable, root / "aggregate_results.py", *map(str, arguments)],
            cwd=cwd,
            env={**environ, **{name: str(value) for name, value in environment.items()}},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )

    return run


@pytest.fixture
def rows(tmp_path):
    """rows(name): the table of that name in tmp_path, as a list of dicts of text."""

    def read(name="aggregated_results.csv"):
        with open(tmp_path / name, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    return read


@pytest.fixture
def tree(tmp_path):
    """tree(*runs): a results tree with these runs (keywords of trees.Run, or all its defaults)."""

    def make(*runs):
        root = tmp_path / "io500_results"
        for number, changes in enumerate(runs or [{}]):
            start = trees.EPOCH.replace(minute=number)
            run = {"node": trees.FLEET["chrom1"], "storage": "nfs", "volume": "nfs7"}
            run |= {"device": "hdd", "start": start, **changes}
            trees.write_tree(root, [trees.Run(**run)])
        return root

    return make


@pytest.fixture
def change():
    """change(path, **keys): those keys of a JSON file set; with ... as the value removed."""

    def edit(path, **keys):
        content = json.loads(path.read_text())
        for key, value in keys.items():
            if value is ...:
                del content[key]
            else:
                content[key] = value
        path.write_text(json.dumps(content))

    return edit
