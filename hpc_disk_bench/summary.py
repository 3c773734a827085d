"""result_summary.txt in every dialect that the benchmark has printed since 2017, as typed values.

Nothing is judged here: a phase is valid unless its line carries a mark of invalidity, and figures
are kept as printed, in GiB/s and kIOPS.
"""

import math
import re
from typing import NamedTuple, Optional


class PhaseResult(NamedTuple):
    """One phase. value is in `unit`, time in seconds; None is what JSON cannot hold (nan, inf)."""

    name: str
    value: Optional[float]
    unit: str
    time: Optional[float]
    valid: bool
    scored: bool = True
    reasons: tuple[str, ...] = ()
    step: float = 1e-6  # what one unit of the last printed digit of value is worth
    latency: Optional[dict] = None  # operation to {"p50": seconds, ...}, where the engine tells

    def as_json(self):
        entry = {"value": self.value, "unit": self.unit, "time": self.time, "valid": self.valid}
        if not self.scored:
            entry["scored"] = False
        if self.reasons:
            entry["reasons"] = list(self.reasons)
        if self.latency:
            entry["latency"] = self.latency
        return entry


class ScoreResult(NamedTuple):
    """A score line: bandwidth in GiB/s, iops in kIOPS, total as the benchmark printed it."""

    bandwidth: Optional[float]
    iops: Optional[float]
    total: Optional[float]
    valid: bool
    reasons: tuple[str, ...] = ()
    steps: tuple[float, float, float] = (1e-6, 1e-6, 1e-6)

    def as_json(self):
        entry = {
            "bandwidth": self.bandwidth,
            "iops": self.iops,
            "total": self.total,
            "valid": self.valid,
        }
        if self.reasons:
            entry["reasons"] = list(self.reasons)
        return entry


class Summary(NamedTuple):
    version: Optional[str]  # None where there is no header; "" where the header lost it
    mode: Optional[str]  # standard, extended, or None where the header does not say
    phases: dict[str, PhaseResult]  # in the order of the file
    scores: dict[str, ScoreResult]  # "score", "score_extended"
    notices: tuple[str, ...]  # what a person should know about odd lines


HEADER = "IO500 version"
MARK = re.compile(r"\[(?P<inside>[^\]]+)\](?P<rest>.*)$")
# The words inside the brackets, by what they announce.
RESULT, UNSCORED, SCORES = "RESULT", "", {"SCORE": "score"}
SCORES.update(dict.fromkeys(("SCOREX", "SCORE_EXTENDED"), "score_extended"))
INVALID_AT_END = re.compile(r"\[\s*INVALID\s*\]\s*$", re.IGNORECASE)
# Keys of results.json that hold something else, so that no phase can be called like them.
NOT_PHASES = ("score", "score_extended", "score-extended", "source", "partial")
LONGEST_LINE = 1000
MOST_NOTICES = 100  # of lines that fit nothing; a file of something else has no others
# No two parts of a pattern can match the same characters, so that no line takes long to refuse.
NUMBER = (
    r"[-+]?(?:[0-9]+(?:\.[0-9]*)?(?:e[-+]?[0-9]+)?|\.[0-9]+(?:e[-+]?[0-9]+)?"
    r"|inf(?:inity)?|nan(?:\([^()]*\))?)"
)
A_NUMBER = re.compile(NUMBER, re.IGNORECASE)
PHASE = re.compile(
    r"\s*(?:(?:BW|IOPS)\s+phase\s+\d+\s+)?(?P<name>\S+)\s+(?P<value>" + NUMBER + r")"
    r"(?:\s+(?P<unit>[^\s:]+))?\s*:\s*time\s+(?P<time>" + NUMBER + r")\s+seconds\s*$",
    re.IGNORECASE,
)
SCORE = re.compile(
    r"\s*Bandwidth\s+(?P<bandwidth>" + NUMBER + r")\s+(?P<bandwidth_unit>[^\s:]+)\s*"
    r":\s*IOPS\s+(?P<iops>" + NUMBER + r")\s+(?P<iops_unit>[^\s:]+)\s*"
    r":\s*TOTAL\s+(?P<total>" + NUMBER + r")\s*$",
    re.IGNORECASE,
)
# Unit as printed: what it is here, and by what to divide. The bash script printed GB/s and MB/s
# over figures in GiB/s and MiB/s; for two weeks in 2019 the C application printed IOPS over kIOPS.
UNITS = {
    "GiB/s": ("GiB/s", 1),
    "GB/s": ("GiB/s", 1),
    "MiB/s": ("GiB/s", 1024),
    "MB/s": ("GiB/s", 1024),
    "kIOPS": ("kIOPS", 1),
    "kiops": ("kIOPS", 1),
    "IOPS": ("kIOPS", 1),
    "iops": ("kIOPS", 1000),
    "score": ("score", 1),
    "": ("", 1),
}
KNOWN_UNITS = {unit for unit, _ in UNITS.values()}


