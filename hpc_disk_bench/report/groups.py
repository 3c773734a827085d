"""The place where a reader compares two groups of runs; assets/groups.js fills it."""

from __future__ import annotations

from hpc_disk_bench.comparison import statistics
from hpc_disk_bench.report import text
from hpc_disk_bench.report.markup import escape, tag

HOW_TO_READ = (
    "B over A, medians of the runs that count, each with its 95 % interval. better, worse: the"
    " whole interval of the ratio is above or below 1; noise: it includes 1; not decidable: fewer"
    f" than {statistics.ENOUGH} runs on one side. Of two equal groups about 1 measure in 20 is"
    " called different by chance, with 3 runs a side 1 in 12. "
    " The page's filter holds for both groups."
)


def panel(runs):
    """The form that chooses the groups, and the tables that it fills; or a sentence."""
    title = "Two groups of runs compared"
    if runs.empty:
        return text.no_runs(title)
    if int(runs["counts"].sum()) < 2:
        return text.none_count(title, "comparison of two groups")
    return tag(
        "div",
        tag("p", escape(title), class_="hdb-title"),
        tag("div", id="hdb-groups"),
        tag("noscript", tag("p", "Choosing groups needs JavaScript.")),
        tag("p", escape(HOW_TO_READ).replace(" %", "&nbsp;%"), class_="hdb-caption"),
        class_="hdb-tablebox",
        id="table-groups",
    )
