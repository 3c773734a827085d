"""The result files of one run as typed results and as results.json.

    results = load(run_directory)      # or the path of a result_summary.txt
    results.phases["ior-easy-write"].value, results.scores["score"].total, results.warnings

result_summary.txt counts; where it is lost, empty or broken off, result.txt beside it stands in,
and where that is lost as well, the files of the single phases.
"""

import os
from pathlib import Path
from typing import NamedTuple, Optional

from hpc_disk_bench import score
from hpc_disk_bench.errors import UNPARSED, UserError
from hpc_disk_bench.phase_files import read_phase_files
from hpc_disk_bench.result_file import RESULT_FILE, ResultFile, parse_result_file
from hpc_disk_bench.result_text import read_text
from hpc_disk_bench.summary import PhaseResult, ScoreResult, Summary, parse_summary

SUMMARY, PHASE_FILES = "result_summary.txt", "per-phase files"
# A real file has a few thousand bytes and at most a few hundred lines.
LARGEST_FILE = 4 * 1024 * 1024
MOST_LINES = 100_000


class Results(NamedTuple):
    """What one run measured. Values are in GiB/s and kIOPS, times in seconds."""

    phases: dict[str, PhaseResult]  # in run order
    scores: dict[str, ScoreResult]  # "score", and "score_extended" of an extended run
    version: str  # "" where no file names it
    mode: str  # standard, extended or ""
    source: str  # what the figures were read from: SUMMARY, RESULT_FILE or PHASE_FILES
    partial: bool  # the run did not come to its end, or its score is lost
    notices: tuple[str, ...]  # odd lines and what was made of them
    warnings: tuple[str, ...]  # doubts about the figures themselves

    @property
    def valid(self):
        """Whether the benchmark called the run valid, and it came to its end."""
        return not self.partial and "score" in self.scores and self.scores["score"].valid

    def as_json(self):
        """The object that results.json holds."""
        content = {name: phase.as_json() for name, phase in self.phases.items()}
        content.update({name: result.as_json() for name, result in self.scores.items()})
        if self.source != SUMMARY:
            content["source"] = self.source
        if self.partial:
            content["partial"] = True
        return content


class _Figures(NamedTuple):
    phases: dict[str, PhaseResult]
    scores: dict[str, ScoreResult]
    source: str
    notices: list[str]


def load(path):
    """Read the results of a run from its directory, or from the summary that `path` names.

    Raises UserError (exit_code 5) with one line that names the file where nothing can be parsed,
    and nothing else, whatever the files hold.
    """
    directory, name = _place(path)
    text, log, problem = _read(directory / name), None, None
    try:
        log = _read(directory / RESULT_FILE)
    except UserError as error:
        problem = error
    if text is None and name != SUMMARY:
        raise UserError(f"{directory / name}: no such file", UNPARSED)
    summary, beside = parse_summary(text or ""), parse_result_file(log or "")
    # The summaries of the C application start with a header; without one it may be an excerpt.
    broken_off = "score" not in summary.scores and (summary.version is not None or not text)
    if problem and (broken_off or not summary.phases):
        raise problem
    figures = _figures(directory, name, summary, beside, broken_off)
    if figures is None:
        raise UserError(_nothing_in(directory / name, text, log, beside), UNPARSED)
    phases, scores, source, notices = figures
    if text is None:
        notices.insert(0, f"{name} is missing: rebuilt from {_spoken(source)}")
    elif source != SUMMARY:
        notices.insert(0, f"{name} is empty or broken off: rebuilt from {_spoken(source)}")
    if problem:
        notices.append(f"no reasons are known: {problem}")
    partial = "score" not in scores and (broken_off or source != SUMMARY)
    return Results(
        phases,
        scores,
        summary.version or beside.version or "",
        summary.mode or beside.mode or "",
        source,
        partial,
        (*summary.notices, *notices),
        tuple(score.doubts(phases, scores, partial)),
    )


def _figures(directory, name, summary: Summary, beside: ResultFile, broken_off):
    """Phases and scores from the file that knows most, or None where no file knows any."""
    if (broken_off or not summary.phases) and _knows_more(beside, summary):
        return _Figures(beside.phases, beside.scores, RESULT_FILE, [])
    if summary.phases or summary.scores:
        phases, scores = dict(summary.phases), dict(summary.scores)
        notices = _add_what_is_noted(phases, scores, beside)
        return _Figures(phases, scores, SUMMARY, notices)
    # As far as result.txt tells how far the run came, files of later phases are of another run.
    if name == SUMMARY and not beside.started:
        phases = read_phase_files(lambda file: _read(directory / file))
        return _Figures(phases, {}, PHASE_FILES, []) if phases else None
    return None


def _place(path) -> tuple[Path, str]:
    """(directory of the run, name of its summary) that `path` means."""
    path = Path(path)
    directory, name = (path, SUMMARY) if os.path.isdir(path) else (path.parent, path.name)
    if name.startswith("._"):
        raise UserError(f"{path}: an AppleDouble file, no result of the benchmark", UNPARSED)
    return directory, SUMMARY if name == RESULT_FILE else name


def _read(path) -> Optional[str]:
    return read_text(path, LARGEST_FILE, MOST_LINES)


def _spoken(source):
    return "the files of its phases" if source == PHASE_FILES else source


def _knows_more(beside: ResultFile, summary):
    return bool(beside.scores) or len(beside.phases) > len(summary.phases)


def _add_what_is_noted(phases, scores, beside: ResultFile):
    """Put what result.txt alone has to the phases: why one is invalid, and its latencies.

    Returns notices of what did not fit.
    """
    notices, logged, noted = [], beside.phases, beside.scores
    for name, phase in phases.items():
        if name not in logged:
            continue
        if _same(phase.value, logged[name].value):
            reasons = () if phase.valid else beside.reasons(name)
            phases[name] = phase._replace(reasons=reasons, latency=logged[name].latency)
        elif not phase.valid:
            notices.append(f"{name}: no reason given, {RESULT_FILE} beside is of another run")
    for name, printed in scores.items():
        if not printed.valid and name in noted and _same(printed.total, noted[name].total):
            scores[name] = printed._replace(reasons=beside.score_reasons(name))
    return notices


def _same(one, other):
    if one is None or other is None:
        return one is other
    return abs(one - other) <= 1e-6 * max(1, abs(one))


def _nothing_in(path, text, log, beside):
    if beside.started:
        return (
            f"{path}: no phase was measured to its end; the run broke off in {beside.started[-1]}"
        )
    if text is None and log is None:
        return f"{path}: no such file, nor a {RESULT_FILE} or files of single phases beside"
    if text is None or not text.strip():
        what = "missing" if text is None else "empty"
        return f"{path}: {what}: the run ended before its first phase was done"
    return f"{path}: no line in it is a phase or a score of the benchmark"
