"""io500_wrapper.sh --explain: the page of a code, or why a run ended as it did."""

import os
from pathlib import Path

from hpc_disk_bench import status
from hpc_disk_bench.commandline import require_directory, say
from hpc_disk_bench.diagnosis import catalogue
from hpc_disk_bench.diagnosis.lines import read_lines
from hpc_disk_bench.diagnosis.of_run import of_kept, written
from hpc_disk_bench.ending import near
from hpc_disk_bench.errors import DONE, UNPARSED, UserError
from hpc_disk_bench.phase_files import directory_of_phase_files
from hpc_disk_bench.summary import shorten
from hpc_disk_bench.tree import METADATA, find_runs


def main(arguments):
    """WHAT: a code, or the directory of a run. Nothing is written.

    UserError (exit code 2) for a code that there is not, a directory that cannot be read or holds
    several runs or none, (exit code 5) for a run of which nothing is left.
    """
    (what,) = arguments
    if catalogue.CODE.fullmatch(what.upper()) and not os.path.exists(what):
        say(catalogue.entry(what.upper()).page.rstrip())
    else:
        _explain_run(what)
    return DONE


def _explain_run(directory):
    run, files = _run(directory)
    said = status.read_status(run)
    going_on = status.going_on(said)
    if going_on:
        say(f"{near(run)}: still running ({going_on})")
        return
    forced = said.get("state") in (status.PREPARING, status.RUNNING)
    diagnosis = of_kept(run, files, said, forced)
    if diagnosis is None:
        say(f"{near(run)}: came to its end, and its result counts")
        return
    say(f"{diagnosis.code} {diagnosis.title}", *_details(run, diagnosis, said, forced))


def _details(run, diagnosis, said, forced):
    for entry in diagnosis.evidence:
        if isinstance(entry, dict):
            place = near(Path(run, str(entry.get("file"))))
            yield f"  {place}:{entry.get('line')}: {shorten(str(entry.get('text')), 300)}"
    yield from (f"  {shorten(str(fact), 300)}" for fact in diagnosis.facts)
    if diagnosis.also:
        yield f"  also fits: {', '.join(map(str, diagnosis.also))}"
    if not written(said) or forced:
        yield "  worked out now from what lies in the directory"
    yield from (f"remedy    {diagnosis.remedy}", f"more      --explain {diagnosis.code}")


def _run(directory):
    """(directory of the one run that `directory` is or holds, that of the benchmark's files)."""
    path, neither = Path(directory), "neither a code, such as HDB012, nor the directory of a run"
    require_directory(directory, neither, neither)
    runs = find_runs(path)
    if len(runs) > 1 and runs[0].directory != str(path):
        raise UserError(f"{directory}: holds {len(runs)} runs: name the directory of one")
    if not runs:
        if not read_lines(path):
            raise UserError(f"{directory}: no output of a benchmark in it", UNPARSED)
        return path, directory_of_phase_files(path)
    # Of a run that was made by hand, the output may lie above the results.
    own = Path(runs[0].directory) if METADATA in runs[0].names else path
    return own, runs[0].files or directory_of_phase_files(own)
