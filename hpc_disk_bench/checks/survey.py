"""All checks before a launch, in their order, and what they foretell of the run."""

import os
import shutil
from typing import NamedTuple, Optional

from hpc_disk_bench.checks import memory
from hpc_disk_bench.checks.cache import cache
from hpc_disk_bench.checks.declared import MEMORY, contradictions
from hpc_disk_bench.checks.finding import OK, REFUSAL, WARNING, Finding, impossible
from hpc_disk_bench.checks.launch import launch
from hpc_disk_bench.checks.length import length
from hpc_disk_bench.checks.space import space
from hpc_disk_bench.checks.words import count, size, span
from hpc_disk_bench.checks.workload import Rates, amount, stonewall, writers
from hpc_disk_bench.telemetry.recorder import textfile_problem

LONGEST_PROBE = 3.0  # seconds
SHARE = 0.01  # of the stonewall that a probe takes at most; a short trial gets a short one


class Survey(NamedTuple):
    findings: list[Finding]
    nodes: Optional[dict]  # ordered {host: ranks on it}; None where it is not known
    facts: dict  # of hpc_disk_bench.storage.inspect
    expected: dict  # figures of the probe, and of the run by them; see EXPECTED

    @property
    def refusals(self):
        return [finding for finding in self.findings if finding.verdict == REFUSAL]

    @property
    def warnings(self):
        """The sentences of all that is not well."""
        return [finding.text for finding in self.findings if finding.verdict != OK]


# bytes, files: on the storage at once; None where there was no probe
EXPECTED = (
    *("probe_seconds", "probe_processes", "write_bytes_per_second"),
    *("easy_creates_per_second", "hard_creates_per_second", "cached_write_bytes"),
    *("likely_bytes", "likely_files", "most_bytes", "most_files", "seconds", "direct_io"),
)


def probe_seconds(template, asked):
    """How long to probe. asked: seconds by the user's word, None for the project's own choice."""
    return min(LONGEST_PROBE, SHARE * stonewall(template)) if asked is None else asked


def survey(target, template, kind, place, scratch, stopped):
    """The Survey. place: of place.look; scratch: the run's own, for the files of a trial launch.

    UserError (exit code 3) for what cannot work at all.
    """
    trial = scratch.directory / "launch"
    try:
        trial.mkdir()
        started = launch(target, template, kind, os.fspath(trial), stopped)
    except OSError as error:
        raise impossible("HDB033", f"{error.filename or trial}: {error.strerror}") from error
    finally:
        shutil.rmtree(trial, ignore_errors=True)
    nodes = len(started.nodes) if started.nodes else None
    rates = _rates(place, nodes)
    found = writers(template, target.ranks)
    lengths, seconds = length(template, found, rates)
    findings = [
        *_storage(target, place.facts),
        *space(place, found, rates),
        *lengths,
        *cache(template, place, found, rates, nodes),
        *_leftovers(place),
        *_telemetry(),
        *started.findings,
    ]
    return Survey(findings, started.nodes, place.facts, _expected(place, found, rates, seconds))


def overruled(survey):
    """The Survey with its refusals as warnings, as --force wants it."""
    findings = [
        finding._replace(verdict=WARNING, text=f"{finding.text} (overruled by --force)")
        if finding.verdict == REFUSAL
        else finding
        for finding in survey.findings
    ]
    return survey._replace(findings=findings)


def spoken_expectation(survey):
    """ "about 55 min   up to 210 GiB, 31 M files" for the line of the configuration, or ""."""
    expected = survey.expected
    if expected["seconds"] is None:
        return ""
    bytes_, files = size(expected["likely_bytes"]), count(expected["likely_files"])
    return f"about {span(expected['seconds'])}   up to {bytes_}, {files} files"


def _storage(target, facts):
    wrong = contradictions(target.storage, target.device, facts)
    if wrong:
        return [Finding("storage", WARNING, text, "HDB032") for text in wrong]
    version = f", version {facts['nfs_version']}" if facts["nfs_version"] else ""
    device = f", {facts['device_model']}" if facts["device_model"] else ""
    text = f"{facts['filesystem']} from {facts['source']}{version}{device}"
    return [Finding("storage", OK, text)]


def _leftovers(place):
    found = []
    for left in place.leftovers:
        if left.at_work:
            text = f"another run is at work here: {left.path} of {left.made_by} "
            text += f"({left.alive or left.doubt})"
        else:
            at_least = "" if left.counted else "at least "
            text = (
                f"{left.path} of a run that is gone ({left.made_by}, {span(left.age)} ago) holds "
                f"{at_least}{size(left.bytes)} in {count(left.files)} files: "
                f"io500_wrapper.sh --clean {os.path.dirname(left.path)}"
            )
        found.append(Finding("leftovers", WARNING, text, "HDB038"))
    return found or [Finding("leftovers", OK, "nothing of earlier runs")]


def _telemetry():
    problem = textfile_problem()
    return [Finding("telemetry", WARNING, problem)] if problem else []


def _rates(place, nodes):
    """Rates of the whole run: what one node's probe saw, on every node of it."""
    probe = place.probe
    if probe is None or probe.full:
        return None
    flows = (
        probe.bytes_per_second,
        probe.easy_files_per_second,
        probe.hard_files_per_second,
    )
    cached = 0 if place.facts["filesystem"] in MEMORY else memory.may_be_dirty()
    nodes = nodes or 1
    return Rates(*(max(flow, 1.0) * nodes for flow in flows), cached * nodes)


def _expected(place, found, rates, seconds):
    expected = dict.fromkeys(EXPECTED)
    most = amount(found, place.block)
    expected.update(most_bytes=most.bytes, most_files=most.files, direct_io=place.direct)
    if rates is not None:
        likely = amount(found, place.block, rates)
        expected.update(
            probe_seconds=place.probe.seconds,
            probe_processes=place.probe.processes,
            write_bytes_per_second=round(rates.bytes),
            easy_creates_per_second=round(rates.easy),
            hard_creates_per_second=round(rates.hard),
            cached_write_bytes=rates.memory,
            likely_bytes=round(likely.bytes),
            likely_files=round(likely.files),
            seconds=round(seconds),
        )
    return expected
