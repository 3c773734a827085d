"""Takes docs/images/report.png: the report of a made-up fleet, in a real browser.

python tests/support/report_picture.py
"""

from __future__ import annotations

import datetime
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import sync_playwright  # noqa: E402

from tests.support import trees  # noqa: E402

PICTURE = ROOT / "docs/images/report.png"
STORAGES = [
    ("local", "", "hdd"),
    ("nfs", "nfs4", "hdd"),
    ("nfs", "nfs7", "hdd"),
    ("nfs", "fs0", "ssd"),
]
REPEATS = 4


def fleet():
    """Three nodes, four storages each and repeats; one storage of one node is always too fast."""
    runs = []
    for name in ("chrom1", "neo", "olympus"):
        for storage, volume, device in STORAGES:
            device = "ssd" if name == "olympus" and storage == "local" else device
            for _ in range(REPEATS):
                start = trees.EPOCH + datetime.timedelta(minutes=71 * len(runs))
                runs.append(trees.Run(trees.FLEET[name], storage, volume, device, start=start))
    for run in runs:
        if (run.node.name, run.volume) == ("neo", "fs0"):
            run.state = "invalid"
    runs[5].state = "invalid"
    runs[6].state = "failed"
    return runs


def main():
    with tempfile.TemporaryDirectory() as scratch:
        tree = trees.write_tree(Path(scratch, "tree"), fleet(), seed=3)
        table, page = Path(scratch, "table.csv"), Path(scratch, "report.html")
        aggregate = [sys.executable, "aggregate_results.py", tree, table]
        render = [sys.executable, "-m", "hpc_disk_bench.render", "io500_analysis.qmd", "-o", page]
        environment = {**os.environ, "IO500_TABLE": str(table)}
        for command in (aggregate, render):
            subprocess.run(command, cwd=ROOT, env=environment, check=True)
        shoot(page)


def shoot(page):
    with sync_playwright() as started:
        executable = shutil.which("chromium")
        browser = started.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1280, "height": 1100})
        tab.goto(page.as_uri())
        tab.wait_for_function("document.documentElement.dataset.hdbFigures.startsWith('11/')")
        tab.evaluate(
            """() => {
              const figure = document.getElementById("figure-score-ranking");
              window.scrollTo({ top: figure.offsetTop - 24, behavior: "instant" });
            }"""
        )
        tab.wait_for_timeout(500)
        tab.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
