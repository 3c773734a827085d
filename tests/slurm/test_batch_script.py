"""The batch script of a run: what stands in it is data, whatever a user typed. No Slurm needed."""

import os
import subprocess

import pytest

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.submit.batch_script import TEMPLATE, render
from hpc_disk_bench.submit.job import Job, lead, quoted, seconds_of

NASTY = "/a b/$(touch gone)/`touch gone`/'\"\\/é"


def _job(**settings):
    target = {"cluster": "c", "node": "n1", "storage": "nfs", "device": "hdd", "test_dir": "/d"}
    return Job(**{**target, **settings})


def _script(job, directory, template=TEMPLATE, output="%x_%j.out"):
    return render(job, template, directory, "/results of mine", output)


def test_a_shell_takes_each_value_as_it_is(tmp_path):
    job = _job(test_dir=NASTY, volume="v1", environment={"MPIRUN": NASTY})
    # In place of the wrapper a command that shows what it gets.
    script = _script(job, tmp_path).replace("exec ", 'exec printf "%s\\n" "$PWD" "$MPIRUN" ')
    done = subprocess.run(["bash"], input=script, capture_output=True, text=True, check=True)
    _, mpirun, wrapper, *arguments = done.stdout.splitlines()
    assert mpirun == NASTY
    assert wrapper.endswith("/io500_wrapper.sh")
    assert arguments == ["c", "n1", "nfs", "hdd", NASTY, "v1"]
    assert not list(tmp_path.iterdir())


def test_the_run_itself_gets_the_signals(tmp_path):
    script = _script(_job(time="04:00:00"), tmp_path)
    assert "#SBATCH --signal=B:USR1@120" in script
    assert script.splitlines()[-1].startswith("exec ")


@pytest.mark.parametrize(
    ("time", "seconds", "before"),
    [
        ("90", 5400, 120),
        ("5:30", 330, 82),
        ("04:00:00", 14400, 120),
        ("1-12", 129600, 120),
        ("1-00:30", 88200, 120),
        ("1", 60, 15),
        ("", None, 120),
    ],
)
def test_the_signal_leaves_a_short_job_most_of_its_time(time, seconds, before):
    assert (seconds_of(time), lead(time)) == (seconds, before)


def test_an_option_with_blanks_is_one_word_of_its_line(tmp_path):
    script = _script(_job(sbatch=("--comment=for me",)), tmp_path, output="/a b/%j.out")
    assert '#SBATCH "--output=/a b/%j.out"' in script
    assert '#SBATCH "--comment=for me"' in script
    with pytest.raises(UserError, match="cannot hold quotes"):
        quoted("--comment=a\nb")


def test_a_template_of_a_site_is_filled_in(tmp_path):
    template = tmp_path / "site.j2"
    template.write_text("#!/bin/bash\n# {{ job.ranks }} on {{ job.node }}\n{{ command }}\n")
    assert "# 16 on n1\n" in _script(_job(), tmp_path, template)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#!/bin/bash\n{% for %}\n", ":2: "),
        ("#!/bin/bash\n\n{{ comand }}\n", ":3: 'comand' is undefined"),
    ],
)
def test_a_mistake_in_a_template_is_told_with_its_line(tmp_path, text, said):
    template = tmp_path / "site.j2"
    template.write_text(text)
    with pytest.raises(UserError) as raised:
        _script(_job(), tmp_path, template)
    assert f"{os.fspath(template)}{said}" in str(raised.value)
