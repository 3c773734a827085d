"""Runs as jobs of a real Slurm: what they find in a job, and how they end in one."""

import os
import shlex

import pytest

from tests.slurm.cluster import HERE, ROOT, Runs, wait_until

WRAPPER, SUBMIT = ROOT / "io500_wrapper.sh", ROOT / "submit.sh"
TARGET = ("c", "n1", "local", "ssd")
# Writes files until it is ended; alone, it needs no launcher.
HANGING = {"IO500_BIN": f"{ROOT}/tests/node/support/stand-in-io500", "STAND_IN_HANG": "yes"}


@pytest.fixture(scope="module")
def out_of_time(cluster, tmp_path_factory):
    """A job whose time is almost up. Slurm looks at that twice a minute: it is begun first."""
    here = Runs(tmp_path_factory.mktemp("time") / "here")
    command = [SUBMIT, "--time=10", "-p", 1, "-w", "n1", *TARGET, here.test_dir]
    job_id = cluster.submit(*command, cwd=here.directory, **HANGING)
    _wait_for_data(here)
    cluster.run("scontrol", "update", f"job={job_id}", "EndTime=now+60")
    return here, job_id


@pytest.fixture(scope="module", autouse=True)
def _begun_first(out_of_time):
    return out_of_time


def _wait_for_data(here):
    wait_until(lambda: list(here.test_dir.glob("io500.*/data/ior-easy/*")), "a run to begin")


def _finished(cluster, here, job_id, read):
    """The metadata of the only run, once its job has ended well."""
    facts = cluster.ended(job_id)
    assert facts["ExitCode"] == "0:0", here.output()
    (run,) = here.runs
    assert read(run, "status.json")["phases_done"] == 12
    assert "score" in read(run, "results.json")
    metadata = read(run, "run_metadata.json")
    assert metadata["job_id"] == job_id
    # The status is on disk before the removal, which may take its time.
    wait_until(lambda: not here.test_dir.exists(), "the run's data to be removed")
    return metadata


def test_the_wrapper_is_a_batch_script_wherever_it_is_submitted_from(cluster, here, read):
    # One task with two CPUs: one slot for two ranks.
    command = ["sbatch", "-n", 1, "-c", 2, "-w", "n2", WRAPPER, *TARGET, here.test_dir]
    metadata = _finished(cluster, here, cluster.submit(*command, cwd=here.directory), read)
    assert (metadata["num_procs"], metadata["nodes"]) == (2, ["n2"])
    assert "T" in here.output().split()[0], "lines of a batch log begin with the time"


def test_a_job_that_asked_for_nothing_is_told_why_it_has_one_rank(cluster, here, read):
    job_id = cluster.submit("sbatch", WRAPPER, *TARGET, here.test_dir, cwd=here.directory)
    metadata = _finished(cluster, here, job_id, read)
    assert metadata["num_procs"] == 1
    assert "1 rank, for this job asked Slurm for nothing: sbatch -n 16" in here.output()


def test_a_job_over_two_nodes_is_one_run_on_both(cluster, here, read):
    asked = ["-p", 4, "--nodes=2"]
    job_id = cluster.submit(SUBMIT, *asked, *TARGET, here.test_dir, cwd=here.directory)
    metadata = _finished(cluster, here, job_id, read)
    assert (metadata["num_procs"], metadata["nodes"]) == (4, ["n1", "n2"])
    assert (metadata["node_count"], metadata["ppn"]) == (2, 2)


def test_a_job_over_two_nodes_counts_its_tasks_itself(cluster, here, read):
    asked = ["-N", 2, "--ntasks-per-node=1"]
    job_id = cluster.submit("sbatch", *asked, WRAPPER, *TARGET, here.test_dir, cwd=here.directory)
    metadata = _finished(cluster, here, job_id, read)
    assert (metadata["num_procs"], metadata["nodes"]) == (2, ["n1", "n2"])


def test_srun_starts_the_ranks_where_mpirun_is_not_wanted(cluster, here, read, real_parts):
    if "PMIx" in cluster.run("srun", "--mpi=pmix", "true").stderr:
        real_parts.lack("Slurm finds no PMIx (apt install libpmix-dev)")
    launcher = {"MPIRUN": "srun --mpi=pmix"}
    asked = ["-p", 2, "--nodes=2", "--via=sbatch"]
    job_id = cluster.submit(SUBMIT, *asked, *TARGET, here.test_dir, cwd=here.directory, **launcher)
    metadata = _finished(cluster, here, job_id, read)
    assert (metadata["num_procs"], metadata["nodes"]) == (2, ["n1", "n2"])


