"""Tables of all kinds, made by the project's own generator and aggregated by its own command."""

import os
import subprocess
import sys

import pytest

from tests.support import report_cases, trees

AGGREGATE = "aggregate_results.py"
DOCUMENT = "io500_analysis.qmd"


@pytest.fixture(scope="session")
def aggregated(root, tmp_path_factory):
    """aggregated(name, runs): the table of a results tree of these runs, made once."""
    known = {}

    def make(name, runs):
        if name not in known:
            place = tmp_path_factory.mktemp(name)
            tree = trees.write_tree(place / "tree", runs)
            known[name] = place / "table.csv"
            command = [sys.executable, root / AGGREGATE, tree, known[name]]
            subprocess.run(command, check=True, capture_output=True, env={**os.environ})
        return known[name]

    return make


@pytest.fixture(scope="session")
def table(aggregated, tmp_path_factory):
    """table(name): path of a table, one of report_cases.TABLES."""

    def make(name):
        if name in report_cases.TREES:
            return aggregated(name, report_cases.TREES[name]())
        path = tmp_path_factory.mktemp("made") / f"{name}.csv"
        return report_cases.MADE[name](path, make)

    return make


@pytest.fixture(scope="session")
def render(root):
    """render(table, output): the finished process of the renderer on the report's document."""

    def run(table, output):
        command = [sys.executable, "-m", "hpc_disk_bench.render", DOCUMENT, "--output", output]
        environment = {**os.environ, "IO500_TABLE": str(table)}
        return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)

    return run


@pytest.fixture(scope="session")
def page(render, table, tmp_path_factory):
    """page(name): the path of the report on the table of that name, rendered once."""
    known = {}

    def make(name):
        if name not in known:
            known[name] = tmp_path_factory.mktemp("page") / "report.html"
            done = render(table(name), known[name])
            assert done.returncode == 0, done.stderr
        return known[name]

    return make
