"""Several hosts: one run over two of them, and one whose link dies in mid-run."""

import os
import shutil

import pytest

from tests.faults.hosts import PROGRAMS, Hosts


@pytest.fixture(scope="module")
def hosts(tmp_path_factory, real_parts):
    real_parts.root()
    real_parts.programs(*PROGRAMS)
    if not os.access("/usr/sbin/sshd", os.X_OK):
        real_parts.lack("not installed: sshd (openssh-server)")
    hosts = Hosts(tmp_path_factory.mktemp("hosts"))
    yield hosts
    hosts.stop()


@pytest.fixture
def spread(faults, hosts, mpirun):
    """Faults on h1, with two ranks on each host."""
    launcher = shutil.which("mpirun", path=mpirun.parent)
    faults.environ.update(
        NUM_PROCS="4",
        MPIRUN=f"{launcher} --host h1:2,h2:2 --bind-to none",
        PRTE_MCA_plm_ssh_agent=f"ssh -F {hosts.directory}/ssh_config",
        OMPI_MCA_plm_rsh_agent=f"ssh -F {hosts.directory}/ssh_config",
        PRTE_MCA_prte_tmpdir_base="/var/tmp",
        OMPI_MCA_orte_tmpdir_base="/var/tmp",
        OMPI_MCA_btl="^ofi",
    )
    return faults


def start(spread, hosts, *flags):
    script, *arguments = spread.arguments(*flags)
    words = ["env", "-C", spread.directory, script, *arguments]
    return spread.start(command=hosts.command(*words, host="h1"))


def test_two_hosts_with_two_ranks_each_are_one_run(spread, hosts):
    # Each host believes that this machine's cores are its own; ranks that wait must not spin.
    spread.environ["OMPI_MCA_mpi_yield_when_idle"] = "1"
    process = start(spread, hosts)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, (out, err)
    about = spread.json("run_metadata.json")
    assert (about["num_procs"], about["node_count"], about["ppn"]) == (4, 2, 2)
    assert sorted(about["nodes"]) == ["h1", "h2"]
    results = spread.json("results.json")
    assert results["score"]["total"] > 0
    assert spread.nothing_is_left()


def test_a_host_whose_link_dies_is_found_out_and_the_run_ended(spread, hosts):
    # The ranks make their files without a word to each other; then they wait for the lost host.
    spread.go_on_long(items=20000)
    spread.environ["HANG_TIMEOUT"] = "5"
    process = start(spread, hosts, "--force")
    spread.wait_until_it_has_begun("mdtest-easy", process)
    hosts.unplug("h2")
    spread.failed_with("HDB024", process)
    spread.kept("ior-easy-write")
    assert spread.nothing_is_left()
