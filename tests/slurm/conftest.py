"""The rooms of Slurm's tests: a cluster for all, and a directory to submit from for each."""

import json

import pytest

from tests.slurm.cluster import PROGRAMS, Cluster, Runs


@pytest.fixture(scope="session")
def cluster(real_parts, engine, tmp_path_factory):
    """A real Slurm of two nodes."""
    real_parts.root()
    real_parts.programs(*PROGRAMS)
    cluster = Cluster(tmp_path_factory.mktemp("slurm"))
    try:
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture
def here(cluster, tmp_path):
    """Runs: a directory to submit from. What was submitted there ends with the test."""
    here = Runs(tmp_path / "here")
    yield here
    cluster.cancel(here.directory)


@pytest.fixture(scope="session")
def read():
    """A function: read(run, "status.json") is that file of a run directory."""
    return lambda run, name: json.loads((run / name).read_text())
