"""The kinds of tables a report has to cope with: from results trees, and made by hand."""

from __future__ import annotations

import csv

import pytest

from tests.support import report_tables, trees
from tests.support.needs import night


def quick(volume, minutes):
    """A run of the demo: all its write phases are shorter than the stonewall."""
    node = trees.Node("vm1", network=None, cluster="demo")
    start = trees.EPOCH + trees.datetime.timedelta(minutes=minutes)
    short = ("ior-easy-write", "mdtest-easy-write", "ior-hard-write", "mdtest-hard-write")
    return trees.Run(node, "local", volume, "ssd", "invalid", start=start, short=short)


def _first_of_mixed(count, state):
    return [run for run in trees.mixed_runs(400) if run.state == state][:count]


def _header_only(path, table):
    path.write_text(table("reference").read_text().splitlines()[0] + "\n")
    return path


def _few_columns(path, table):
    """What is left of a table that somebody cut to what interested them."""
    kept = ["cluster_name", "node_name", "storage_type", "device_type", "ior_easy_write_value"]
    kept += ["score_bandwidth", "score_iops", "score_total", "score_valid"]
    with open(table("reference"), newline="") as file:
        rows = [[row[name] for name in kept] for row in csv.DictReader(file)]
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([kept, *rows])
    return path


def _nulls(path, table):
    """Every third cell of every row is empty."""
    with open(table("mixed"), newline="") as file:
        head, *rows = csv.reader(file)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        for k, row in enumerate(rows[:40]):
            writer.writerow(["" if (k + j) % 3 == 0 else cell for j, cell in enumerate(row)])
    return path


NASTY = "<script>alert(1)</script>"


def _foreign_names(path, _):
    rows = [
        report_tables.run("nfs/磁盘/hdd", "узел-1", cluster_name="北京", rate=1.2),
        report_tables.run("local/ssd", "عقدة", cluster_name="北京", rate=3.0),
        report_tables.invalid("lustre/größe/ssd", "κόμβος", cluster_name="Ünï"),
    ]
    return report_tables.write(path, *rows)


def _html_in_names(path, _):
    image = "<img src=x onerror=alert(2)>"
    rows = [
        report_tables.run("nfs/hdd", NASTY, cluster_name=image, engine_version=NASTY),
        report_tables.run("local/ssd", "a&amp;b", storage_volume="</script><b>v</b>", rate=3.0),
        report_tables.run("nfs/hdd", "```", storage_volume="{{< meta x >}}", rate=2.0),
        report_tables.invalid("local/hdd", "%{x}", ior_easy_write_reasons=f"{NASTY} `code`"),
        report_tables.failed("local/hdd", "$x$", evidence=f"ERROR rank 1: {NASTY}", warnings=image),
    ]
    return report_tables.write(path, *rows)


TREES = {
    "reference": trees.reference_runs,
    "mixed": lambda: trees.mixed_runs(200),
    "thousand": lambda: trees.mixed_runs(1000),
    "demo": lambda: [quick("disk", 0), quick("tmp", 5)],
    "one": lambda: _first_of_mixed(1, "complete"),
    "two": lambda: _first_of_mixed(2, "complete"),
    "one failed": lambda: _first_of_mixed(1, "failed"),
    "one node": lambda: [r for r in trees.mixed_runs(400) if r.node.name == "olympus"],
    "no network": lambda: [r for r in trees.mixed_runs(400) if r.storage == "local"],
    "only invalid": lambda: _first_of_mixed(12, "invalid"),
}
MADE = {
    "no runs": _header_only,
    "few columns": _few_columns,
    "nulls": _nulls,
    "foreign names": _foreign_names,
    "html in names": _html_in_names,
}
LARGE = pytest.param("thousand", marks=night("draws a thousand runs"))
TABLES = [LARGE if name == "thousand" else name for name in (*TREES, *MADE)]
# Those of which whole pages are rendered; the others are tried figure by figure.
PAGES = [
    "reference",
    "mixed",
    LARGE,
    "demo",
    "one failed",
    "no runs",
    "few columns",
    "nulls",
    "foreign names",
    "html in names",
]
