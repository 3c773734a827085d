"""A campaign on a real Slurm: submitted, watched, cancelled, submitted again."""

import fcntl
import json
import os

from tests.slurm.cluster import HERE, ROOT, wait_until

SUBMIT = ROOT / "submit.sh"
HANGING = f"{ROOT}/tests/node/support/stand-in-io500"
CAMPAIGN = """\
cluster = "c"
results = "io500_results"
[job]
ranks = 1
time = "01:00:00"
config = "{config}"
{job}
[[node]]
name = "n1"
[[node]]
name = "n2"
[[storage]]
storage = "local"
device = "ssd"
test_dir = "{here}/local dir"
[[storage]]
storage = "nfs"
volume = "nfs7"
device = "hdd"
test_dir = "{here}/nfs7"
"""


def _write(here, job=""):
    path = here.directory / "my campaign.toml"
    config = HERE / "config-slurm.ini"
    path.write_text(CAMPAIGN.format(config=config, here=here.directory, job=job))
    return path


def _submit(cluster, path, *flags):
    done = cluster.run(SUBMIT, path.name, *flags, cwd=path.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _noted(path):
    """The jobs of submitted.json, as {(node, place): [ids]}."""
    jobs = {}
    for job in json.loads((path.with_suffix(".jobs") / "submitted.json").read_text())["jobs"]:
        jobs.setdefault((job["node"], job["place"]), []).append(job["job_id"])
    return jobs


def test_a_campaign_of_two_nodes_and_two_storages_ends_with_four_runs(cluster, here, read):
    path = _write(here)
    planned = _submit(cluster, path, "--dry-run")
    assert "would submit 4 of 4 runs" in planned
    assert not path.with_suffix(".jobs").exists()
    # The controller is kept from starting anything, so that all of it can be looked at.
    cluster.run("scontrol", "update", "partition=main", "state=down")
    try:
        said = _submit(cluster, path)
        assert "submitted 4 of 4 runs" in said
        jobs = _noted(path)
        assert "submitted 0 of 4 runs (4 waiting)" in _submit(cluster, path)
        assert _noted(path) == jobs
        (cancelled,) = jobs["n1", "nfs/nfs7/hdd"]
        cluster.run("scancel", cancelled)
        cluster.ended(cancelled)
        rows = _submit(cluster, path, "--status").splitlines()
        assert rows[0].split() == ["node", "local/ssd", "nfs/nfs7/hdd"]
        assert "failed (cancelled before it began)" in rows[1]
        assert rows[2].startswith("n2")
        assert rows[2].count("waiting") == 2
        assert "1 failed of 4: ./submit.sh 'my campaign.toml' --resubmit failed" in rows[-1]
        # What was cancelled is not begun again unasked.
        assert "submitted 0 of 4 runs" in _submit(cluster, path)
        assert "submitted 1 of 4 runs" in _submit(cluster, path, "--resubmit", "failed,missing")
    finally:
        cluster.run("scontrol", "update", "partition=main", "state=up")
    for ids in _noted(path).values():
        cluster.ended(ids[-1])
    assert len(here.runs) == 4, here.output()
    table = _submit(cluster, path, "--status")
    assert table.count("done ") == table.count("(invalid: HDB025)") == 4, table
    _no_two_at_once(read(run, "run_metadata.json") for run in here.runs)
    assert "submitted 0 of 4 runs (4 invalid)" in _submit(cluster, path)


def _no_two_at_once(runs):
    """On one node, and on the storage that both share, one run ends before the next starts."""
    runs = sorted(runs, key=lambda run: run["start_epoch"])
    for number, run in enumerate(runs):
        for later in runs[number + 1 :]:
            shared = run["storage_type"] == later["storage_type"] == "nfs"
            if shared or run["node_name"] == later["node_name"]:
                assert run["end_epoch"] <= later["start_epoch"]


def test_a_campaign_tells_what_runs_what_waits_and_where_to_look_for_what_failed(cluster, here):
    environment = f'environment = {{ IO500_BIN = "{HANGING}", STAND_IN_HANG = "yes" }}'
    path = _write(here, environment)
    _submit(cluster, path)
    local, shared = ("n1", "local/ssd"), ("n2", "nfs/nfs7/hdd")
    wait_until(lambda: len(list(here.directory.glob("*/io500.*/data/ior-easy/*"))) == 2, "two runs")
    rows = _submit(cluster, path, "--status").splitlines()
    assert rows[1].split() == ["n1", "running", "0/12", "waiting"]
    assert rows[2].split() == ["n2", "waiting", "running", "0/12"]
    ids = _noted(path)
    # Those that wait go first, or they would begin when the others end.
    for key in sorted(ids, key=lambda key: key in (local, shared)):
        cluster.run("scancel", ids[key][-1])
    for key in ids:
        cluster.ended(ids[key][-1])
    said = _submit(cluster, path, "--status")
    assert said.count("failed HDB019 (cancelled)") >= 2, said
    run = next(run for run in here.runs if "local" in str(run))
    assert f"n1 local/ssd: failed HDB019 (cancelled): {run}" in said
    assert "4 failed of 4" in said


def test_a_campaign_knows_a_job_whose_note_was_lost(cluster, here):
    path = _write(here)
    cluster.run("scontrol", "update", "partition=main", "state=down")
    try:
        _submit(cluster, path)
        notes = path.with_suffix(".jobs") / "submitted.json"
        content = json.loads(notes.read_text())
        # As if submit.sh had been killed between sbatch and its note.
        content["jobs"].pop()
        notes.write_text(json.dumps(content))
        assert "submitted 0 of 4 runs (4 waiting)" in _submit(cluster, path)
        cluster.cancel(here.directory)
    finally:
        cluster.run("scontrol", "update", "partition=main", "state=up")


def test_a_second_submission_at_the_same_time_is_refused(cluster, here):
    path = _write(here)
    jobs = path.with_suffix(".jobs")
    jobs.mkdir()
    handle = os.open(jobs, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        done = cluster.run(SUBMIT, path.name, cwd=path.parent)
    finally:
        os.close(handle)
    assert done.returncode == 3
    assert "another submit.sh is at work on this campaign" in done.stderr
    assert not (jobs / "submitted.json").exists()


def test_results_of_a_campaign_stay_in_one_tree(cluster, here):
    path = _write(here)
    path.write_text(path.read_text().replace('results = "io500_results"\n', ""))
    jobs = path.with_suffix(".jobs")
    jobs.mkdir()
    notes = {"schema_version": 1, "id": "x", "results": "/elsewhere", "jobs": []}
    (jobs / "submitted.json").write_text(json.dumps(notes))
    done = cluster.run(SUBMIT, path.name, cwd=path.parent)
    assert done.returncode == 2
    assert "this campaign's results are in /elsewhere" in done.stderr


def test_a_job_without_a_place_for_its_output_is_told_of(cluster, here):
    # Slurm itself says nothing: the script never begins.
    path = _write(here, 'sbatch = ["--output=/nowhere/%j.out"]')
    _submit(cluster, path)
    for ids in _noted(path).values():
        cluster.ended(ids[-1])
    said = _submit(cluster, path, "--status")
    assert said.count("left no run: the directory of its output is not there on the node") == 4, (
        said
    )


def test_a_run_that_was_killed_with_its_job_does_not_go_on(cluster, here):
    environment = f'environment = {{ IO500_BIN = "{HANGING}", STAND_IN_HANG = "yes" }}'
    path = _write(here, environment)
    path.write_text(path.read_text().partition('[[storage]]\nstorage = "nfs"')[0])
    _submit(cluster, path)
    wait_until(lambda: len(list(here.directory.glob("*/io500.*/data/ior-easy/*"))) == 2, "two runs")
    for ids in _noted(path).values():
        # Each process of the job, as after a failure of the node.
        cluster.run("scancel", "--full", "--signal=KILL", ids[-1])
        cluster.ended(ids[-1])
    said = _submit(cluster, path, "--status")
    assert said.count("failed HDB") == 4, said
    assert "running" not in said
