"""How a run ends: what was measured is kept, its data removed, and the reason said."""

import os
import signal
import time

from hpc_disk_bench import engines, record, status
from hpc_disk_bench.console import GREEN, YELLOW, figure
from hpc_disk_bench.errors import BENCHMARK_FAILED, DONE, UNPARSED, UserError
from hpc_disk_bench.parse import spoken
from hpc_disk_bench.phase_files import directory_of_phase_files
from hpc_disk_bench.phases import SCORED
from hpc_disk_bench.results import load
from hpc_disk_bench.tree import RESULTS, find_runs


def end(run, benchmark, signals, metadata, scratch, console):
    """Close a run; returns the exit code of the wrapper.

    benchmark: the one that has ended, or None where it was never started.
    """
    files = _files(run)
    parsed_from = record.sources(run, files)
    results, unparsed = _parse(files)
    state, code = _judge(benchmark, signals.caught, results, unparsed)
    last_phase, done = status.where_it_stands(files)
    evidence = status.evidence(run) if state == status.FAILED else []
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
            evidence=evidence,
        )
    except (OSError, UserError) as error:
        console.failed(f"to keep the result: {getattr(error, 'strerror', None) or error}")
        results, code = None, code or UNPARSED
    # What counts is on disk before the removal, which can take long.
    removed, problems = scratch.remove()
    for problem in problems:
        console.failed(f"to remove {problem}")
    removal = f"removed {removed:,} files of this run" if removed else ""
    if state == status.INTERRUPTED:
        _tell_interrupted(run, results, signals.caught, last_phase, removal, console)
    elif state == status.FAILED:
        lasted = ended - (metadata.content["start_epoch"] or ended)
        place = f"in {last_phase} " if last_phase else ""
        _tell_failed(run, benchmark, results, unparsed, place, lasted, evidence, removal, console)
    elif results:
        tell_result(run, results, console)
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


def _judge(benchmark, caught, results, unparsed):
    """(state, exit code of the wrapper)."""
    finished = benchmark and benchmark.exit_code == 0 and results and not results.partial
    if caught and not finished:
        return status.INTERRUPTED, 128 + caught
    if benchmark is None or benchmark.exit_code != 0:
        return status.FAILED, BENCHMARK_FAILED
    if unparsed:
        return status.FAILED, UNPARSED
    if results.partial:
        return status.FAILED, BENCHMARK_FAILED
    return (status.COMPLETE if results.valid else status.INVALID), DONE


def _tell_failed(run, benchmark, results, unparsed, place, lasted, evidence, removal, console):
    if benchmark is None:
        how = "the benchmark could not be started"
    elif benchmark.signal:
        how = f"the benchmark was ended by {benchmark.signal} {place}after {lasted:.0f} s"
    elif benchmark.exit_code:
        how = f"the benchmark ended with exit code {benchmark.exit_code} {place}"
        how += f"after {lasted:.0f} s"
    else:
        how = "the benchmark ended, but its result is not whole"
    details = [f"{entry['file']}:{entry['line']}: {entry['text']}" for entry in evidence]
    if not details and unparsed:
        details = [unparsed]
    console.failed(how, *details, _kept(run, results), *filter(None, [removal]))


def _tell_interrupted(run, results, caught, last_phase, removal, console):
    place = f" in {last_phase}" if last_phase else ""
    kept = [_kept(run, results), *filter(None, [removal])]
    console.failed(f"interrupted by {signal.Signals(caught).name}{place}", *kept)


def _kept(run, results):
    if results is None:
        return f"kept no figure; output and status are in {near(run)}"
    marked = ", marked partial" if results.partial else ""
    return f"kept {_measured(results)}{marked}: {near(run / RESULTS)}"


def _measured(results):
    measured = sum(phase.name in results.phases for phase in SCORED)
    return f"{measured} of {len(SCORED)} phases"
