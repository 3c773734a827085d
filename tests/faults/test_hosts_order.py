"""Whose data the ranks of several hosts read, stat and remove: not what their own host has cached,
where the numbers allow it (../shared/spec/engine.md, "Read shift")."""

import os
import re
import subprocess

import pytest

# Three ranks on the first host and one on the second: every shift is another one.
RANKS, FIRST = 4, 3
INI = """[global]
datadir = {data}
timestamp-datadir = FALSE
resultdir = {results}
timestamp-resultdir = FALSE
[debug]
stonewall-time = 5
[ior-easy]
transferSize = 4k
blockSize = 8k
[ior-hard]
segmentCount = 2
[mdtest-easy]
n = 3
[mdtest-hard]
n = 3
[find]
run = FALSE
"""
CALLS = {
    "tool": r'openat\(AT_FDCWD, "[^"]*/f\.(\d+)", O_RDONLY',
    "ior-easy": r'openat\(AT_FDCWD, "[^"]*ior_file_easy\.(\d+)", O_(RDONLY|RDWR)',
    "open": r'openat\(AT_FDCWD, "[^"]*file\.mdtest\.(\d+)\.0", O_RDWR(\|O_CREAT)?',
    "stat": r'newfstatat\(AT_FDCWD, "[^"]*file\.mdtest\.(\d+)\.0"',
    "unlink": r'unlink\("[^"]*file\.mdtest\.(\d+)\.0"',
    "place": r'mdtest_tree\.(\d+)\.0/file\.mdtest\.(\d+)\.0", O_RDWR\|O_CREAT',
}


@pytest.fixture(scope="module")
def traced(hosts, real_parts, engine, mpirun):
    """traced(directory, *arguments): {rank: the calls that name files} of the engine over both
    hosts, from this directory."""
    real_parts.programs("strace")

    def run(directory, *arguments):
        script = directory / "traced"
        script.write_text(
            "#!/bin/sh\nexec strace -f --seccomp-bpf -qq -e trace=openat,newfstatat,unlink -o "
            f'"{directory}/rank.$PMIX_RANK" "{engine}" "$@"\n'
        )
        script.chmod(0o755)
        allowed = ("OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
        command = [
            *("env", "-C", directory, *allowed),
            *("OMPI_MCA_btl=^ofi", "PRTE_MCA_prte_tmpdir_base=/var/tmp"),
            *("OMPI_MCA_mpi_yield_when_idle=1", mpirun, "--host", "h1:3,h2:1", "--bind-to", "none"),
            *("-np", str(RANKS), script, *arguments),
        ]
        done = subprocess.run(
            hosts.command(*command, host="h1"),
            capture_output=True,
            text=True,
            check=False,
            timeout=180,
        )
        assert done.returncode == 0, (done.stdout, done.stderr)
        return {rank: (directory / f"rank.{rank}").read_text() for rank in range(RANKS)}

    return run


@pytest.fixture(scope="module")
def traces(traced, tmp_path_factory):
    """What each rank of a small run named."""
    directory = tmp_path_factory.mktemp("order")
    ini = directory / "run.ini"
    ini.write_text(INI.format(data=directory / "data", results=directory / "results"))
    found = traced(directory, ini)
    assert os.listdir(directory / "results")
    return found


def owners(traces, call, having=""):
    """{rank: whose files it named in this call}, in the order of their first time."""
    return {
        rank: list(
            dict.fromkeys(
                int(match[1])
                for match in re.finditer(CALLS[call], text)
                if having in (match[0] if having else "")
            )
        )
        for rank, text in traces.items()
    }


def shifted(by):
    return {rank: [(rank + by) % RANKS] for rank in range(RANKS)}


def test_bulk_data_is_read_from_the_rank_as_far_away_as_the_first_host_has_ranks(traces):
    assert owners(traces, "ior-easy", "O_RDWR") == shifted(0)
    # At random twice as far, by -Q 2, and after that.
    read = {rank: [(rank + FIRST) % RANKS, (rank + 2 * FIRST) % RANKS] for rank in range(RANKS)}
    assert owners(traces, "ior-easy", "O_RDONLY") == read


def test_small_files_are_made_in_the_next_host_s_directory(traces):
    places = {
        rank: set(re.findall(CALLS["place"], text)) for rank, text in traces.items()
    }  # fmt: skip
    assert places == {
        rank: {(str((rank + FIRST) % RANKS), str(rank))} for rank in range(RANKS)
    }  # fmt: skip


def test_small_files_are_statted_read_and_removed_ever_further_away(traces):
    assert owners(traces, "open", "O_CREAT") == shifted(0)
    assert owners(traces, "stat") == shifted(FIRST)
    assert owners(traces, "unlink") == shifted(3 * FIRST)
    opened = {
        rank: {int(one[1]) for one in re.finditer(CALLS["open"] + r"\)", text) if not one[2]}
        for rank, text in traces.items()
    }
    assert opened == {rank: {(rank + 2 * FIRST) % RANKS} for rank in range(RANKS)}


@pytest.mark.parametrize(
    ("tool", "by"),
    [
        ("ior -w -r -F -C", FIRST),
        ("ior -w -r -F -C -Q 2", 2 * FIRST),
        ("stream -C -s 1m", FIRST),
    ],
)
def test_a_workload_of_its_own_reads_as_many_nodes_away_as_it_is_told(traced, tmp_path, tool, by):
    calls = traced(tmp_path, *tool.split(), "-o", tmp_path / "f")
    assert owners(calls, "tool") == shifted(by)
