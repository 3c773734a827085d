#!/usr/bin/env python3
"""How long the report takes to render, how large it is, and when its first figure is visible.

    .venv/bin/python benchmarks/report.py [--runs 53,1000] [--repeat 3] [--keep DIR]

For trees of made-up runs: the render of the whole document by the package's own renderer (start of
Python, cells, page), the size of the page, and in headless Chromium, opened from the file, when the
first figure stands, when all do, and how long a filter of the page takes until the figures in view
and all tables follow. The median of several takes. Wanted, on 2 cores: 53 runs in 15 s and 8 MB,
1,000 runs in 40 s and 15 MB, the first figure within 2 s.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support import records, trees  # noqa: E402

RECORDED = 20  # runs with a record of each second, as many as the report takes
COLUMNS = ("runs", "render", "CPU", "page", "first figure", "all figures", "filter")
CHROMIUM = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
# In the page: milliseconds since it was opened when the first figure, and all of them, stood.
WATCH = """() => {
  window.seen = {};
  new MutationObserver(() => {
    const [done, all] = (document.documentElement.dataset.hdbFigures || "0/1").split("/");
    if (done !== "0") window.seen.first ??= performance.now();
    if (done === all) window.seen.all ??= performance.now();
  }).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-hdb-figures"] });
}"""
FILTER = """() => {
  const before = performance.now();
  document.querySelector('.hdb-filter input[name="valid"]').click();
  return performance.now() - before;
}"""


def table_of(runs, scratch):
    """The table of a made-up tree: the first report's fleet for 53 runs, else a year of many."""
    tree = scratch / f"runs-{runs}"
    if not tree.exists():
        # Runs that fail before they measure anything have no row.
        made = trees.reference_runs() if runs == 53 else trees.mixed_runs(round(runs * 1.04))
        trees.write_tree(tree, made)
        for one in sorted(tree.glob("**/run_metadata.json"))[::2][:RECORDED]:
            records.write(one.parent, seconds=300, hosts=("a", "b"))
    table = tree.with_suffix(".csv")
    command = [sys.executable, ROOT / "aggregate_results.py", tree, table]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(table, encoding="utf-8") as file:
        return table, sum(1 for _ in file) - 1


def render(table, page):
    """(seconds, seconds of CPU) of one render."""
    command = [sys.executable, "-m", "hpc_disk_bench.render", "io500_analysis.qmd", "-o", page]
    environment = {
        **os.environ,
        "IO500_TABLE": str(table),
        "IO500_RESULTS_DIR": str(table.with_suffix("")),
    }
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"the render of {table} failed")
    return time.perf_counter() - start, used.ru_utime + used.ru_stime


def visit(browser, page):
    """(first figure, all figures, filter) of one visit, in seconds."""
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    tab.add_init_script(f"({WATCH})()")
    tab.goto(page.as_uri())
    tab.wait_for_function("window.seen.all", timeout=120_000)
    seen = tab.evaluate("window.seen")
    took = tab.evaluate(FILTER)
    tab.close()
    return seen["first"] / 1000, seen["all"] / 1000, took / 1000


def measure(runs, repeat, scratch, browser):
    table, rows = table_of(runs, scratch)
    page = table.with_suffix(".html")
    renders = [render(table, page) for _ in range(repeat)]
    visits = [visit(browser, page) for _ in range(repeat)]
    takes = [*zip(*renders, strict=True), *zip(*visits, strict=True)]
    seconds = [statistics.median(take) for take in takes]
    cells = [f"{one:.1f} s" for one in seconds]
    cells.insert(2, f"{page.stat().st_size / 1e6:.1f} MB")
    return [f"{rows}", *cells]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", default="53,1000", help="how many runs (default: 53,1000)")
    parser.add_argument("--repeat", type=int, default=3, help="takes of each (default: 3)")
    parser.add_argument("--keep", type=Path, help="make trees and pages here, and use those there")
    options = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        sys.exit("no chromium on PATH (apt install chromium)")
    from playwright.sync_api import sync_playwright

    with (
        tempfile.TemporaryDirectory(prefix="benchmark-report-") as made,
        sync_playwright() as started,
    ):
        browser = started.chromium.launch(executable_path=chromium, args=CHROMIUM)
        print("".join(f"{name:>14}" for name in COLUMNS))
        for runs in map(int, options.runs.split(",")):
            found = measure(runs, options.repeat, options.keep or Path(made), browser)
            print("".join(f"{cell:>14}" for cell in found), flush=True)
        browser.close()
    print("wanted: 53 runs in 15 s and 8 MB, 1,000 in 40 s and 15 MB, the first figure in 2 s")


if __name__ == "__main__":
    main()
