"""The checks before a launch, as io500_wrapper.sh shows them: on real storage, with the engine."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from tests.support.hung import hung_mount
from tests.support.needs import obeying_modes

NAMES = ["storage", "space", "length", "cache", "leftovers", "launch"]

SHORT = (
    "timestamp-datadir = FALSE\ntimestamp-resultdir = FALSE\n[debug]\nstonewall-time = 1\n"
    "[ior-easy]\nblockSize = 4m\n[ior-hard]\nsegmentCount = 20\n"
    "[mdtest-easy]\nn = 200\n[mdtest-hard]\nn = 100\n"
)


@pytest.fixture
def probed(wrapper, engine):
    """A wrapper of the engine whose checks probe the storage for a moment."""
    wrapper.use(engine)
    wrapper.environ["PROBE_SECONDS"] = "0.1"
    return wrapper


def lines_of(done):
    """[(name, text, verdict, code)] of the lines of --check."""
    found = []
    for line in done.stdout.splitlines():
        match = re.fullmatch(r"check +(\w+) +(.*?) +(ok|warning|refusal)(?: (HDB\d{3}))?", line)
        assert match, line
        found.append(match.groups())
    return found


def configured(wrapper, text):
    """Let the wrapper take the short configuration with `text` at its end."""
    path = wrapper.directory.parent / "own.ini"
    path.write_text("[global]\ndatadir = $TEST_DIR\nresultdir = $OUTPUT_DIR\n" + text)
    wrapper.environ["CONFIG_FILE"] = str(path)


def test_check_shows_a_line_a_check_and_leaves_nothing(probed, mount):
    point = mount("-t", "tmpfs", "tmpfs")
    done = probed.run("--check", test_dir=point / "made for it", storage="tmpfs", device="ram")
    assert (done.returncode, done.stderr) == (0, "")
    lines = lines_of(done)
    assert [name for name, *_ in lines] == NAMES
    by_name = {name: text for name, text, *_ in lines}
    assert by_name["storage"] == "tmpfs from tmpfs"
    assert "free" in by_name["space"]
    assert "for trying out, a valid run needs 300 s" in by_name["length"]
    assert by_name["launch"].startswith("2 ranks")
    assert os.listdir(point) == []
    assert probed.made() == []


def test_check_with_quiet_shows_only_what_is_not_well(probed, mount):
    point = mount("-t", "tmpfs", "tmpfs")
    done = probed.run("--check", "--quiet", test_dir=point, storage="nfs")
    lines = lines_of(done)
    assert ("storage", f"declared nfs ssd, but {point} is memory (tmpfs)", "warning", "HDB032") in (
        lines
    )
    assert not [line for line in lines if line[2] == "ok"]


def test_a_file_system_too_small_is_refused_with_the_numbers_and_nothing_is_left(probed, ext4):
    point = ext4(64, "-N", "60000")
    done = probed.run("--check", test_dir=point)
    assert done.returncode == 3
    (space,) = [line for line in lines_of(done) if line[0] == "space"]
    assert re.match(r"\d+\.\d MiB free, but about \d+\.\d MiB are written, at most 399.4", space[1])
    assert space[2:] == ("refusal", "HDB034")
    run = probed.run(test_dir=point)
    assert (run.returncode, run.stdout) == (3, "")
    assert run.stderr.splitlines()[-1].startswith("io500_wrapper.sh: not started: HDB034 ")
    assert "--force starts it nevertheless" in run.stderr
    assert os.listdir(point) == ["lost+found"]
    assert probed.made() == []


def test_random_access_is_no_smaller_than_what_it_writes_in_its_time(probed, ext4):
    """Its blockSize is a piece that is filled again and again, and no limit."""
    switched_off = (
        "ior-easy",
        "ior-hard",
        "mdtest-easy",
        "mdtest-hard",
        "mdworkbench",
        "find-easy",
    )
    configured(
        probed,
        "# hpc-disk-bench: mode = extended\n[ior-rnd1MB]\nrun = TRUE\nblockSize = 1m\n"
        + "".join(f"[{name}]\nrun = FALSE\n" for name in switched_off),
    )
    done = probed.run("--check", test_dir=ext4(64))
    (space,) = [line for line in lines_of(done) if line[0] == "space"]
    assert (done.returncode, *space[2:]) == (3, "refusal", "HDB034")


def test_force_starts_what_an_estimate_speaks_against_and_keeps_what_was_said(probed, ext4):
    done = probed.run("--force", test_dir=ext4(64, "-N", "60000"))
    assert done.returncode == 4
    (warning,) = [text for text in probed.json("run_metadata.json")["warnings"] if "free" in text]
    assert warning.endswith("(overruled by --force)")


def test_a_file_system_with_too_few_inodes_is_refused(probed, ext4):
    configured(
        probed,
        "[ior-easy]\nblockSize = 2m\n[ior-hard]\nsegmentCount = 9\n"
        "[mdtest-easy]\nn = 4000\n[mdtest-hard]\nn = 4000\n",
    )
    done = probed.run("--check", test_dir=ext4(256, "-N", "1000"))
    assert done.returncode == 3
    ((_, text, *verdict),) = [line for line in lines_of(done) if line[0] == "space"]
    assert re.match(r"[\d.]+( k)? inodes free, but about .* files are written, at most 16 k", text)
    assert verdict == ["refusal", "HDB035"]


def test_what_was_foretold_is_kept_with_the_run(probed, mount):
    configured(probed, SHORT)
    assert probed.run(test_dir=mount("-t", "tmpfs", "tmpfs")).returncode == 0
    metadata = probed.json("run_metadata.json")
    assert [finding["name"] for finding in metadata["checks"]][-1] == "launch"
    expected = metadata["expected"]
    assert expected["probe_seconds"] == 0.1
    assert expected["write_bytes_per_second"] > 2**20
    # 2 x (4 MiB + 20 x 47008 bytes), and the blocks and entries of 2 x (200 + 100) files.
    data, blocks = 2 * (4 * 2**20 + 20 * 47008), 2 * 100 * 4096
    assert data + blocks < expected["most_bytes"] < data + blocks + 2 * 300 * 1024
    assert expected["most_files"] == 2 * (200 + 100) + 2 * 2
    assert expected["likely_bytes"] <= expected["most_bytes"]


def test_limits_that_end_a_phase_before_the_stonewall_are_named_with_ones_that_would_do(
    probed, tmp_path
):
    configured(probed, "[mdtest-easy]\nn = 10\n")
    done = probed.run("--check", test_dir=tmp_path / "here")
    texts = [text for name, text, _, code in lines_of(done) if code == "HDB037"]
    (easy,) = [text for text in texts if text.startswith("mdtest-easy-write ends after about ")]
    would_do = re.search(r"\[mdtest-easy\] n = (\d+) would do", easy)
    assert int(would_do[1]) > 1000


def test_a_job_that_ends_before_the_run_is_said(probed, tmp_path):
    configured(probed, "")
    probed.environ["SLURM_JOB_END_TIME"] = str(int(time.time()) + 600)
    done = probed.run("--check", test_dir=tmp_path / "here")
    (text,) = [text for *_, text, _, code in lines_of(done) if code == "HDB049"]
    assert re.search(r"are needed, the job ends in 10 min", text)


def test_without_a_probe_too_little_space_is_a_warning_that_says_so(probed, ext4):
    probed.environ["PROBE_SECONDS"] = "0"
    done = probed.run("--check", test_dir=ext4(64, "-N", "60000"))
    assert done.returncode == 0
    (space,) = [line for line in lines_of(done) if line[0] == "space"]
    assert space[2:] == ("warning", "HDB047")
    assert "was not probed" in space[1]


def test_what_a_killed_run_left_is_named_with_its_size_and_what_removes_it(probed, tmp_path, root):
    script = (
        "import os, sys; sys.path.insert(0, sys.argv[1]); from hpc_disk_bench.scratch import "
        "Scratch; s = Scratch.create(sys.argv[2], '/gone'); (s.data / 'x').write_bytes(bytes(2**20)"
        "); os._exit(9)"
    )
    test_dir = tmp_path / "shared"
    subprocess.run([sys.executable, "-c", script, root, test_dir], check=False)
    (left,) = test_dir.iterdir()
    done = probed.run("--check", test_dir=test_dir)
    (text,) = [text for *_, text, _, code in lines_of(done) if code == "HDB038"]
    assert text.startswith(f"{left} of a run that is gone")
    assert "1.0 MiB in 2 files" in text
    assert text.endswith(f"io500_wrapper.sh --clean {test_dir}")
    assert list(test_dir.iterdir()) == [left]


@pytest.mark.parametrize(
    ("flags", "mode", "root"),
    [(["--check"], 0o555, "there"), ([], 0o555, "there"), (["--check"], 0, "there/below")],
)
def test_results_that_cannot_be_written_are_refused_before_anything_else(
    wrapper, tmp_path, flags, mode, root
):
    there = tmp_path / "there"
    there.mkdir(mode=mode)
    wrapper.environ["IO500_RESULTS_DIR"] = str(tmp_path / root)
    process = wrapper.start(command=[*obeying_modes(), *wrapper.arguments(*flags)])
    out, err = process.communicate()
    assert (process.returncode, out) == (3, "")
    assert err == (
        f"io500_wrapper.sh: HDB027 results in {tmp_path / root}: {there} cannot be written to: "
        "Permission denied: set IO500_RESULTS_DIR to another place\n"
    )
    assert (list(there.iterdir()), wrapper.made()) == ([], [])


def test_a_storage_that_does_not_answer_is_refused_in_time_and_leaves_nothing(probed, tmp_path):
    probed.environ.update(STORAGE_TIMEOUT="1", PROBE_SECONDS="0")
    with hung_mount(tmp_path / "hung") as point:
        done = probed.run(test_dir=point / "below")
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (3, "")
    assert f"HDB030 test directory {point}/below: the storage does not answer" in line
    assert probed.made() == []


def test_a_signal_while_a_storage_does_not_answer_ends_the_wrapper(probed, tmp_path):
    probed.environ["STORAGE_TIMEOUT"] = "600"
    with hung_mount(tmp_path / "hung") as point:
        process = probed.start(test_dir=point)
        deadline = time.monotonic() + 60
        while not _lookers(process.pid):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (143, "")
    assert err.rstrip().endswith("failed interrupted by SIGTERM before the launch")
    assert probed.made() == []


@pytest.mark.parametrize("name", ["PROBE_SECONDS", "STORAGE_TIMEOUT"])
def test_a_time_that_is_none_is_wrong_use(wrapper, name):
    wrapper.environ[name] = "1; echo"
    done = wrapper.run()
    assert done.returncode == 2
    assert f"{name} '1; echo': a number of seconds is needed" in done.stderr


def test_check_does_not_go_with_parsing_again(wrapper):
    process = wrapper.start(command=[wrapper.arguments()[0], "--reprocess", "--check", "x"])
    _, err = process.communicate()
    assert process.returncode == 2
    assert "--check does not belong to --reprocess" in err


def _lookers(pid):
    """The processes that a wrapper has sent to look at the storage: each leads its own session."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = map(int, file.read().split())
        return [child for child in children if os.getsid(child) == child]
    except OSError:
        return []
