"""Whether each write phase lasts until the stonewall, and the whole run fits into its job."""

import os
import time

from hpc_disk_bench.checks.finding import OK, WARNING, Finding
from hpc_disk_bench.checks.words import span
from hpc_disk_bench.checks.workload import duration, stonewall

RULE, RULE_SCC = 300, 30  # seconds of a valid run; of the student cluster competition's


def length(template, writers, rates):
    """(Findings, seconds that the whole run takes or None)."""
    wall = stonewall(template)
    scc = template.setting("global", "scc", "false").lower() in ("true", "1")
    rule = RULE_SCC if scc else RULE
    if rates is None:
        text = f"stonewall {wall} s; how long the run takes was not probed"
        return [Finding("length", OK, text)], None
    seconds = duration(writers, rates)
    found = _too_short(writers, rates) if wall == rule else []
    if left() is not None and seconds > left():
        text = f"about {span(seconds)} are needed, the job ends in {span(left())}"
        found.append(Finding("length", WARNING, text, "HDB049"))
    if not found:
        text = f"about {span(seconds)}, stonewall {wall} s"
        text += "" if wall == rule else f": for trying out, a valid run needs {rule} s"
        found.append(Finding("length", OK, text))
    return found, seconds


def left():
    """Seconds until the end of the batch job, None where there is none that is known."""
    end = os.environ.get("SLURM_JOB_END_TIME", "")
    return max(int(end) - time.time(), 0) if end.isdigit() else None


def _too_short(writers, rates):
    """A Finding for each write phase that ends by its own limit: its result would be invalid."""
    found = []
    for writer in writers:
        # md-workbench is no phase that has to last; without ranks it is refused anyway.
        if writer.section == "mdworkbench" or not writer.ranks:
            continue
        if writer.most >= writer.likely(rates):
            continue
        lasts = writer.lasts(rates)
        text = (
            f"{writer.phase} ends after about {span(lasts)} of {writer.seconds}: "
            f"[{writer.section}] {writer.key} = {writer.would_do(rates)} would do"
        )
        found.append(Finding("length", WARNING, text, "HDB037"))
    return found
