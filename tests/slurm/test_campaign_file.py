"""The TOML file of a campaign: what it says, and what is said of mistakes. No Slurm needed."""

import subprocess

import pytest

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.submit.campaign import read_campaign
from hpc_disk_bench.submit.plan import plan
from tests.slurm.cluster import ROOT

GOOD = """\
cluster = "c"

[job]
ranks = 4
time = "04:00:00"
environment = { A = "1", B = "1" }

[[node]]
name = "n1"

[[node]]
name = "n2"
ranks = 8

[[storage]]
storage = "local"
device = "ssd"
test_dir = "/scratch/d"

[[storage]]
storage = "nfs"
volume = "nfs7"
device = "hdd"
test_dir = "/nfs7/d"
time = "1-12"
environment = { B = "2" }
"""


@pytest.fixture
def campaign(tmp_path):
    """A function: reads a campaign of this text."""

    def read(text):
        path = tmp_path / "c.toml"
        path.write_text(text)
        return read_campaign(path)

    return read


def test_each_node_is_benchmarked_on_each_storage(campaign):
    jobs = campaign(GOOD).jobs
    assert [job.key for job in jobs] == [
        ("n1", "local/ssd"),
        ("n2", "nfs/nfs7/hdd"),
        ("n1", "nfs/nfs7/hdd"),
        ("n2", "local/ssd"),
    ]


def test_what_a_node_or_storage_says_goes_before_what_is_said_for_all(campaign):
    jobs = {job.key: job for job in campaign(GOOD).jobs}
    assert jobs["n1", "local/ssd"].ranks == 4
    assert jobs["n2", "local/ssd"].ranks == 8
    shared = jobs["n1", "nfs/nfs7/hdd"]
    assert (shared.time, shared.environment) == ("1-12", {"A": "1", "B": "2"})


def _waits(campaign):
    """{what is run: what it waits for}, in the order in which all is submitted."""
    steps = plan(campaign, campaign.jobs, {})
    return {job.key: [other.key for other in before] for job, _, before in steps}


def test_jobs_wait_for_those_on_their_node_and_on_a_shared_storage_and_no_others(campaign):
    steps = list(_waits(campaign(GOOD)).items())
    first, second = ("n1", "local/ssd"), ("n2", "nfs/nfs7/hdd")
    third, fourth = ("n1", "nfs/nfs7/hdd"), ("n2", "local/ssd")
    assert steps == [(first, []), (second, []), (third, [first, second]), (fourth, [second])]


def test_a_storage_that_each_node_has_its_own_of_can_be_told_so(campaign):
    steps = _waits(campaign(GOOD + "shared = false\n"))
    assert steps["n1", "nfs/nfs7/hdd"] == [("n1", "local/ssd")]


def test_the_example_can_be_read():
    campaign = read_campaign(ROOT / "configs/campaign-example.toml")
    assert len(campaign.jobs) == 5
    assert "nfs/nfs7/hdd" in campaign.places


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("ranks = 4", "rank = 4", ":4: rank is unknown, known are: ranks, nodes"),
        ("ranks = 8", "ranks = 0", ":13: ranks has to be a whole number, 1 or more"),
        (
            "ranks = 8",
            "nodes = 2",
            ":11: 2 nodes of Slurm's choice: a nodelist, or exclusive",
        ),
        ("ranks = 8", "ranks = true", ":13: ranks has to be a whole number"),
        ('time = "04:00:00"', "time = 4", ":5: time has to be a limit in quotes"),
        ('name = "n2"', 'name = "n1"', ":12: node n1 stands here twice"),
        ('name = "n2"', 'name = "../n2"', "node '../n2': only letters, digits"),
        ('name = "n2"', "", ":11: name is missing in [[node]]"),
        ('cluster = "c"', "", ":1: cluster is missing"),
        ('"/nfs7/d"', '"nfs7/d"', ":24: test_dir: a path from / on is needed"),
        ('"/nfs7/d"', '"/nfs7/d#1"', "the benchmark's INI cannot hold '#'"),
        ('volume = "nfs7"', 'volume = "a b"', ":20: volume 'a b': only letters"),
        ('time = "1-12"', 'config = "none.ini"', ":25: config 'none.ini': no such file"),
        ('time = "1-12"', 'only = ["n3"]', ":25: only: no [[node]] is named n3"),
        ('time = "1-12"', 'sbatch = ["mem"]', ":25: sbatch has to be a list of options"),
        ('time = "1-12"', "sbatch = ['--x=\"']", "cannot hold quotes"),
        ('{ A = "1", B = "1" }', '{ "A B" = "1" }', ":6: environment has to be a table of texts"),
        ("[job]", "[[job]]", "job has to be a table: [job]"),
        ("ranks = 4", "ranks = ", "not TOML: Invalid value (at line 4"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_the_remedy(campaign, old, new, said):
    assert old in GOOD
    with pytest.raises(UserError) as raised:
        campaign(GOOD.replace(old, new))
    assert said in str(raised.value)
    assert raised.value.exit_code == 2


def test_two_storages_of_one_name_are_refused(campaign):
    with pytest.raises(UserError, match="local/ssd stands here twice: name a volume"):
        campaign(GOOD.replace('storage = "nfs"\nvolume = "nfs7"\ndevice = "hdd"', LOCAL))


LOCAL = 'storage = "local"\ndevice = "ssd"'


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "arguments are required"),
        (["a", "b"], "5 or 6 arguments make a run, 1 a campaign, 2 given"),
        (["none.toml"], "none.toml: cannot be read: No such file"),
        (["c", "n", "local", "ssd", "d", "-p", "x"], "--ranks 'x': a number is needed"),
        (["c", "n", "local", "ssd", "d", "--time", "soon"], "--time 'soon': 90 (minutes)"),
        (["c", "n", "local", "ssd", "d", "-r", "a/b"], "job name 'a/b': only letters, digits"),
        (["c", "n", "local", "ssd", "d", "--status"], "belong to a campaign"),
        (["c", "../n", "local", "ssd", "d"], "node '../n': only letters, digits"),
        (["c.toml", "-p", "4"], "--ranks belongs to one run"),
        (["c.toml", "--resubmit", "all"], "--resubmit 'all': known are failed, missing"),
        (["c.toml", "--frobnicate"], "unrecognized arguments: --frobnicate"),
    ],
)
def test_wrong_use_is_one_line_with_exit_code_2(tmp_path, arguments, said):
    done = subprocess.run(
        [ROOT / "submit.sh", *arguments], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.startswith("submit.sh: ")
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())