def test_mpirun_starts_ranks_in_a_job_that_does_not_find_srun(cluster, here, read):
    programs = here.directory / "bin"
    programs.mkdir()
    for directory in reversed(cluster.environ["PATH"].split(":")):
        if os.path.isdir(directory):
            for name in set(os.listdir(directory)) - {"srun"}:
                link = programs / name
                link.unlink(missing_ok=True)
                link.symlink_to(os.path.join(directory, name))
    command = ["sbatch", "-n", 2, "-N", 1, WRAPPER, *TARGET, here.test_dir]
    job_id = cluster.submit(*command, cwd=here.directory, PATH=str(programs))
    assert _finished(cluster, here, job_id, read)["num_procs"] == 2


def test_hqsub_works_unchanged(cluster, here, read):
    command = shlex.join([str(WRAPPER), *TARGET, str(here.test_dir)])
    flags = ["-p", 2, "-r", "job.n2_ssd_io500", "-w", "n2", "-q", "main"]
    job_id = cluster.submit(HERE / "hqsub", command, *flags, cwd=here.directory)
    metadata = _finished(cluster, here, job_id, read)
    assert (metadata["num_procs"], metadata["nodes"]) == (2, ["n2"])
    assert list(here.directory.glob("job.n2_ssd_io500_*.out"))


def test_submit_goes_by_hqsub_where_a_site_has_it(cluster, here):
    programs = {"PATH": f"{HERE}:{cluster.environ['PATH']}"}
    asked = ["-p", 2, "-q", "main", "-w", "n2", "--dry-run", *TARGET, "a dir"]
    said = cluster.run(SUBMIT, *asked, cwd=here.directory, **programs).stdout
    command = f"exec {WRAPPER} c n1 local ssd '{here.directory}/a dir'"
    words = ["-p", "2", "-r", "io500.n1.local.ssd", "-w", "n2", "-q", "main"]
    assert shlex.split(said) == ["hqsub", command, *words]
    # More than it can be told is sbatch's.
    said = cluster.run(SUBMIT, "--time=60", *asked, cwd=here.directory, **programs).stdout
    assert "#SBATCH --time=60" in said


def test_a_cancelled_run_says_so_and_leaves_nothing_behind(cluster, here, read):
    # Through a shell that hands no signal on, as hqsub's does.
    command = shlex.join([str(WRAPPER), *TARGET, str(here.test_dir)])
    flags = ["-p", 1, "-r", "x", "-w", "n1", "-q", "main"]
    job_id = cluster.submit(HERE / "hqsub", command, *flags, cwd=here.directory, **HANGING)
    _wait_for_data(here)
    assert cluster.run("scancel", job_id).returncode == 0
    assert cluster.ended(job_id)["JobState"] == "CANCELLED"
    (run,) = here.runs
    status = wait_until(lambda: _ended(read(run, "status.json")), "the run to end")
    assert status["state"] == "interrupted", here.output()
    assert status["diagnosis"]["code"] == "HDB019"
    # The status is on disk before the removal, which may take its time.
    wait_until(lambda: not here.test_dir.exists(), "the run's data to be removed")


def test_the_directory_of_the_output_is_made(cluster, here):
    directory = here.directory / "100%j"
    directory.mkdir()
    asked = ["-p", 1, "-w", "n1", "--output", "deep er/logs/%x.out", *TARGET, here.test_dir]
    assert cluster.ended(cluster.submit(SUBMIT, *asked, cwd=directory))["ExitCode"] == "0:0"
    assert "results" in (directory / "deep er/logs/io500.n1.local.ssd.out").read_text()


def test_what_slurm_refuses_is_one_line_in_its_own_words(cluster, here):
    done = cluster.run(SUBMIT, "-w", "nowhere", *TARGET, here.test_dir, cwd=here.directory)
    assert done.returncode == 3
    assert done.stderr.startswith("submit.sh: sbatch refuses: ")
    assert "Invalid node name" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_run_whose_time_runs_out_is_told_before_and_says_so(cluster, out_of_time, read):
    here, job_id = out_of_time
    facts = cluster.ended(job_id)
    assert (facts["JobState"], facts["ExitCode"]) == ("FAILED", "4:0")
    (run,) = here.runs
    status = read(run, "status.json")
    assert status["diagnosis"]["code"] == "HDB018", status
    assert "HDB018 wall time reached" in here.output()
    # The status is on disk before the removal, which may take its time.
    wait_until(lambda: not here.test_dir.exists(), "the run's data to be removed")


def _ended(status):
    return status if status["state"] not in ("preparing", "running") else None
