"""From what a run has left to one Diagnosis: the most certain cause first, nothing guessed.

A cause is taken from what was watched (a hang, a signal, the kernel's counters), then from what was
said (rules.py), then from how it ended. Where nothing fits, the code is HDB001 with the lines that
may tell a person more.
"""

import re
import signal
from typing import NamedTuple, Optional

from hpc_disk_bench.diagnosis import catalogue, invalid, results_place, rules
from hpc_disk_bench.diagnosis.facts import Facts
from hpc_disk_bench.diagnosis.finding import UNKNOWN, Finding
from hpc_disk_bench.diagnosis.lines import ERRORS, NUMBERS, OUTPUT, read_lines
from hpc_disk_bench.errors import UserError
from hpc_disk_bench.results import Results

MOST_EVIDENCE = 3
NOT_STARTED = (126, 127)  # exit codes of shells and launchers for what cannot be executed
# Signals of which one cause is known.
BY_SIGNAL = {"SIGXFSZ": "HDB010", "SIGILL": "HDB002"}
# Open MPI's own, when it is told to stop; a rank that fails makes it print what happened.
STOPPED = (1, 128 + signal.SIGINT, 128 + signal.SIGTERM)


class Ending(NamedTuple):
    """How a run ended, as far as it is known."""

    finished: bool = False  # the benchmark ended by itself, well, and with a whole result
    exit_code: Optional[int] = None  # of the benchmark
    signal: Optional[str] = None  # that ended the benchmark: SIGKILL
    caught: Optional[str] = None  # that the run itself was ended by: SIGTERM
    time_is_up: bool = False  # of the batch job, when that signal came
    forced: bool = False  # nobody has written how it ended
    hung: Optional[str] = None  # what the hang watch says
    ranks: Optional[int] = None  # that were asked for
    results: Optional[Results] = None
    unparsed: Optional[str] = None  # why there are none
    facts: Optional[Facts] = None


class Diagnosis(NamedTuple):
    """Why a run failed, or does not count."""

    code: str
    title: str
    remedy: str
    facts: list  # sentences on what was watched
    evidence: list  # [{file, line, text}]: what was said, and where
    also: list  # further codes that fit, which may follow from the first

    def as_json(self):
        return self._asdict()


def diagnose(run, files, ended):
    """The Diagnosis of a run, or None where it ended well and its result counts.

    run: its directory; files: that of the benchmark's files; ended: an Ending.
    """
    lines = read_lines(run, files)
    found = [finding for finding in _findings(run, files, lines, ended) if finding]
    if not found and ended.finished:
        return None
    if not found:
        found = [Finding(UNKNOWN, (), _telling(lines))]
    first, *others = found
    facts = [*first.facts, *_how(ended)]
    also = [code for code in dict.fromkeys(other.code for other in others) if code != first.code]
    return Diagnosis(
        first.code,
        *_entry(first.code),
        facts,
        [line.as_json() for line in different(first.lines)],
        also,
    )


def of_code(code, facts, evidence=()):
    """The Diagnosis of a code that needs no search."""
    return Diagnosis(code, *_entry(code), list(facts), list(evidence), [])


def _entry(code):
    try:
        entry = catalogue.entry(code)
    except UserError as error:  # a broken installation must not cost a run its ending
        return str(error), ""
    return entry.title, entry.remedy


def _findings(run, files, lines, ended):
    """Every Finding, the most certain first."""
    yield _hung(ended)
    yield _forced(ended)
    yield _singletons(lines, files, ended)
    yield _caught(ended)
    yield _out_of_memory(lines, ended)
    yield results_place.unwritable(run, lines)
    for rule in rules.RULES:
        if rule.spoils or not ended.finished:
            fitting = [line for line in lines if rule.said_in(line)]
            if fitting:
                yield _closer(Finding(rule.code, (), tuple(fitting)), ended)
    if not ended.finished:
        yield _by_exit(lines, ended)
        yield _without_result(lines, ended)
    yield from invalid.findings(run, files, ended)


def _hung(ended):
    return Finding("HDB024", (ended.hung,)) if ended.hung else None


def _forced(ended):
    if not ended.forced:
        return None
    return Finding("HDB028", ("the process that led the run is gone, and wrote no ending",))


def _singletons(lines, files, ended):
    started = tuple(
        line for line in lines if line.source == OUTPUT and "IO500 version" in line.text
    )
    ran = invalid.ranks(files)
    if ended.ranks == 1:
        return None
    if len({line.number for line in started}) > 1:
        asked = f"{ended.ranks} ranks" if ended.ranks else "its ranks"
        return Finding("HDB005", (f"the benchmark was started once for each of {asked}",), started)
    if ended.ranks and ran is not None and ran < ended.ranks:
        said = f"{ended.ranks} ranks were asked for, result.txt is of a job of {ran}"
        return Finding("HDB005", (said,), started)
    return None


