"""Tables of all kinds, made by the project's own generator and aggregated by its own command."""

import contextlib
import os
import re
import subprocess
import sys

import pytest

from hpc_disk_bench.report import load
from tests.support import report_cases, trees
from tests.support.once import once, shared_directory

AGGREGATE = "aggregate_results.py"
DOCUMENT = "io500_analysis.qmd"
ALL_DRAWN = """() => {
  const [done, all] = (document.documentElement.dataset.hdbFigures || "0/-1").split("/");
  return done === all;
}"""


@pytest.fixture(scope="session")
def aggregated(root, request, tmp_path_factory):
    """aggregated(name, runs): the table of a results tree of runs(), made once."""

    def make(name, runs):
        def aggregate(place):
            tree, table = trees.write_tree(place / "tree", runs()), place / "table.csv"
            command = [sys.executable, root / AGGREGATE, tree, table]
            subprocess.run(command, check=True, capture_output=True, env={**os.environ})
            return table

        shared = shared_directory(request.config, tmp_path_factory)
        return once(shared, f"table {name}", aggregate)

    return make


@pytest.fixture(scope="session")
def table(aggregated, tmp_path_factory):
    """table(name): path of a table, one of report_cases.TABLES."""

    def make(name):
        if name in report_cases.TREES:
            return aggregated(name, report_cases.TREES[name])
        path = tmp_path_factory.mktemp("made") / f"{name}.csv"
        return report_cases.MADE[name](path, make)

    return make


@pytest.fixture(scope="session")
def runs_of(table):
    """runs_of(name): the runs of that table as figures take them, read once."""
    known = {}

    def read(name):
        if name not in known:
            known[name] = load.table(table(name))
        return known[name]

    return read


@pytest.fixture(scope="session")
def render(root):
    """render(table, output): the finished process of the renderer on the report's document."""

    def run(table, output):
        command = [sys.executable, "-m", "hpc_disk_bench.render", DOCUMENT, "--output", output]
        environment = {**os.environ, "IO500_TABLE": str(table)}
        return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)

    return run


@pytest.fixture(scope="session")
def page(render, table, request, tmp_path_factory):
    """page(name): the path of the report on the table of that name, rendered once."""

    def make(name):
        def write(place):
            done = render(table(name), place / "report.html")
            assert done.returncode == 0, done.stderr
            return place / "report.html"

        return once(shared_directory(request.config, tmp_path_factory), f"page {name}", write)

    return make


@contextlib.contextmanager
def visits(browser, page):
    """visit(name): the report on that table in a page of the browser, all figures `drawn`, or
    only those that are looked at.

    At the end the console has to be empty and no request to have left the file.
    """
    contexts, said, asked = [], [], []

    def open_report(name, width=1280, height=900, scheme="light", drawn=True, place=""):
        view = {"width": width, "height": height}
        context = browser.new_context(viewport=view, color_scheme=scheme, accept_downloads=True)
        context.set_default_timeout(60_000)  # a loaded machine opens 12 MB slowly
        if not drawn:  # nor meanwhile: a browser that is never idle leaves what is out of sight
            context.add_init_script("window.requestIdleCallback = () => 0")
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda message: said.append(message.text))
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(page(name).as_uri() + place)
        if drawn:
            tab.wait_for_function(ALL_DRAWN, timeout=120_000)
        return tab

    yield open_report
    for context in contexts:
        context.close()
    assert said == []
    assert [url for url in asked if not re.match(r"(file|data|blob):", url)] == []


@pytest.fixture
def visit(browser, page):
    """A visitor of its own for each test: see visits."""
    with visits(browser, page) as visitor:
        yield visitor


@pytest.fixture(scope="module")
def visit_once(browser, page):
    """A visitor for tests that look at one page together and leave it as it is."""
    with visits(browser, page) as visitor:
        yield visitor
