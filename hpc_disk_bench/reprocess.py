"""Parse runs again without running them: one run, or all below a results root.

The benchmark's own files are only read. results.json is replaced where its content differs, and
what differs is said value by value. A run that is still going on is left alone.
"""

import argparse
import os
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple, Optional

from hpc_disk_bench import record, status, tools
from hpc_disk_bench.changes import Change, changes
from hpc_disk_bench.commandline import require_directory, say
from hpc_disk_bench.console import Console
from hpc_disk_bench.ending import near, tell_result
from hpc_disk_bench.errors import DONE, REFUSED, UNPARSED, UserError
from hpc_disk_bench.files import read_json
from hpc_disk_bench.phase_files import directory_of_phase_files
from hpc_disk_bench.results import Results, load
from hpc_disk_bench.summary import shorten
from hpc_disk_bench.tree import RESULTS, TOOL_RESULTS, Run, find_runs
from hpc_disk_bench.workers import in_order

PARSED, CHANGED, UNCHANGED, LEFT, FAILED = "parsed", "changed", "unchanged", "left alone", "failed"
MOST_PLACES = 12


class Outcome(NamedTuple):
    """What became of one run."""

    kind: str
    remark: str = ""  # why it was left alone or failed; " (INVALID)", " (partial)" of a result
    changes: tuple[Change, ...] = ()
    doubts: tuple[str, ...] = ()
    results: Optional[Results] = None


def reprocess_one(arguments):
    """--directory DIRECTORY: its results.json is written anew, its score and what changed told."""
    options = _arguments(arguments)
    console = Console(quiet=options.quiet)
    run = _only_run(options.directory)
    outcome = _reprocess(run, force=True, dry_run=options.dry_run)
    if outcome.kind == LEFT:
        raise UserError(f"{near(run.directory)}: {outcome.remark}: left alone", REFUSED)
    if outcome.kind == FAILED:
        raise UserError(outcome.remark, UNPARSED)
    for change in outcome.changes:
        console.talk("changed", str(change))
    written = TOOL_RESULTS if run.of_tools else RESULTS
    if options.dry_run:
        console.talk("dry run", f"nothing is written; {written} would be {outcome.kind}")
    if run.of_tools:
        console.result("results", near(Path(run.directory, written)))
    else:
        tell_result(Path(run.directory), outcome.results, console)
    return DONE


def reprocess_all(arguments):
    """--directory ROOT: likewise for every run below it, with one line a run and a count.

    Exit code 5 where any of them could not be parsed or written; the others are done all the same.
    """
    options = _arguments(arguments)
    root, skipped = options.directory, []
    require_directory(root, missing="does not exist")
    runs = find_runs(root, lambda path, reason: skipped.append((path, reason)))
    tasks = [(run, options.force, options.dry_run) for run in runs]
    counts, places = Counter(), Counter()
    with in_order(_task, tasks, options.jobs) as outcomes:
        for run, outcome in zip(runs, outcomes):
            counts[outcome.kind] += 1
            places.update(change.place for change in outcome.changes)
            _tell(os.path.relpath(run.directory, root), outcome, options)
    for path, reason in skipped:
        _say(f"  Skipped: {os.path.relpath(path, root)}: {reason}", sys.stderr)
    if not options.quiet:
        _tell_places(places)
    kinds = [f"{counts[kind]} {kind}" for kind in (PARSED, CHANGED, UNCHANGED, LEFT, FAILED)]
    mode = " (dry run: nothing written)" if options.dry_run else ""
    _say(f"{', '.join(kinds)}, {len(skipped)} skipped below {root}{mode}")
    return UNPARSED if counts[FAILED] else DONE


def _task(task):
    """The Outcome of one run, without what is not needed for a line about it."""
    return _reprocess(*task)._replace(results=None)


