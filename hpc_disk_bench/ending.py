"""How a run ends: what was measured is kept, its data removed, and the reason said."""

import os
import time

from hpc_disk_bench import engines, record, status
from hpc_disk_bench.clearing import clear
from hpc_disk_bench.console import GREEN, YELLOW, figure
from hpc_disk_bench.diagnosis.of_run import ANNOUNCED, of_ended
from hpc_disk_bench.errors import BENCHMARK_FAILED, DONE, UNPARSED, UserError
from hpc_disk_bench.parse import spoken
from hpc_disk_bench.phase_files import directory_of_phase_files
from hpc_disk_bench.phases import SCORED
from hpc_disk_bench.results import load
from hpc_disk_bench.tree import RESULTS, find_runs

NOT_ONE_JOB = "HDB005"  # what looks like a result is that of several benchmarks at once


def end(run, benchmark, signals, metadata, scratch, course, console):
    """Close a run; returns the exit code of the wrapper.

    benchmark: the one that has ended, or None where it was never started; course: its
    follow.Course.
    """
    files = _files(run)
    parsed_from = record.sources(run, files)
    results, unparsed = _parse(files)
    caught, ranks = signals.caught, metadata.content["num_procs"]
    diagnosis = of_ended(run, files, benchmark, caught, results, unparsed, ranks, course)
    state, code = _judge(benchmark, caught, results, unparsed, diagnosis)
    last_phase, done = status.where_it_stands(files)
    ended = time.time()
    try:
        if results:
            record.store(run, results, parsed_from)
        if results and results.version:
            kind = engines.engine_of(results.version)
            metadata.write(engine=kind, engine_version=results.version)
        metadata.write(end_epoch=round(ended, 3))
        status.write_status(
            run,
            state,
            exit_code=benchmark and benchmark.exit_code,
            signal=signals.caught.name if signals.caught else benchmark and benchmark.signal,
            last_phase=last_phase,
            phases_done=done,
            phases_total=course.state()["phases_total"],
            diagnosis=diagnosis,
        )
    except (OSError, UserError) as error:
        console.failed(f"to keep the result: {getattr(error, 'strerror', None) or error}")
        results, code = None, code or UNPARSED
    # What counts is on disk before the removal, which can take long.
    removal, left = clear(scratch, signals, console)
    if left:
        status.add(run, left_behind=left)
    if state in status.ENDED_BADLY:
        lasted = ended - (metadata.content["start_epoch"] or ended)
        _tell_failed(run, results, diagnosis, last_phase, lasted, removal, console)
    elif results:
        tell_result(run, results, console)
        if diagnosis:
            console.talk("why", f"{diagnosis.code} {diagnosis.title}", style=YELLOW)
            console.talk("remedy", _remedy(diagnosis))
    return code


def tell_result(run, results, console):
    """The score and where it lies, on stdout; doubts and odd lines on stderr."""
    for line in spoken(results):
        console.talk("note", line)
    score = results.scores.get("score")
    if results.valid:
        verdict, style = "valid", GREEN
    else:
        style = YELLOW
        partial = "partial: " if results.partial else ""
        verdict = "INVALID" if score else f"no score, {partial}{_measured(results)}"
        if score and score.reasons:
            verdict += f" ({score.reasons[0]})"
    if score:
        bandwidth, iops = figure(score.bandwidth), figure(score.iops)
        verdict = f"bandwidth {bandwidth} GiB/s   metadata {iops} kIOPS   {verdict}"
        verdict = f"{figure(score.total)}   {verdict}"
    console.result("score", verdict, style)
    console.result("results", near(run / RESULTS))


def near(path):
    """A path as one would type it here: relative where it lies below the working directory."""
    try:
        relative = os.path.relpath(path)
    except OSError:  # the working directory is gone
        return os.fspath(path)
    return os.fspath(path) if relative.startswith(os.pardir) else relative


def _files(run):
    """Where the benchmark's files of a run lie: its directory, or one below it."""
    found = [entry for entry in find_runs(run) if entry.directory == os.fspath(run)]
    return (found and found[0].files) or directory_of_phase_files(run)


def _parse(files):
    """(Results or None, why there are none or None)."""
    try:
        return load(files), None
    except UserError as error:
        return None, str(error)


def _judge(benchmark, caught, results, unparsed, diagnosis):
    """(state, exit code of the wrapper)."""
    finished = benchmark and benchmark.exit_code == 0 and results and not results.partial
    if caught and not finished:
        # What a batch system announces its end with is no order of a person.
        announced = caught.name in ANNOUNCED
        return status.INTERRUPTED, BENCHMARK_FAILED if announced else 128 + caught
    if benchmark is None or benchmark.exit_code != 0:
        return status.FAILED, BENCHMARK_FAILED
    if unparsed:
        return status.FAILED, UNPARSED
    if results.partial or (diagnosis and diagnosis.code == NOT_ONE_JOB):
        return status.FAILED, BENCHMARK_FAILED
    return (status.COMPLETE if results.valid else status.INVALID), DONE


def _tell_failed(run, results, diagnosis, last_phase, lasted, removal, console):
    place = f" in {last_phase}" if last_phase else ""
    console.failed(
        f"{diagnosis.code} {diagnosis.title},{place} after {lasted:.0f} s",
        *(f"{entry['file']}:{entry['line']}: {entry['text']}" for entry in diagnosis.evidence),
        *diagnosis.facts,
        f"remedy: {_remedy(diagnosis)}",
        _kept(run, results),
        *filter(None, [removal]),
    )


def _remedy(diagnosis):
    return f"{diagnosis.remedy} (io500_wrapper.sh --explain {diagnosis.code})"


def _kept(run, results):
    if results is None:
        return f"kept no figure; output and status are in {near(run)}"
    marked = ", marked partial" if results.partial else ""
    return f"kept {_measured(results)}{marked}: {near(run / RESULTS)}"


def _measured(results):
    measured = sum(phase.name in results.phases for phase in SCORED)
    return f"{measured} of {len(SCORED)} phases"
