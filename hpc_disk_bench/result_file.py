"""result.txt: what the benchmark notes key by key while it runs.

It outlives a killed run, whose result_summary.txt stays empty, and it alone says why a phase is
invalid. Sections are phases in run order; before them stands [run], after them [SCORE], [SCOREX].
"""

import re
from pathlib import Path
from typing import NamedTuple, Optional

from hpc_disk_bench.phases import PHASES
from hpc_disk_bench.score import CONCURRENT
from hpc_disk_bench.summary import NOT_PHASES, PhaseResult, ScoreResult, number_of

RESULT_FILE = "result.txt"
SECTION = re.compile(r"\[(?P<name>[\w-]+)\]$")
PAIR = re.compile(r"(?P<key>[\w.-]+)\s*=\s*(?P<value>.*)$")
REASON = re.compile(r"[;#]\s*ERROR\s+INVALID\s+(?P<text>.+)$")
LATENCY, QUANTILES = "latency-", ("p50", "p95", "p99", "p99.9", "max")
SCORES = {"SCORE": "score", "SCOREX": "score_extended"}
# Rows that the summary prints without [RESULT]; result.txt has no mark of its own for them.
UNSCORED = {phase.name for phase in PHASES if phase.group is None}
UNSCORED |= {"mdworkbench-create", "mdworkbench-delete"}


def find_result_file(run):
    """The Path of a run's result.txt, or None where it is not there yet.

    Upstream puts its files one level deeper where it is told to (timestamp-resultdir).
    """
    run = Path(run)
    places = (place / RESULT_FILE for place in (run, *sorted(run.glob("*/"))))
    return next((path for path in places if path.is_file()), None)


class Section(NamedTuple):
    values: dict[str, str]
    reasons: list[str]


class ResultFile(NamedTuple):
    version: Optional[str]
    mode: Optional[str]
    sections: dict[str, Section]  # in the order of the file, [run] and the scores among them

    @property
    def started(self):
        """Names of the phases that were begun, in run order."""
        return [name for name in self.sections if name != "run" and name not in SCORES]

    @property
    def phases(self):
        """The phases that were measured to their end: name to PhaseResult."""
        measured = {name: _phase(name, self.sections[name]) for name in self.started}
        return {name: phase for name, phase in measured.items() if phase}

    @property
    def scores(self):
        """The scores that were written: "score", "score_extended" to ScoreResult."""
        found = {key: self.sections.get(name) for name, key in SCORES.items()}
        run = self.sections.get("run")
        written = {key: _score(section, run) for key, section in found.items() if section}
        return {key: score for key, score in written.items() if score}

    def reasons(self, phase):
        """Why the benchmark called this phase invalid, in its own words."""
        return tuple(self.sections[phase].reasons) if phase in self.sections else ()

    def score_reasons(self, key):
        """What it noted against the whole run: of options before the phases, and at the score."""
        names = ["run", *(name for name, score in SCORES.items() if score == key)]
        return tuple(text for name in names for text in self.reasons(name))


def parse_result_file(text):
    """Parse the text of a result.txt, whole or broken off anywhere; it never fails."""
    section, sections = None, {}
    # Every line is written whole with its line end: a last one without has lost digits.
    for line in re.split("\r\n|\r|\n", text)[:-1]:
        line = line.strip().lstrip("\ufeff")
        heading, pair, reason = SECTION.match(line), PAIR.match(line), REASON.match(line)
        if heading:
            if heading["name"] == "run":  # a second run appended to the same file starts afresh
                sections.clear()
            section = sections[heading["name"]] = Section({}, [])
        elif section and reason:
            section.reasons.append(reason["text"].strip())
        elif section and pair:
            section.values[pair["key"]] = pair["value"].strip()
    run = sections.get("run", Section({}, [])).values
    return ResultFile(run.get("version"), run.get("mode"), sections)


def _phase(name, section):
    """PhaseResult of a section, or None where the phase did not come to its score."""
    seconds, score = section.values.get("t_delta"), section.values.get("score")
    if name in NOT_PHASES:
        return None
    if score is None:
        # The timestamp has no score of its own; the summary prints it as 0.
        if name != "timestamp":
            return None
        score = "0"
    value, time = number_of(score), number_of(seconds) if seconds else None
    valid = not section.reasons and value is not None
    unit = "GiB/s" if name.startswith("ior") else "score" if name == CONCURRENT else "kIOPS"
    reasons = tuple(section.reasons)
    scored, latency = name not in UNSCORED, _latency(section)
    return PhaseResult(name, value, unit, time, valid, scored, reasons, latency=latency)


def _latency(section):
    """The quantiles of each operation in seconds, as the embedded engine notes them, or None."""
    found = {}
    for key, text in section.values.items():
        if key.startswith(LATENCY):
            words = text.split()
            told = {name: number_of(value) for name, value in zip(words[::2], words[1::2])}
            if tuple(told) == QUANTILES and None not in told.values():
                found[key[len(LATENCY) :]] = told
    return found or None


def _score(section, run):
    values, reasons = section.values, [*(run.reasons if run else ()), *section.reasons]
    if "SCORE" not in values:
        return None
    total, _, mark = values["SCORE"].partition(" ")
    bandwidth, iops = (number_of(values.get(key, "nan")) for key in ("BW", "MD"))
    total = number_of(total)
    valid = not mark.strip() and None not in (bandwidth, iops, total)
    return ScoreResult(bandwidth, iops, total, valid, () if valid else tuple(reasons))
