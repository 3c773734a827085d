"""Parse runs again without running them: one run, or all below a results root."""

import os
import sys
from pathlib import Path

from hpc_disk_bench.console import Console
from hpc_disk_bench.ending import near, tell_result
from hpc_disk_bench.errors import DONE, UNPARSED, UserError
from hpc_disk_bench.parse import write_results
from hpc_disk_bench.results import load
from hpc_disk_bench.tree import RESULTS, find_runs


def reprocess_one(arguments):
    """DIRECTORY [--quiet]: the run's results.json is written anew, and its score told."""
    directory, console = arguments[0], Console(quiet="--quiet" in arguments)
    run = _only_run(directory)
    tell_result(Path(run.directory), _parse(run), console)
    return DONE


def reprocess_all(arguments):
    """ROOT [--quiet]: likewise for every run below it, with one line a run and a count.

    Exit code 5 where any of them could not be parsed; the others are done all the same.
    """
    root, quiet = arguments[0], "--quiet" in arguments
    _directory(root)
    skipped, parsed, failed = [], 0, 0
    for run in find_runs(root, lambda path, reason: skipped.append((path, reason))):
        name = os.path.relpath(run.directory, root)
        try:
            results = _parse(run)
        except UserError as error:
            failed += 1
            _say(f"  Failed: {name}: {error}", file=sys.stderr)
            continue
        parsed += 1
        if not quiet:
            _say(f"  Parsed: {name}{_remark(results)}")
    for path, reason in skipped:
        _say(f"  Skipped: {os.path.relpath(path, root)}: {reason}", file=sys.stderr)
    _say(f"{parsed} parsed, {failed} failed, {len(skipped)} skipped below {root}")
    return UNPARSED if failed else DONE


def _parse(run):
    """Results of a Run, written to its results.json."""
    if run.files is None:
        raise UserError(f"{near(run.directory)}: no result file of the benchmark in it", UNPARSED)
    results = load(run.files)
    write_results(Path(run.directory, RESULTS), results)
    return results


def _only_run(directory):
    """The one Run that a directory is or holds; UserError where it is none or several."""
    _directory(directory)
    runs = find_runs(directory)
    if runs and runs[0].directory == os.fspath(directory):
        return runs[0]
    if not runs:
        raise UserError(f"{directory}: no result file of the benchmark in it", UNPARSED)
    if len(runs) > 1:
        remedy = f"name one of them, or: ./reprocess_all_results.sh {directory}"
        raise UserError(f"{directory}: holds {len(runs)} runs; {remedy}")
    return runs[0]


def _directory(path):
    if not os.path.isdir(path):
        problem = "is a file, a directory is needed" if os.path.exists(path) else "does not exist"
        raise UserError(f"{path}: {problem}")


def _remark(results):
    if results.partial:
        return " (partial)"
    return "" if results.valid else " (INVALID)"


def _say(text, file=None):
    # Names in a tree may be anything; a message about one must not be a control sequence.
    print("".join(char if char.isprintable() else "?" for char in text), file=file or sys.stdout)