def parse_summary(text):
    """Parse the text of a result_summary.txt. What fits nothing becomes a notice."""
    version = mode = None
    phases, scores, notices, repeated, odd = {}, {}, [], {}, 0
    for number, line in enumerate(re.split("\r\n|\r|\n", text), start=1):
        line = line.strip().lstrip("\ufeff")
        if not line:
            continue
        result = result_of(line) if len(line) <= LONGEST_LINE else None
        if result:
            name, entry = result
            found = scores if isinstance(entry, ScoreResult) else phases
            if name in found:
                repeated[name] = repeated.get(name, 1) + 1
            found[name] = entry
            if isinstance(entry, PhaseResult) and entry.unit not in KNOWN_UNITS:
                unit = shorten(entry.unit)
                notices.append(f"{shorten(name)}: unit {unit} is unknown and kept as it is")
        elif line.startswith(HEADER) and len(line) <= LONGEST_LINE:
            version, mode = _header(line)
        else:
            odd += 1
            if odd <= MOST_NOTICES:
                notices.append(f"line {number} fits no known form: {shorten(line)}")
    if odd > MOST_NOTICES:
        notices.append(f"and {odd - MOST_NOTICES} more lines fit no known form")
    for name, times in repeated.items():
        notices.append(f"{shorten(name)} stands there {times} times; the last one counts")
    return Summary(version, mode, phases, scores, tuple(notices))


def number_of(text):
    """A printed number as float, or None for nan, inf and what is no number."""
    if not A_NUMBER.fullmatch(text):
        return None
    try:
        value = float(text)
    except ValueError:  # nan(0x8000...), as some C libraries print it
        return None
    return value if math.isfinite(value) else None


def shorten(text, length=100):
    """One line of printable characters, for a message about text that somebody else wrote."""
    head = "".join(char if char.isprintable() else "?" for char in text[: length + 1])
    return head if len(text) <= length else head[: length - 3] + "..."


def result_of(line):
    """(key in results.json, PhaseResult or ScoreResult) of a line, or None where it is none."""
    mark = MARK.match(line)
    if not mark:
        return None
    words = mark["inside"].upper().replace("-", " ").split()
    rest = INVALID_AT_END.sub("", mark["rest"])
    valid = words[-1:] != ["INVALID"] and rest == mark["rest"]
    kind = " ".join(words if words[-1:] != ["INVALID"] else words[:-1])
    if kind in SCORES:
        fields = SCORE.match(rest)
        return fields and (SCORES[kind], _score(fields, valid))
    fields = PHASE.match(rest) if kind in (RESULT, UNSCORED) else None
    if not fields or fields["name"] in NOT_PHASES:
        return None
    phase = _phase(fields, valid, scored=kind == RESULT)
    return phase.name, phase


def _header(line):
    """(version, mode) of the first line of a summary; mode None where it does not say."""
    version, mode = line[len(HEADER) :].strip(), None
    if version.endswith(")") and "(" in version:
        version, _, mode = version[:-1].rpartition("(")
    return shorten(version.strip()), mode and shorten(mode)


def _phase(fields, valid, scored):
    value, unit, step = measured(fields["value"], fields["unit"] or "")
    time = number_of(fields["time"])
    valid = valid and value is not None and time is not None
    name = fields["name"].replace("_", "-")
    return PhaseResult(name, value, unit, time, valid, scored, step=step)


def _score(fields, valid):
    bandwidth, _, bandwidth_step = measured(fields["bandwidth"], fields["bandwidth_unit"])
    iops, _, iops_step = measured(fields["iops"], fields["iops_unit"])
    total, _, total_step = measured(fields["total"], "")
    valid = valid and None not in (bandwidth, iops, total)
    return ScoreResult(bandwidth, iops, total, valid, steps=(bandwidth_step, iops_step, total_step))


def measured(printed, unit):
    """(value, unit, step) of a printed figure in the units of the results."""
    unit, divisor = UNITS.get(unit, (unit, 1))
    value = number_of(printed)
    decimals = len(printed.partition(".")[2]) if "e" not in printed.lower() else 6
    return (None if value is None else value / divisor), unit, 10.0**-decimals / divisor
