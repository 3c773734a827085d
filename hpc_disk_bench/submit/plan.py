"""Which jobs of a campaign are submitted, and which others each of them has to wait for."""

from hpc_disk_bench.submit import slurm


def plan(campaign, wanted, queued):
    """[(Job, ids of queued jobs to wait for, Jobs of this plan to wait for)] in order.

    wanted: the Jobs to submit; queued: {job id: Job} of the campaign's jobs that wait or run.
    A job waits for all that would disturb it, not for the last of a chain alone: were that
    cancelled, the next would start beside those before it.
    """
    hosts = _hosts([*wanted, *queued.values()])
    found = []
    for number, job in enumerate(wanted):

        def disturbs(other, job=job):
            return bool(hosts[other.key] & hosts[job.key]) or (
                _storage(other) == _storage(job) and _storage(job) in campaign.shared
            )

        waits = [job_id for job_id, other in queued.items() if disturbs(other)]
        found.append((job, waits, [other for other in wanted[:number] if disturbs(other)]))
    return found


def _hosts(jobs):
    """Names of the nodes that each job runs on: none where Slurm chooses them."""
    known = {name: slurm.hosts(name) for name in {job.nodelist for job in jobs}}
    return {job.key: known[job.nodelist] for job in jobs}


def _storage(job):
    return job.storage, job.volume
