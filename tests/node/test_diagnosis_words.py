"""The words of launchers, libraries, batch systems and file systems, each in its own version."""

from pathlib import Path

import pytest

from hpc_disk_bench.diagnosis.diagnose import Ending, diagnose
from hpc_disk_bench.diagnosis.facts import Facts, Space

WORDS = Path(__file__).with_name("support") / "words-of-failures.txt"
SAYS = [line.split(" ", 1) for line in WORDS.read_text().splitlines() if line[0] != "#"]


@pytest.fixture
def says(tmp_path):
    """A function: the Diagnosis of a run that wrote this to its stderr and stdout."""

    def diagnosed(err="", out="", **ended):
        (tmp_path / "io500.err").write_text(err)
        (tmp_path / "io500.out").write_text(out)
        return diagnose(tmp_path, tmp_path, Ending(**{"exit_code": 1, **ended}))

    return diagnosed


@pytest.mark.parametrize(("code", "line"), SAYS, ids=[line[:50] for _, line in SAYS])
def test_a_line_says_its_code_on_either_stream(says, code, line):
    dressed = f"{'-' * 70}\n{line}\n{'-' * 70}\n"
    for found in (says(err=dressed), says(out=f"IO500 version x (standard)\n{dressed}")):
        assert found.code == code
        (entry,) = found.evidence
        assert entry["text"] == line


def test_what_a_launcher_wraps_is_read_as_one_sentence(says):
    found = says(
        err=f"{'-' * 70}\n"
        'The application appears to have been direct launched using "srun",\n'
        "but OMPI was not built with SLURM's PMI support and therefore cannot\n"
        "execute.\n"
        f"{'-' * 70}\n"
        "mpirun noticed that process rank 1 with PID 5 on node n1 exited on\n"
        "signal 9 (Killed).\n"
    )
    assert (found.code, found.evidence[0]["line"]) == ("HDB003", 3)
    found = says(
        err=f"{'-' * 70}\n"
        "prterun noticed that process rank 1 with PID 22786 on node n1 exited on\n"
        "signal 9 (Killed).\n"
        f"{'-' * 70}\n"
    )
    assert found.code == "HDB023"
    assert found.evidence[0]["text"].endswith("exited on signal 9 (Killed).")


def test_the_zero_byte_after_a_launchers_words_is_no_part_of_what_a_rank_says(says):
    frame, line = "-" * 70, 'ERROR rank 0 on n1: phase find: stat "/d/f": Input/output error (EIO)'
    told = "prterun noticed that process rank 1 with PID 5 on node n1 exited on\nsignal 9 (Killed)."
    found = says(
        err=f"{frame}\nMPI_ABORT was invoked\n{frame}\n\0{line}\n{frame}\n{told}\n{frame}\n"
    )
    assert (found.code, found.also) == ("HDB020", ["HDB023"])
    assert found.evidence[0]["text"] == line
    found = says(err=f"{frame}\nMPI_ABORT was invoked\n{frame}\n\0{frame}\n{told}\n{frame}\n")
    assert found.evidence[0]["text"] == told.replace("\n", " ")


def test_a_cause_counts_more_than_what_follows_from_it(says):
    lines = [line for code, line in SAYS if code in ("HDB023", "HDB021")]
    found = says(err="\n".join(lines))
    assert (found.code, found.also) == ("HDB021", ["HDB023"])


def test_a_word_of_the_launcher_on_its_own_files_is_no_matter_of_the_storage(says):
    said = says(err="[n1:1] mca_btl_vader: ptrace: Operation not permitted\nERROR odd\n")
    assert (said.code, said.evidence[-1]["text"]) == ("HDB001", "ERROR odd")


def test_what_nobody_knows_is_unknown_with_the_lines_that_may_tell_more(says):
    found = says(out="IO500 version x (standard)\nERROR: the moon is full\nsomething else\n")
    assert (found.code, [entry["text"] for entry in found.evidence]) == (
        "HDB001",
        ["ERROR: the moon is full"],
    )
    assert found.evidence[0] == {"file": "io500.out", "line": 2, "text": "ERROR: the moon is full"}


def test_the_same_words_of_many_ranks_are_one_line_of_evidence(says):
    lines = [f"WARNING: write({rank}, 0x{rank:x}f) failed No space left" for rank in range(64)]
    found = says(out="\n".join(lines))
    assert len(found.evidence) == 1


def test_a_cause_at_the_end_of_a_very_long_output_is_found_with_its_line(says):
    noise = "\n".join(f"{'x' * 70} {number}" for number in range(120_000))
    found = says(out=f"{noise}\nWARNING: fsync(17) failed Input/output error\n")
    assert (found.code, found.evidence[0]["line"]) == ("HDB020", 120_001)


def test_a_run_that_ended_well_is_spoiled_by_data_that_did_not_reach_the_disk(says):
    said = {"finished": True, "exit_code": 0}
    assert says(out="WARNING: fsync(17) failed Input/output error\n", **said).code == "HDB020"
    assert says(out="sudo: a password is required: Permission denied\n", **said) is None


SPACE = Space(free_bytes=50, size_bytes=100, free_inodes=50, inodes=100)
NO_SPACE_TO_MAKE = 'ERROR: open64("/s/d/f", 66, 0664) failed. Error: No space left on device'


@pytest.mark.parametrize(
    ("after", "filesystem", "code"),
    [
        (SPACE._replace(free_inodes=0), "ext4", "HDB013"),
        (SPACE._replace(free_bytes=0), "ext4", "HDB012"),
        (SPACE._replace(free_bytes=0, free_inodes=None, inodes=None), "btrfs", "HDB012"),
        (SPACE, "ext4", "HDB017"),
        (SPACE, "lustre", "HDB012"),
    ],
)
def test_what_is_free_tells_blocks_inodes_and_a_full_directory_apart(says, after, filesystem, code):
    facts = Facts("/s", filesystem, SPACE, after, None, None, None)
    found = says(out=NO_SPACE_TO_MAKE, facts=facts)
    assert found.code == code
    assert "were free at the start" in found.facts[0]


def test_a_kill_while_the_kernel_ran_out_of_memory_is_out_of_memory(says):
    killed = "mpirun noticed that process rank 1 with PID 5 on node n1 exited on signal 9 (Killed)."
    facts = Facts("/s", "ext4", SPACE, SPACE, oom_kills=0, oom_on_node=1, result_space=SPACE)
    assert says(err=killed, facts=facts).code == "HDB022"
    assert says(err=killed, facts=facts._replace(oom_on_node=0)).code == "HDB023"


@pytest.mark.parametrize("code", [134, 137, 139])
def test_an_exit_code_of_a_signal_tells_where_nothing_was_said(says, code):
    assert says(exit_code=code).code == "HDB023"


def test_ranks_that_each_ran_alone_are_not_one_job_even_where_all_went_well(says):
    found = says(out="IO500 version x (standard)\n" * 4, finished=True, exit_code=0, ranks=4)
    assert found.code == "HDB005"
    assert "once for each of 4 ranks" in found.facts[0]