def _reprocess(run: Run, force, dry_run):
    if run.of_tools:
        return _reprocess_tools(run, dry_run)
    ending = status.read_status(run.directory)
    going_on = status.going_on(ending)
    if going_on:
        return Outcome(LEFT, f"still running ({going_on})")
    files = run.files or directory_of_phase_files(run.directory)
    parsed_from = record.sources(run.directory, files)
    if not force and record.up_to_date(run.directory, parsed_from):
        return Outcome(UNCHANGED)
    try:
        results = load(files)
        kind, changed = _compare(run, results.as_json())
        if not dry_run:
            record.store(run.directory, results, parsed_from)
    except UserError as error:
        if _measured_nothing(ending):
            return Outcome(LEFT, f"{ending['state']} before anything was measured")
        return Outcome(FAILED, str(error))
    return Outcome(kind, _remark(results), tuple(changed), results.warnings, results)


def _reprocess_tools(run, dry_run):
    """The same for a directory of tool outputs: they are few, so each is always parsed."""
    try:
        outputs = tools.parse_again(run.directory)
        kind, changed = _compare(run, tools.as_json(outputs), TOOL_RESULTS, tools.by_operation)
        if not dry_run:
            tools.store(run.directory, outputs)
    except UserError as error:
        return Outcome(FAILED, str(error))
    said = tuple(line for one in outputs for line in tools.spoken(one.runs, one.unread))
    return Outcome(kind, "", tuple(changed), said)


def _compare(run, content, name=RESULTS, form=lambda content: content):
    """(PARSED, CHANGED or UNCHANGED, changes) of the file `name` there is against `content`.

    form(content): the shape in which the two are compared.
    """
    path = Path(run.directory, name)
    if not path.exists():
        return PARSED, []
    try:
        changed = changes(form(read_json(path)), form(content))
    except UserError as error:
        return CHANGED, [Change(name, str(error).rpartition(f"{name}: ")[2], "rewritten")]
    return (CHANGED if changed else UNCHANGED), changed


def _measured_nothing(ending):
    """Whether the run itself says that it failed without a result: no fault of the parser."""
    failed = ending.get("state") in (status.FAILED, status.INTERRUPTED)
    return failed and ending.get("exit_code") != 0 and not ending.get("phases_done")


def _only_run(directory):
    """The one Run that a directory is or holds; UserError where it is none or several."""
    require_directory(directory, missing="does not exist")
    runs = find_runs(directory)
    if runs and runs[0].directory == os.fspath(directory):
        return runs[0]
    if len(runs) > 1:
        remedy = f"name one of them, or: ./reprocess_all_results.sh {directory}"
        raise UserError(f"{directory}: holds {len(runs)} runs; {remedy}")
    return runs[0] if runs else Run(directory, None, frozenset())


def _tell(name, outcome, options):
    if outcome.kind == FAILED:
        _say(f"  Failed: {name}: {outcome.remark}", sys.stderr)
    elif outcome.kind == LEFT:
        _say(f"  Left alone: {name}: {outcome.remark}", sys.stderr)
    elif outcome.kind != UNCHANGED and not options.quiet:
        _say(f"  {outcome.kind.capitalize()}: {name}{outcome.remark}")
        for line in (*outcome.changes, *(f"warning: {doubt}" for doubt in outcome.doubts)):
            _say(f"    {line}")


def _tell_places(places):
    """Which values changed how often: what a change of the parser comes to over a whole tree."""
    for place, times in places.most_common(MOST_PLACES):
        _say(f"  {place} changed in {times} run{'s' * (times != 1)}")
    if len(places) > MOST_PLACES:
        _say(f"  and {len(places) - MOST_PLACES} more values")


def _remark(results):
    if results.partial:
        return " (partial)"
    return "" if results.valid else " (INVALID)"


def _say(text, file=None):
    # Names in a tree may be anything; a message about one must not be a control sequence.
    text = shorten(text, 1000)
    if file:
        print(text, file=file, flush=True)
    else:
        say(text)


def _arguments(arguments):
    """What the shell commands pass on, checked by them."""
    parser = argparse.ArgumentParser(prog="reprocess", add_help=False, allow_abbrev=False)
    parser.add_argument("--directory", required=True)
    parser.add_argument("--jobs", type=int, default=1)
    for name in ("quiet", "dry-run", "force"):
        parser.add_argument(f"--{name}", action="store_true")
    return parser.parse_args(arguments)
