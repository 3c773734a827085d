"""A campaign as a user meets it: submit what is missing, say how it stands, submit again."""

import os
from contextlib import nullcontext

from hpc_disk_bench.commandline import say
from hpc_disk_bench.console import Console
from hpc_disk_bench.errors import DONE, REFUSED, UserError
from hpc_disk_bench.files import write_text
from hpc_disk_bench.submit import batch_script, show, slurm, standing
from hpc_disk_bench.submit.campaign import read_campaign
from hpc_disk_bench.submit.plan import plan
from hpc_disk_bench.submit.submissions import Submissions


def run_campaign(options, environ):
    """What submit.sh does with a campaign; returns the exit code."""
    campaign = read_campaign(options.target[0])
    results = environ.get("IO500_RESULTS_DIR") or "io500_results"
    submissions = Submissions(campaign, campaign.results or os.path.abspath(results))
    if options.status:
        standings = _standings(campaign, submissions, _queue_where_it_answers(submissions))
        say(*show.table(campaign, standings), *show.remarks(campaign, standings))
        return DONE
    again = options.resubmit or (standing.MISSING,)
    # A dry run writes nothing, so not the lock's directory either.
    with nullcontext() if options.dry_run else submissions.alone():
        queue = slurm.queue(submissions.users)
        standings = _standings(campaign, submissions, queue)
        wanted = [job for job in campaign.jobs if standings[job.key].state in again]
        queued = {
            job_id: job
            for job in campaign.jobs
            for job_id in submissions.job_ids(job)
            if job_id in queue
        }
        steps = plan(campaign, wanted, queued)
        # Everything that can be refused is refused before the first job is submitted.
        scripts = {job.key: _script(campaign, submissions, job) for job in wanted}
        for job, ids, before in steps:
            if options.dry_run:
                _tell(f"{job.node} {job.place}", [*ids, *(" ".join(one.key) for one in before)])
                continue
            ids = [*ids, *(submissions.job_ids(other)[-1] for other in before)]
            job_id = _submit(submissions, job, scripts[job.key], ids)
            _tell(f"submitted {job.node} {job.place} as job {job_id}", ids)
    left = [standings[job.key] for job in campaign.jobs if job not in wanted]
    say(show.closing(len(wanted), left, campaign, options.dry_run))
    return DONE


def _queue_where_it_answers(submissions):
    """The queue, or None: a copy of the tree can be looked at where there is no Slurm."""
    try:
        return slurm.queue(submissions.users)
    except UserError as error:
        Console().warning(f"what waits and runs is not known: {error}")
        return None


def _standings(campaign, submissions, queue):
    submissions.find_lost(campaign.jobs, queue or {})
    results = submissions.content["results"]

    def stand(job):
        def log(job_id):
            return os.path.relpath(submissions.directory / f"{job.name}_{job_id}.out")

        return standing.stand(job, submissions.job_ids(job), results, queue, log)

    return {job.key: stand(job) for job in campaign.jobs}


def _script(campaign, submissions, job):
    # A % in Slurm's option for the output starts a pattern.
    output = os.fspath(submissions.directory).replace("%", "%%") + f"/{job.name}_%j.out"
    directory, results = submissions.directory.parent, submissions.content["results"]
    comment = submissions.comment(job)
    return batch_script.render(job, campaign.template, directory, results, output, comment)


def _submit(submissions, job, script, ids):
    path = submissions.directory / f"{job.name}.sbatch"
    try:
        write_text(path, script)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}", REFUSED) from error
    job_id = slurm.submit(path, ids)
    submissions.add(job, job_id)
    return job_id


def _tell(what, after):
    say(what + (f" after {', '.join(after)}" if after else ""))
