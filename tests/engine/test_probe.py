"""--probe: where the ranks are, whether they are one job, and whether the INI is taken; no I/O."""

import re
import subprocess

import pytest


@pytest.fixture
def probe(engine, mpirun, mpi_environ, tmp_path):
    """A function: the engine's answer to --probe with this INI and so many ranks."""

    def ask(text, ranks=1, *options):
        path = tmp_path / "run.ini"
        path.write_text(f"[global]\ndatadir = {tmp_path}/data\nresultdir = {tmp_path}/res\n{text}")
        launch = [mpirun, "-np", str(ranks)] if ranks > 1 else []
        return subprocess.run(
            [*launch, engine, path, *options, "--probe"],
            capture_output=True,
            text=True,
            env=mpi_environ,
            check=False,
        )

    return ask


def test_every_rank_of_one_job_is_shown_with_its_host_and_clock(probe, tmp_path):
    done = probe("", 5)
    assert done.returncode == 0, done.stderr
    lines = re.findall(r"^rank=(\d+) size=5 host=(\S+) ahead=(-?[\d.]+)$", done.stdout, re.M)
    assert [int(rank) for rank, *_ in lines] == list(range(5))
    host = subprocess.run(["uname", "-n"], capture_output=True, text=True, check=True).stdout
    assert {name for _, name, _ in lines} == {host.strip()}
    assert float(lines[0][2]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["run.ini"]


def test_a_rank_without_a_launcher_is_alone(probe):
    done = probe("")
    assert re.fullmatch(r"rank=0 size=1 host=\S+ ahead=-?0\.0+\n", done.stdout)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[debug]\nstonewall = 3\n", "run.ini:5: unknown option stonewall in [debug]"),
        ("[ior-easy]\nblockSize = 5m\n", "multiple"),
        ("api = NONE\n", "NONE"),
    ],
)
def test_what_a_run_would_refuse_is_refused(probe, tmp_path, text, complaint):
    done = probe(text)
    assert done.returncode == 1
    assert complaint in done.stderr
    assert not (tmp_path / "data").exists()
