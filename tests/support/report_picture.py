"""Takes the pictures in docs/images/: the report of a made-up fleet, in a real browser.

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

PICTURES = ROOT / "docs/images"
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


ALL_DRAWN = """() => {
  const [done, all] = (document.documentElement.dataset.hdbFigures || "0/-1").split("/");
  return done === all;
}"""
# (name, width and height, colours, place and filter, what stands at the top of the picture)
SHOTS = [
    ("report.png", (1280, 1000), "light", "", "answer"),
    ("report-ranking.png", (1280, 760), "light", "#?type=nfs", "figure-score-ranking"),
    ("report-groups.png", (1280, 900), "light", "", "table-groups"),
    ("report-phone.png", (390, 844), "dark", "", "figure-bandwidth-by-storage"),
]


def shoot(page):
    with sync_playwright() as started:
        executable = shutil.which("chromium")
        browser = started.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for name, (width, height), scheme, place, top in SHOTS:
            view = {"width": width, "height": height}
            tab = browser.new_page(viewport=view, color_scheme=scheme)
            tab.goto(page.as_uri() + place)
            tab.wait_for_function(ALL_DRAWN)
            tab.evaluate(
                """(top) => {
                  const { y } = document.getElementById(top).getBoundingClientRect();
                  window.scrollTo({ top: window.scrollY + y - 64, behavior: "instant" });
                }""",
                top,
            )
            tab.wait_for_timeout(500)
            tab.screenshot(path=PICTURES / name)
            tab.close()
        browser.close()


if __name__ == "__main__":
    main()
