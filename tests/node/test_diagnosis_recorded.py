"""Each recorded failure of the upstream benchmark gets its code, and the lines that show it."""

import re

import pytest

from hpc_disk_bench.diagnosis.diagnose import Ending, diagnose
from hpc_disk_bench.errors import UserError
from hpc_disk_bench.results import load

REJECTED = "HDB009"
# Name of the run: its code, and what its evidence has to show.
FAILURES = {
    "fail-api-phase-unknown": (REJECTED, "Unrecognized I/O API"),
    "fail-api-unknown": ("HDB023", "rank 1 with PID 0 on node vm exited on signal 11"),
    "fail-blocksize-not-multiple": (REJECTED, "must be a multiple of transfer size"),
    "fail-datadir-noperm-nobody": ("HDB015", "Error: Permission denied"),
    "fail-datadir-parent-is-file": (REJECTED, "Error: File exists"),
    "fail-enospc-inodes-mdtest-easy": ("HDB013", "open64("),
    "fail-enospc-ior-easy": ("HDB012", "write(17, 0x7fe96094e000, 204800) failed No space left"),
    "fail-enospc-ior-hard": ("HDB012", "failed No space left on device"),
    "fail-ext-find-missing": (REJECTED, "Cannot check external-script /nonexistent"),
    "fail-find-nproc3-of-2": (REJECTED, "Couldn't split rank for find into 3 procs"),
    "fail-gpu-buffers": (REJECTED, "No CUDA supported"),
    "fail-ini-bad-bool": (REJECTED, 'expects bool (true|false), received "maybe"'),
    "fail-ini-bad-int": (REJECTED, 'expects integer, received "abc"'),
    "fail-ini-bad-section-header": (REJECTED, 'unexpected content: "[global"'),
    "fail-ini-missing": ("HDB008", "Cannot open config file"),
    "fail-ini-no-equals": (REJECTED, 'unexpected content: "verbosity"'),
    "fail-ini-outside-section": (REJECTED, "variable assigned outside section"),
    "fail-ini-section-trailing": (REJECTED, 'unexpected content: "[global] junk"'),
    "fail-ini-unknown-key": (REJECTED, 'unknown option "foo"'),
    "fail-ini-unknown-section": (REJECTED, "unknown section foo"),
    "fail-ini-unknown-section-np1": (REJECTED, "unknown section foo"),
    "fail-ini-unknown-section-np4": (REJECTED, "unknown section foo"),
    "fail-opt-badmode": (REJECTED, "Unknown option: --mode=foo"),
    "fail-opt-oldv": (REJECTED, "Unknown option: -v=5"),
    "fail-opt-timestamp-missing": (REJECTED, "Missing timestamp argument"),
    "fail-opt-unknown": (REJECTED, "Unknown option: --foo"),
    "fail-resultdir-uncreatable": ("HDB027", "Couldn't create directory /proc/io500/"),
    "fail-sigint-mpirun": ("HDB019", ""),
    "fail-sigterm-mpirun": ("HDB019", ""),
    "fail-sigkill-mpirun": ("HDB023", ""),
    "fail-sigkill-rank1": ("HDB023", "rank 1 with PID 0 on node vm exited on signal 9 (Killed)"),
    "fail-sigsegv-rank1": ("HDB023", "exited on signal 11 (Segmentation fault)"),
    "fail-sigterm-rank0": ("HDB023", "rank 0 with PID 0 on node vm exited on signal 15"),
    "fail-sigterm-rank1": ("HDB023", "rank 1 with PID 0 on node vm exited on signal 15"),
    "pkt-nonsense": (REJECTED, 'Unknown packet type "n"'),
    "truncate-ior-easy": ("HDB029", "cannot read from file"),
    "corrupt-ior-easy": ("HDB029", "Incorrect data on read (1 errors found)"),
    "corrupt-mdtest-hard": ("HDB029", "verifying the data on read (10 errors)"),
    "missing-mdtest-easy-file": ("HDB029", "unable to stat file"),
    "disabled-ior-easy-write": ("HDB029", "failed: No such file or directory"),
    "cleanup-after-sigterm": ("HDB026", ""),
    "n-zero": ("HDB026", "[mdtest-easy-write] Resulting score shouldn't be 0.0"),
    "n-one": ("HDB025", "below stonewall time"),
    "singleton-debian-ompi": ("HDB025", "below stonewall time"),
    "cross-pipbin-debmpirun": ("HDB025", "below stonewall time"),
}


@pytest.fixture
def run(shared):
    """A function: (directory, directory of the result files, Ending) of a recorded run."""

    def of(name, **known):
        directory = shared("upstream-runs", name)
        code = re.search(r"exit code: (\d+)", (directory / "cmd.txt").read_text())
        places = [directory / "results", *sorted((directory / "results").glob("*/"))]
        files = next((path for path in places if (path / "result.txt").exists()), directory)
        try:
            results, unparsed = load(files), None
        except UserError as error:
            results, unparsed = None, str(error)
        code = code and int(code[1])
        finished = bool(code == 0 and results and not results.partial)
        ended = Ending(finished, code, results=results, unparsed=unparsed, **known)
        return directory, files, ended

    return of


@pytest.mark.parametrize("name", FAILURES)
def test_a_recorded_failure_has_its_code_and_evidence(run, name):
    code, shows = FAILURES[name]
    directory, files, ended = run(name)
    found = diagnose(directory, files, ended)
    assert found.code == code
    assert shows in " ".join(entry["text"] for entry in found.evidence)
    assert found.title
    assert found.remedy
    for entry in found.evidence:
        lines = (directory / entry["file"]).read_text(errors="replace").split("\n")
        said = re.sub(r"^\[[\w-]+\] ", "", entry["text"])
        there = " ".join(line.strip() for line in lines[entry["line"] - 1 : entry["line"] + 1])
        assert said in there


def test_the_run_that_is_valid_has_none(run):
    assert diagnose(*run("scc-valid-disk-np2")) is None


@pytest.mark.parametrize("kind", ["tmpfs-std", "disk-std", "disk-ext", "rootfs", "pipompi"])
def test_a_run_that_came_to_its_end_too_soon_has_no_other_cause(run, shared, kind):
    for directory in sorted(shared("upstream-runs").glob(f"{kind}*")):
        found = diagnose(*run(directory.name))
        assert (directory.name, found.code, found.also) == (directory.name, "HDB025", [])


def test_fewer_ranks_in_the_job_than_were_asked_for_are_not_one_job(run):
    found = diagnose(*run("singleton-debian-ompi", ranks=4))
    assert found.code == "HDB005"
    assert "4 ranks were asked for, result.txt is of a job of 1" in found.facts


def test_of_a_full_disk_the_assertion_it_trips_is_what_follows(run):
    found = diagnose(*run("fail-enospc-ior-hard"))
    assert (found.code, found.also) == ("HDB012", ["HDB023"])
