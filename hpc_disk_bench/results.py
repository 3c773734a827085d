"""The result files of one run as typed results and as results.json.

    results = load(run_directory)      # or the path of a result_summary.txt
    results.phases["ior-easy-write"].value, results.scores["score"].total, results.warnings

result_summary.txt counts; where it is lost, empty or broken off, result.txt beside it stands in.
"""

import os
from pathlib import Path
from typing import NamedTuple

from hpc_disk_bench import score
from hpc_disk_bench.errors import UNPARSED, UserError
from hpc_disk_bench.result_file import ResultFile, parse_result_file
from hpc_disk_bench.summary import PhaseResult, ScoreResult, parse_summary

SUMMARY, RESULT_FILE = "result_summary.txt", "result.txt"
LARGEST_FILE = 16 * 1024 * 1024  # bytes; a real one has a few thousand


class Results(NamedTuple):
    """What one run measured. Values are in GiB/s and kIOPS, times in seconds."""

    phases: dict[str, PhaseResult]  # in run order
    scores: dict[str, ScoreResult]  # "score", and "score_extended" of an extended run
    version: str  # "" where no file names it
    mode: str  # standard, extended or ""
    source: str  # the file that the figures were read from
    partial: bool  # the run did not come to its end
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


def load(path):
    """Read the results of a run from its directory, or from the summary that `path` names.

    Raises UserError (exit code 5) with one line that names the file where nothing can be parsed.
    """
    path = Path(path)
    directory, name = (path, SUMMARY) if path.is_dir() else (path.parent, path.name)
    if name == RESULT_FILE:
        name = SUMMARY
    if name.startswith("._"):
        raise UserError(f"{path}: an AppleDouble file, no result of the benchmark", UNPARSED)
    text, log = _read(directory / name), _read(directory / RESULT_FILE)
    if text is None and log is None:
        raise UserError(f"{directory / name}: no such file, nor a {RESULT_FILE} beside", UNPARSED)
    summary = parse_summary(text or "")
    beside = parse_result_file(log or "")
    notices = list(summary.notices)
    # The summaries of the C application start with a header; without one it may be an excerpt.
    broken_off = "score" not in summary.scores and (summary.version is not None or not text)
    if (broken_off or not summary.phases) and _knows_more(beside, summary):
        phases, scores, source = beside.phases, beside.scores, RESULT_FILE
        if text is None:
            notices.insert(0, f"{name} is missing: rebuilt from {RESULT_FILE}")
        else:
            notices.insert(0, f"{name} is empty or broken off: rebuilt from {RESULT_FILE}")
    else:
        phases, scores, source = dict(summary.phases), dict(summary.scores), SUMMARY
        notices += _add_reasons(phases, scores, beside)
    if not phases and not scores:
        raise UserError(_nothing_in(directory / name, text, beside), UNPARSED)
    partial = "score" not in scores and (broken_off or source == RESULT_FILE)
    return Results(
        phases,
        scores,
        summary.version or beside.version or "",
        summary.mode or beside.mode or "",
        source,
        partial,
        tuple(notices),
        tuple(score.doubts(phases, scores, partial)),
    )


def _read(path):
    """The text of a result file, or None where there is none."""
    try:
        size = os.stat(path).st_size
        if size > LARGEST_FILE:
            problem = f"{size} bytes are too many for a result file of the benchmark"
            raise UserError(f"{path}: {problem}", UNPARSED)
        return path.read_bytes().decode("utf-8-sig", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}", UNPARSED) from error


def _knows_more(beside: ResultFile, summary):
    return bool(beside.scores) or len(beside.phases) > len(summary.phases)


def _add_reasons(phases, scores, beside: ResultFile):
    """Put the reasons of result.txt to what is invalid; returns notices of what did not fit."""
    notices, logged, noted = [], beside.phases, beside.scores
    for name, phase in phases.items():
        if phase.valid or name not in logged:
            continue
        if not _same(phase.value, logged[name].value):
            notices.append(f"{name}: no reason given, {RESULT_FILE} beside is of another run")
        else:
            phases[name] = phase._replace(reasons=beside.reasons(name))
    for name, printed in scores.items():
        if not printed.valid and name in noted and _same(printed.total, noted[name].total):
            scores[name] = printed._replace(reasons=beside.score_reasons(name))
    return notices


def _same(one, other):
    if one is None or other is None:
        return one is other
    return abs(one - other) <= 1e-6 * max(1, abs(one))


def _nothing_in(path, text, beside):
    if beside.started:
        return (
            f"{path}: no phase was measured to its end; the run broke off in {beside.started[-1]}"
        )
    if text is None or not text.strip():
        return f"{path}: empty: the run ended before its first phase was done"
    return f"{path}: no line in it is a phase or a score of the benchmark"
