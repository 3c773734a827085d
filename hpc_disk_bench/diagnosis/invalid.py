"""Why a run that came to its end does not count, by what the benchmark noted in result.txt."""

import os
import re
from pathlib import Path

from hpc_disk_bench.diagnosis.finding import UNKNOWN, Finding
from hpc_disk_bench.diagnosis.lines import Line
from hpc_disk_bench.phases import PHASES, SCORED
from hpc_disk_bench.result_file import REASON, RESULT_FILE, SECTION, parse_result_file

SHORT = re.compile(
    r"below stonewall time|smaller than expected minimum runtime|instead of stonewall"
    r"|stonewall-time \d+s? != ",
    re.IGNORECASE,
)
WRITES = {phase.name for phase in PHASES if phase.stonewalled}


def ranks(files):
    """Of how many ranks result.txt is, or None where it does not say."""
    run = parse_result_file(_text(files)).sections.get("run")
    procs = run.values.get("procs", "") if run else ""
    return int(procs) if procs.isdigit() and len(procs) < 10 else None


def findings(run, files, ended):
    """The Findings of a run that came to its end: a score of 0, a phase that was too short."""
    results = ended.results
    if not ended.finished or results is None:
        return
    reasons = _reasons(run, files)
    zero = [
        phase.name
        for phase in SCORED
        if phase.name in results.phases and results.phases[phase.name].value == 0
    ]
    score = results.scores.get("score")
    if zero or (score and score.total == 0):
        lines = tuple(line for line in reasons if "shouldn't be 0" in line.text)
        what = f"nothing was counted in {', '.join(zero)}" if zero else "the score is 0"
        yield Finding("HDB026", (what,), lines)
    if results.valid:
        return
    lines = tuple(line for line in reasons if SHORT.search(line.text))
    short = [
        f"{name} lasted {phase.time:.1f} s"
        for name, phase in results.phases.items()
        if name in WRITES and not phase.valid and phase.time is not None
    ]
    if lines or short:
        # The line of a phase says by how much; that on the option stands before all of them.
        by_phase = tuple(line for line in lines if "Runtime of phase" in line.text)
        yield Finding("HDB025", (", ".join(short),) if short else (), by_phase or lines)
    elif not zero:
        said = score.reasons[:1] if score else ()
        yield Finding(UNKNOWN, tuple(said), tuple(reasons))


def _reasons(run, files):
    """The Lines of result.txt that say why something is invalid, each with its phase."""
    name, found, section = os.path.relpath(Path(files, RESULT_FILE), run), [], "run"
    for number, text in enumerate(_text(files).split("\n"), start=1):
        text = text.strip()
        heading, reason = SECTION.match(text), REASON.match(text)
        if heading:
            section = heading["name"]
        elif reason:
            found.append(Line(name, number, f"[{section}] {reason['text'].strip()}", "result"))
    return found


def _text(files):
    try:
        return Path(files, RESULT_FILE).read_text("utf-8", "replace")
    except OSError:
        return ""
