"""One benchmark run from its checked arguments to its parsed result: what io500_wrapper.sh starts.

The run's files are in the results tree from the beginning, so that however it ends, what was
measured and why it ended can be read there.
"""

import argparse
import contextlib
import os
import time

from hpc_disk_bench import ending, node
from hpc_disk_bench.benchmark import Benchmark, Signals
from hpc_disk_bench.checks.binary import identify
from hpc_disk_bench.checks.finding import Stopped
from hpc_disk_bench.checks.place import look
from hpc_disk_bench.checks.results import require_results
from hpc_disk_bench.checks.survey import overruled, probe_seconds, survey
from hpc_disk_bench.checks.tell import introduce, refusal, report
from hpc_disk_bench.configuration import read_template
from hpc_disk_bench.console import Console
from hpc_disk_bench.errors import DONE, REFUSED, UserError
from hpc_disk_bench.files import write_bytes
from hpc_disk_bench.follow import Course
from hpc_disk_bench.retries import tries
from hpc_disk_bench.run_directory import RunMetadata, directory_above, make_run_directory
from hpc_disk_bench.scratch import Scratch
from hpc_disk_bench.status import (
    ERRORS,
    OUTPUT,
    PREPARING,
    RUNNING,
    write_status,
)
from hpc_disk_bench.telemetry.recorder import Recorder

INI = "io500.ini"


def main(arguments):
    """Run the benchmark; returns the exit code of the wrapper."""
    target = _arguments(arguments)
    console = Console(quiet=target.quiet)
    template = read_template(target.config)
    engine = (*identify(target.binary), target.binary)
    with Signals() as signals:

        def attempt(number, first):
            return _run(target, number, first, template, engine, signals, console)

        try:
            return tries(attempt, target.retries, target.retry_delay, signals, console)
        except Stopped:
            console.failed(f"interrupted by {signals.caught.name} before the launch")
            return 128 + signals.caught


def _run(target, number, first, template, engine, signals, console):
    """Check, launch and end: (exit code, the run's directory or None). UserError (exit code 3) and
    nothing left where it is not started. number, first: which try this is, see retries.
    """
    kind, version, _ = engine
    require_results(target)
    seconds = probe_seconds(template, target.probe_seconds)
    place = look(target.test_dir, target.ranks, seconds, target.patience, lambda: signals.caught)
    scratch = Scratch.create(target.test_dir, target.results, target.patience)
    try:
        checked = survey(target, template, kind, place, scratch, lambda: signals.caught)
        if target.force:
            checked = overruled(checked)
        if target.check:
            report(checked, console)
            return (REFUSED if checked.refusals else DONE), None
        if checked.refusals:
            introduce(target, template, version, checked, console)
            raise UserError(refusal(checked), REFUSED)
        run, metadata = _prepare(target, template, engine, scratch, checked)
        metadata.write(attempt=number, retries=target.retries, retry_of=first and first.name)
        introduce(target, template, version, checked, console)
        course = _course(target, template, metadata, run, console)
        benchmark = None
        if not signals.caught:
            benchmark = _benchmark(target, template, metadata, run, course, signals, console)
        return ending.end(run, benchmark, signals, metadata, scratch, course, console), run
    finally:
        # Nothing is left to do here after an ending; this is for what went wrong before it.
        scratch.remove()


def _prepare(target, template, engine, scratch, checked):
    """Everything that is written before the launch: (run directory, its RunMetadata)."""
    if not os.path.exists(node.metadata_path(target.results, target.cluster, target.node)):
        node.write(target.results, target.cluster, target.node)
    run = make_run_directory(directory_above(target))
    try:
        scratch.name_run(run)
        write_status(run, PREPARING)
        metadata = RunMetadata(run, target, template, engine, checked)
        metadata.write()
        rendered = template.render(scratch.data, run)
        write_bytes(run / INI, rendered.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise UserError(f"{error.filename or run}: {error.strerror}", REFUSED) from error
    return run, metadata


def _course(target, template, metadata, run, console):
    place = target.test_dir, metadata.content["storage"]["filesystem"]
    nodes = metadata.content["node_count"]
    return Course(run, run / INI, template, place, nodes, target.hang_timeout, console)


def _benchmark(target, template, metadata, run, course, signals, console):
    """Launch the benchmark and follow it to its end, or to a signal; it runs no more on return."""
    command = [*target.launch, target.binary, os.fspath(run / INI)]
    if template.mode != "standard":
        command.append(f"--mode={template.mode}")
    metadata.write(start_epoch=round(time.time(), 3))
    _note(run, RUNNING, **course.state())
    try:
        benchmark = Benchmark(command, run / OUTPUT, run / ERRORS)
    except OSError as error:
        (run / ERRORS).write_text(f"{command[0]}: cannot be started: {error.strerror}\n")
        return None
    try:
        with Recorder(run, run / INI, target.test_dir, metadata.content["nodes"]) as recorder:
            course.follow(benchmark, signals)
    finally:
        if not benchmark.stop():
            console.failed("to end every rank: some do not answer even to SIGKILL")
    metadata.add_warnings(recorder.warnings())
    return benchmark


def _note(run, state, **fields):
    # A results tree that is full for a moment must not end a run that goes on elsewhere.
    with contextlib.suppress(OSError):
        write_status(run, state, **fields)


def _arguments(arguments):
    """What io500_wrapper.sh passes on: names and paths that it has checked."""
    parser = argparse.ArgumentParser(prog="run", add_help=False, allow_abbrev=False)
    for name in ("cluster", "node", "storage", "device", "volume"):
        parser.add_argument(f"--{name}", default="")
    for name in ("test-dir", "results", "config", "config-name", "binary"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--probe-seconds", type=float)
    parser.add_argument("--patience", type=float, required=True)
    parser.add_argument("--hang-timeout", type=float, required=True)
    parser.add_argument("--retries", type=int, default=0)
    parser.add_argument("--retry-delay", type=float, default=0)
    for name in ("check", "force", "quiet"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("launch", nargs="*")
    return parser.parse_args(arguments)
