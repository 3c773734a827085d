"""What the tests with two hosts share: the hosts, and a run with two ranks on each."""

import os
import shutil

import pytest

from tests.faults.hosts import PROGRAMS, Hosts


@pytest.fixture(scope="module")
def hosts(real_parts, tmp_path_factory):
    """h1 and h2, on this machine's clock."""
    with_sshd(real_parts)
    hosts = Hosts(tmp_path_factory.mktemp("hosts"))
    yield hosts
    hosts.stop()


def with_sshd(real_parts):
    real_parts.root()
    real_parts.programs(*PROGRAMS)
    if not os.access("/usr/sbin/sshd", os.X_OK):
        real_parts.lack("not installed: sshd (openssh-server)")


@pytest.fixture
def spread(faults, mpirun):
    """Faults on h1, with two ranks on each host."""
    return over_both(faults, mpirun)


def over_both(faults, mpirun):
    launcher = shutil.which("mpirun", path=mpirun.parent)
    faults.environ.update(
        NUM_PROCS="4",
        MPIRUN=f"{launcher} --host h1:2,h2:2 --bind-to none",
        PRTE_MCA_prte_tmpdir_base="/var/tmp",
        OMPI_MCA_orte_tmpdir_base="/var/tmp",
        OMPI_MCA_btl="^ofi",
        # Each host believes that this machine's cores are its own; ranks that wait must not spin.
        OMPI_MCA_mpi_yield_when_idle="1",
    )
    return faults


def start(spread, hosts, *flags):
    """Start the run on h1."""
    script, *arguments = spread.arguments(*flags)
    words = ["env", "-C", spread.directory, script, *arguments]
    return spread.start(command=hosts.command(*words, host="h1"))