def _caught(ended):
    if not ended.caught:
        return None
    if ended.time_is_up:
        said = f"{ended.caught} came as the time of the batch job was up"
        return Finding("HDB018", (said,))
    return Finding("HDB019", (f"the run was ended by {ended.caught}",))


def _out_of_memory(lines, ended):
    facts = ended.facts
    if facts is None or ended.finished:
        return None
    killed = tuple(line for line in lines if re.search(r"signal 9\b|Killed", line.sentence))
    if facts.oom_kills:
        said = f"the kernel killed {facts.oom_kills} of its processes for want of memory"
        return Finding("HDB022", (said,), killed)
    by_kill = ended.signal == "SIGKILL" or ended.exit_code == 128 + signal.SIGKILL or killed
    if facts.oom_on_node and by_kill:
        said = "a process was killed, and the kernel killed for want of memory on this node then"
        return Finding("HDB022", (said,), killed)
    return None


def _closer(finding, ended):
    """ENOSPC has three causes: blocks, inodes, or a directory that takes no further entry."""
    if finding.code != "HDB012":
        return finding
    making = any(rules.OPENING.search(line.text) for line in finding.lines)
    before, after = (
        (ended.facts.space_before, ended.facts.space_after) if ended.facts else (None, None)
    )
    if after is None:
        return finding._replace(code="HDB013") if making else finding
    facts = (_space(before, after, ended.facts),)
    blocks = after.free_bytes / max(after.size_bytes, 1)
    inodes = after.free_inodes / after.inodes if after.inodes else 1
    code = "HDB012"
    if inodes < min(blocks, 0.05):
        code = "HDB013"
    elif making and min(blocks, inodes) > 0.05 and str(ended.facts.filesystem).startswith("ext"):
        code = "HDB017"
    return finding._replace(code=code, facts=facts)


def _space(before, after, facts):
    def told(space):
        inodes = "" if space.free_inodes is None else f" and {space.free_inodes:,} inodes"
        return f"{space.free_bytes / 2**30:.2f} GiB{inodes}"

    start = f"{told(before)} were free at the start, " if before else ""
    return f"{facts.test_dir} ({facts.filesystem}): {start}{told(after)} at the end"


def _by_exit(lines, ended):
    code = ended.exit_code
    if code in NOT_STARTED:
        return Finding("HDB002", (), _telling(lines))
    number = code - 128 if code and 128 < code < 128 + 65 else None
    name = ended.signal or (number and _name(number))
    if name:
        return Finding(BY_SIGNAL.get(name, "HDB023"), (), _telling(lines))
    launched = ended.ranks is None or ended.ranks > 1
    told = [line for line in _telling(lines) if rules.TELLING.search(line.text)]
    silent = not told and not any(line.source == ERRORS for line in lines)
    if code in STOPPED and launched and silent and lines:
        said = "the launcher ended without a word, as it does when it is told to stop"
        return Finding("HDB019", (said,))
    return None


def _without_result(lines, ended):
    if ended.exit_code != 0:
        return None
    said = ended.unparsed or "the result files break off before the score"
    facts = [said]
    if ended.facts and ended.facts.result_space:
        free = ended.facts.result_space.free_bytes
        facts.append(f"{free / 2**30:.2f} GiB are free where the results lie")
    return Finding("HDB027", tuple(facts), _telling(lines))


def _how(ended):
    """How the benchmark ended, as the last of the facts."""
    if ended.hung or ended.caught or ended.finished:
        return []
    if ended.signal:
        return [f"the benchmark was ended by {ended.signal}"]
    if ended.exit_code is None:
        return []
    name = _name(ended.exit_code - 128) if ended.exit_code > 128 else None
    return [f"the benchmark ended with exit code {ended.exit_code}{f' ({name})' if name else ''}"]


def _name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return None


def _telling(lines):
    """The lines that may tell a person something: of failures, else the last that were printed."""
    spoken = [line for line in lines if not rules.FRAME.search(line.text)]
    said = [line for line in spoken if line.source in (ERRORS, OUTPUT)]
    return tuple(
        [line for line in said if rules.TELLING.search(line.text)]
        or [line for line in said if line.source == ERRORS]
        or said[-1:]
    )


def different(lines):
    """The first few lines, the surest in front, each only once (every rank may have said it)."""
    first = {}
    for line in sorted(lines, key=lambda line: not rules.SUREST.search(line.text)):
        first.setdefault(NUMBERS.sub("0", line.text).lstrip("; "), line)
    return list(first.values())[:MOST_EVIDENCE]
