"""Runs as batch jobs: one run, or a campaign of nodes x storages. What submit.sh starts."""


def main(arguments):
    """submit.sh under whatever Python was found first; returns its exit code."""
    from hpc_disk_bench import environment

    environment.use("report")
    from hpc_disk_bench.submit.command import main as submit

    return submit(arguments)
