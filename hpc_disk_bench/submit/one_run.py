"""One run as a job: by the site's hqsub where that is installed, else by sbatch."""

import os
import shlex
import shutil
import subprocess
import tempfile

from hpc_disk_bench.commandline import say
from hpc_disk_bench.errors import DONE, REFUSED, UserError
from hpc_disk_bench.submit import batch_script, slurm
from hpc_disk_bench.submit.job import Job


def submit_one(options, environ):
    """Submit the run of the command line's options; returns the exit code."""
    job = _job(options, environ)
    job.check()
    by_hqsub = options.via == "hqsub" or (
        options.via is None and shutil.which("hqsub") and not _beyond_hqsub(options)
    )
    if by_hqsub:
        return _by_hqsub(job, options, environ)
    results = os.path.abspath(environ.get("IO500_RESULTS_DIR") or "io500_results")
    # A % starts a pattern of Slurm's: the user's may, that of the directory's name does not.
    output = os.path.join(os.getcwd().replace("%", "%%"), options.output or "%x_%j.out")
    script = batch_script.render(job, options.template, os.getcwd(), results, output)
    if options.dry_run:
        say(script, end="")
        return DONE
    _make_directory(output)
    # sbatch takes a copy of the script.
    with tempfile.NamedTemporaryFile("w", suffix=".sbatch", encoding="utf-8") as file:
        file.write(script)
        file.flush()
        job_id = slurm.submit(file.name)
    say(f"submitted {job.name} as job {job_id}")
    return DONE


def _job(options, environ):
    cluster, node, storage, device, test_dir, *volume = options.target
    environment = {"CONFIG_FILE": options.config or environ.get("CONFIG_FILE", "")}
    for name in ("IO500_BIN", "MPIRUN", "PROBE_SECONDS", "STORAGE_TIMEOUT"):
        environment[name] = environ.get(name, "")
    return Job(
        cluster,
        node,
        storage,
        device,
        os.path.abspath(test_dir),
        volume=volume[0] if volume else "",
        ranks=options.ranks,
        nodes=options.nodes,
        nodelist=options.nodelist or (node if options.nodes == 1 else ""),
        partition=options.partition,
        account=options.account,
        time=options.time,
        exclusive=options.exclusive,
        sbatch=tuple(options.sbatch),
        environment={name: value for name, value in environment.items() if value},
        job_name=options.job_name,
    )


def _beyond_hqsub(options):
    """Whether more is asked for than hqsub's four options can say."""
    asked = (options.account, options.time, options.exclusive, options.sbatch, options.output)
    return any(asked) or options.nodes > 1 or options.template != batch_script.TEMPLATE


def _by_hqsub(job, options, environ):
    if _beyond_hqsub(options):
        raise UserError("hqsub takes -p, -r, -w and -q alone: leave out the rest, or --via sbatch")
    # exec: else the shell that hqsub starts would take Slurm's signals, and end with its run.
    command = ["hqsub", f"exec {job.command}"]
    command += ["-p", str(job.ranks), "-r", job.name]
    for flag, value in (("-w", job.nodelist), ("-q", job.partition)):
        if value:
            command += [flag, value]
    if options.dry_run:
        say(shlex.join(command))
        return DONE
    # hqsub's jobs inherit the environment.
    environ = {**environ, **job.environment, "NUM_PROCS": str(job.ranks)}
    try:
        failed = subprocess.run(command, env=environ, check=False).returncode != 0
        return REFUSED if failed else DONE
    except OSError as error:
        raise UserError(f"hqsub: {error.strerror}", REFUSED) from error


def _make_directory(output):
    """Where the directory of its output is missing, a job never runs and says nothing."""
    directory = os.path.dirname(output)
    if "%" in directory.replace("%%", ""):
        return  # a pattern, which Slurm fills in
    directory = directory.replace("%%", "%")
    try:
        os.makedirs(directory, exist_ok=True)
    except OSError as error:
        raise UserError(f"{directory}: cannot be made: {error.strerror}", REFUSED) from error
