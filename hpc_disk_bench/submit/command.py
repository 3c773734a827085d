"""submit.sh: its options, and which of its two jobs they mean."""

import os
import re

from hpc_disk_bench.commandline import Parser
from hpc_disk_bench.errors import UserError
from hpc_disk_bench.submit import batch_script, standing
from hpc_disk_bench.submit.job import RANKS, TIME

EPILOG = """\
One run: its arguments are those of io500_wrapper.sh. Where hqsub is installed and its four options
(-p, -r, -w, -q) say all, it is called; else sbatch with the script that configs/io500_job.sbatch.j2
makes. CONFIG_FILE, IO500_RESULTS_DIR, IO500_BIN, MPIRUN, PROBE_SECONDS and STORAGE_TIMEOUT hold in
the job.

A campaign: a TOML file of nodes and storages becomes the jobs that are missing. No two of them run
on one node or one shared storage at the same time. configs/campaign-example.toml explains each key.

Exit codes: 0 done, 2 usage, 3 Slurm is not there or refuses. More: docs/slurm.md"""


def main(arguments):
    """Submit a run or a campaign; returns the exit code."""
    options = _options(arguments)
    environ = dict(os.environ)
    if len(options.target) == 1:
        from hpc_disk_bench.submit.whole_campaign import run_campaign

        return run_campaign(options, environ)
    from hpc_disk_bench.submit.one_run import submit_one

    return submit_one(options, environ)


def _options(arguments):
    parser = Parser("submit.sh", "Submits benchmark runs to Slurm.", EPILOG)
    parser.usage = (
        "submit.sh [options] <cluster> <node> <storage> <device> <test_dir> [volume]\n"
        "       submit.sh <campaign.toml> [--dry-run | --status | --resubmit STATES]"
    )
    parser.add_argument("target", nargs="+", metavar="...", help="a run's target, or a campaign")
    add = parser.add_argument
    add("--dry-run", action="store_true", help="only print what would be submitted")
    run = parser.add_argument_group("one run")
    # NUM_PROCS is checked below, with the option.
    ranks = os.environ.get("NUM_PROCS", str(RANKS))
    add = run.add_argument
    add("-p", "--ranks", metavar="N", default=ranks, help=f"MPI ranks (NUM_PROCS, else {RANKS})")
    add("-N", "--nodes", metavar="N", default="1", help="nodes that they are spread over (1)")
    add("-w", "--nodelist", default="", help="Slurm's name of the node, where it has another")
    add("-q", "--partition", default="", help="Slurm's partition")
    add("-r", "--job-name", default="", help="(io500.NODE.STORAGE.VOLUME.DEVICE)")
    add("-t", "--time", default="", help="time limit as Slurm takes it: 90, 04:00:00, 1-12")
    add("-A", "--account", default="", help="Slurm's account")
    add("--exclusive", action="store_true", help="nothing else on the node meanwhile")
    add("--config", default="", help="the run's INI template (CONFIG_FILE)")
    add("--output", default="", help="file of the job's output (%%x_%%j.out)")
    add("--sbatch", metavar="OPTION", action="append", default=[], help="further: --sbatch=--mem=0")
    add("--template", default=batch_script.TEMPLATE, help="another script than configs/'s")
    add("--via", choices=("hqsub", "sbatch"), help="call this one")
    whole = parser.add_argument_group("a campaign")
    add = whole.add_argument
    add("--status", action="store_true", help="how each run stands, by results tree and queue")
    add("--resubmit", metavar="STATES", help="submit what is so again: failed,missing,invalid,done")
    options = parser.parse_intermixed_args(arguments)
    if len(options.target) == 1:
        for action in run._group_actions:
            if getattr(options, action.dest) != action.default:
                option = action.option_strings[-1]
                raise UserError(f"{option} belongs to one run: a campaign's file says such things")
    _check(options)
    return options


def _check(options):
    if len(options.target) not in (1, 5, 6):
        raise UserError(
            f"5 or 6 arguments make a run, 1 a campaign, {len(options.target)} given: "
            "<cluster> <node> <storage> <device> <test_dir> [volume] (--help explains)"
        )
    for name in ("ranks", "nodes"):
        value = getattr(options, name)
        if not re.fullmatch(r"[1-9][0-9]{0,6}", value):
            raise UserError(f"--{name} {value!r}: a number is needed, 1 or more")
        setattr(options, name, int(value))
    if options.time and not TIME.fullmatch(options.time):
        raise UserError(f"--time {options.time!r}: 90 (minutes), 04:00:00 or 1-12 (days-hours)")
    for option in options.sbatch:
        if not option.startswith("-"):
            raise UserError(f"--sbatch {option!r}: an option of sbatch is needed: --sbatch=--mem=0")
    for_campaign = options.status or options.resubmit is not None
    if len(options.target) > 1 and for_campaign:
        raise UserError("--status and --resubmit belong to a campaign: submit.sh campaign.toml")
    if options.resubmit is not None:
        options.resubmit = tuple(filter(None, options.resubmit.split(",")))
        again = (standing.FAILED, standing.MISSING, standing.INVALID, standing.DONE)
        for state in options.resubmit or ("",):
            if state not in again:
                raise UserError(f"--resubmit {state!r}: known are {', '.join(again)}")
