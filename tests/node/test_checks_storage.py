"""What the checks know of a storage and of a configuration, part by part."""

import ctypes
import os
import struct
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from hpc_disk_bench import storage
from hpc_disk_bench.checks import cache as caching
from hpc_disk_bench.checks import child, memory
from hpc_disk_bench.checks.finding import Stopped
from hpc_disk_bench.checks.length import length
from hpc_disk_bench.checks.place import Place, look
from hpc_disk_bench.checks.probe import Probe, probe
from hpc_disk_bench.checks.quota import GROUP, USER, Limit, limits
from hpc_disk_bench.checks.space import space
from hpc_disk_bench.checks.words import count, size, span
from hpc_disk_bench.checks.workload import Rates, amount, duration, writers
from hpc_disk_bench.configuration import read_template
from hpc_disk_bench.errors import UserError
from hpc_disk_bench.files import part_name
from hpc_disk_bench.marked import MAKING
from hpc_disk_bench.scratch import Scratch, remove_made_by

GIB = 2**30


@pytest.fixture
def template(tmp_path):
    """A function: a template with these lines."""

    def make(text="", mode="standard"):
        path = tmp_path / "some.ini"
        head = f"# hpc-disk-bench: mode = {mode}\n[global]\ndatadir = $TEST_DIR\n"
        path.write_text(f"{head}resultdir = $OUTPUT_DIR\n{text}\n")
        return read_template(path)

    return make


def place(free=10**15, inodes=None, filesystem="ext4", direct=True, quotas=()):
    facts = dict.fromkeys(storage.KEYS)
    facts.update(free_bytes=free, inodes_free=inodes, filesystem=filesystem)
    return Place(facts, 4096, direct, list(quotas), [], None)


def test_the_kernel_s_quotas_are_read_and_root_has_none(tmp_path, monkeypatch):
    """By an answer of the kernel's form: few kernels of test machines are built with quotas."""
    asked = []

    def quotactl(command, device, identity, answer):
        asked.append((command & 0xFF, device, identity))
        if command & 0xFF != USER:
            return -1
        # 10 MiB and 500 files are allowed, 1 MiB and 20 files are there.
        answer[:] = struct.pack("=8QI4x", 10_240, 0, 2**20, 500, 0, 20, 0, 0, 63)
        return 0

    kernel = SimpleNamespace(quotactl=quotactl)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: kernel)
    facts = {"filesystem": "ext4", "mount_point": "/", "source": "/dev/sda1"}
    assert limits(tmp_path, facts) == []
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert limits(tmp_path, facts) == [Limit("user", 9 * 2**20, 480)]
    assert asked[0] == (USER, b"/dev/sda1", 1000)
    assert (GROUP, b"/dev/sda1", os.getegid()) in asked


@pytest.mark.parametrize(
    ("full", "inodes", "code"),
    [("EDQUOT", 10**6, "HDB036"), ("ENOSPC", 10**6, "HDB034"), ("ENOSPC", 3, "HDB035")],
)
def test_a_probe_that_finds_no_room_is_a_refusal_of_its_own(template, full, inodes, code):
    where = place(free=2**30, inodes=inodes)._replace(probe=Probe(3, 1, 0, 0, 0, full))
    (finding,) = space(where, writers(template(), 1), None)
    assert (finding.verdict, finding.code) == ("refusal", code)
    assert f"not even the probe finds room ({full}): 1.0 GiB free" in finding.text


def test_a_tool_s_table_of_quotas_is_read_whatever_it_marks(tmp_path, monkeypatch):
    tool = tmp_path / "lfs"
    tool.write_text(
        '#!/bin/sh\n[ "$3" = -q ] && [ "$6" = /lustre ] || exit 2\n'
        "echo '        /lustre  1500*  1000  2000 6d23h  12 0 0 -'\n"
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    facts = {"filesystem": "lustre", "mount_point": "/lustre", "source": "mgs:/l"}
    tool.write_text(tool.read_text().replace('"$3"', '"$2"').replace('"$6"', '"$5"'))
    assert limits("/lustre/me", facts) == [
        Limit("user", 500 * 1024, None),
        Limit("group", 500 * 1024, None),
    ]


def test_a_probe_says_what_is_taken_a_second_and_leaves_nothing(mount):
    point = mount("-t", "tmpfs", "tmpfs")
    found = probe(str(point), 0.3, 2, GIB, 10**6)
    assert found.bytes_per_second > 2**20
    assert found.easy_files_per_second > 1
    assert found.hard_files_per_second > 1
    assert (found.processes, found.full) == (2, "")
    assert [path for path in point.rglob("*") if path.is_file()] == []


def test_a_probe_of_a_full_file_system_says_so(mount):
    point = mount("-t", "tmpfs", "-o", "size=1m", "tmpfs")
    assert probe(str(point), 0.1, 2, 2**20).full == "ENOSPC"
    assert [path for path in point.rglob("*") if path.is_file()] == []


def test_an_answer_an_error_and_no_answer_come_from_another_process():
    assert child.answer(30, lambda: (os.getpid() != 0, "x" * 10**6))[1] == "x" * 10**6
    assert child.answer(30, os.getpid) != os.getpid()
    with pytest.raises(UserError, match="from there"):
        child.answer(30, _fail)
    with pytest.raises(child.NoAnswer):
        child.answer(0.2, time.sleep, 1000)
    with pytest.raises(child.NoAnswer):
        child.answer(1000, time.sleep, 1000, stopped=lambda: True)
    with pytest.raises(child.NoAnswer, match="ended without an answer"):
        child.answer(30, os._exit, 3)


def test_a_look_that_a_signal_cuts_short_leaves_nothing_behind(tmp_path):
    test_dir, seen = tmp_path / "made" / "scratch", []

    def stopped():
        seen.extend(test_dir.glob("io500.*/data/write.*"))
        return bool(seen)

    with pytest.raises(Stopped):
        look(str(test_dir), 2, 60, 30, stopped)
    assert not test_dir.parent.exists()


def test_what_a_killed_process_was_making_goes_and_what_others_make_stays(tmp_path):
    others = Scratch.create(tmp_path, ""), Scratch.create(tmp_path, "/its/run")

    def make():
        Scratch.create(tmp_path, "")
        Scratch.create(tmp_path, "/its/run")
        os.mkdir(tmp_path / part_name(MAKING))
        return os.getpid()

    pid = child.answer(30, make)
    before = set(os.listdir(tmp_path))
    remove_made_by(pid, tmp_path)
    gone = before - set(os.listdir(tmp_path))
    assert len(before) == 5
    assert len(gone) == 2
    assert any(name.startswith(".io500.") for name in gone)
    assert all(other.directory.exists() for other in others)


def test_what_an_unanswering_process_has_started_ends_with_it(tmp_path):
    mark = str(tmp_path / "mark")

    def start():
        subprocess.Popen(["sh", "-c", f"echo $$ >{mark}.part; mv {mark}.part {mark}; sleep 1000"])
        time.sleep(1000)

    with pytest.raises(child.NoAnswer):
        child.answer(600, start, stopped=lambda: os.path.exists(mark))
    pid = int(Path(mark).read_text("ascii"))
    deadline = time.monotonic() + 60
    while _runs(pid):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_limits_of_a_configuration_add_up(template):
    text = (
        "[ior-easy]\nblockSize = 1g\n[ior-hard]\nsegmentCount = 100\n"
        "[mdtest-easy]\nn = 1000\n[mdtest-hard]\nn = 10\n"
    )
    most = amount(writers(template(text), 4), 4096)
    assert most.files == 4 * (1000 + 10) + 2 * 4
    entries = 512 * 4 * (1000 + 10)
    assert most.bytes == 4 * (GIB + 100 * 47008 + 10 * 4096) + entries
    without = "[ior-easy]\nrun = FALSE\n[mdtest-hard-write]\nrun = 0\n"
    assert [one.section for one in writers(template(text + without), 4)] == [
        *("mdtest-easy", "ior-hard")
    ]
    extended = [one.section for one in writers(template(text, "extended"), 4)]
    assert "mdworkbench" in extended
    assert "ior-rnd4K" not in extended


def test_what_is_likely_follows_the_rates_until_the_limits(template):
    rates = Rates(bytes=GIB, easy=1000, hard=100, memory=10 * GIB)
    found = writers(template(), 2)
    likely = amount(found, 4096, rates)
    assert likely.files == 300 * 1000 + 300 * 100 + 2 * 2
    assert likely.bytes == 2 * 310 * GIB + 512 * 300 * 1100 + 4096 * 300 * 100
    assert amount(found, 4096, rates, 1.5).files > 1.4 * likely.files
    small = writers(template("[ior-easy]\nblockSize = 100g\n[ior-hard]\nsegmentCount = 1\n"), 2)
    assert amount(small, 4096, rates).bytes < 201 * GIB
    # 4 x 300 s of writing, as much for each of 7 later phases, 300 s of random reads, and 20 s
    # until the cache of both is written.
    assert duration(found, rates) == 4 * 300 + 7 * 300 + 300 + 20


def test_space_is_judged_by_what_is_likely(template):
    rates = Rates(bytes=GIB, easy=1000, hard=100, memory=0)
    found = writers(template(), 1)  # about 600 GiB and 330,000 files
    (fine,) = space(place(free=2000 * GIB, inodes=10**6), found, rates)
    assert fine.verdict == "ok"
    assert fine.text.startswith("2.0 TiB free, 1.0 M inodes free; about 60")
    (close,) = space(place(free=700 * GIB), found, rates)
    assert (close.verdict, close.code) == ("warning", "HDB034")
    (too_little,) = space(place(free=500 * GIB, inodes=10**6), found, rates)
    assert (too_little.verdict, too_little.code) == ("refusal", "HDB034")
    (inodes,) = space(place(inodes=300_000), found, rates)
    assert (inodes.verdict, inodes.code) == ("refusal", "HDB035")
    quotas = [Limit("group", 400 * GIB, None)]
    (quota,) = space(place(quotas=quotas), found, rates)
    assert (quota.verdict, quota.code) == ("refusal", "HDB036")
    assert quota.text.startswith("400.0 GiB of the group quota left, but about 60")


def test_the_value_that_would_do_does(template):
    rates = Rates(bytes=GIB, easy=1000, hard=100, memory=0)
    text = "[ior-easy]\nblockSize = 1g\n[ior-hard]\nsegmentCount = 5\n[mdtest-easy]\nn = 9\n"
    found, _ = length(template(text), writers(template(text), 2), rates)
    assert [finding.code for finding in found] == ["HDB037"] * 3
    better = "".join(
        f"{said[0]}\n{said[1]}\n"
        for said in (finding.text.split(": ")[1][:-9].split(" ", 1) for finding in found)
    )
    again, seconds = length(template(text + better), writers(template(text + better), 2), rates)
    assert [(finding.verdict, finding.code) for finding in again] == [("ok", None)]
    assert seconds > 3000


@pytest.mark.parametrize(
    ("nodes", "text", "direct", "verdict", "says"),
    [
        (1, "", True, "warning", "100.0 GiB RAM, 60.0 GiB data, "),
        (2, "", True, "ok", "each node reads what another one wrote"),
        (1, "[global]\ndrop-caches = TRUE\ndrop-caches-cmd = true\n", True, "ok", "are dropped"),
        (1, "[ior-easy]\nAPI = POSIX --posix.odirect\n", True, "ok", "passes the cache by"),
        (1, "[ior-easy]\nAPI = POSIX --posix.odirect\n", None, "ok", "passes the cache by"),
    ],
)
def test_reads_from_memory_are_foreseen(template, monkeypatch, nodes, text, direct, verdict, says):
    monkeypatch.setattr(memory, "total", lambda: 100 * GIB)
    rates = Rates(bytes=0.2 * GIB, easy=1, hard=1, memory=0)
    found = template(text)
    where = place(direct=direct)
    (finding,) = caching.cache(found, where, writers(found, 4), rates, nodes)
    assert finding.verdict == verdict
    assert finding.code == ("HDB031" if verdict == "warning" else None)
    assert says in finding.text


def test_o_direct_where_it_is_not_taken_is_refused(template):
    found = template("[ior-easy]\nAPI = POSIX --posix.odirect\n")
    where = place(filesystem="fuse.sshfs", direct=False)
    with pytest.raises(UserError, match=r"HDB011 .*which fuse\.sshfs does not take here"):
        caching.cache(found, where, writers(found, 1), None, 1)


def test_whether_o_direct_is_taken_is_tried(ext4):
    assert look(ext4(16), 1, 0, 60, lambda: False).direct is True


def test_figures_are_spoken_as_people_do():
    assert [size(number) for number in (1536, 3.5 * 2**20, 40 * GIB, 11.2 * 2**40)] == [
        *("2 KiB", "3.5 MiB", "40.0 GiB", "11.2 TiB")
    ]
    assert [count(number) for number in (7, 1500, 31e6, 402e6)] == ["7", "1.5 k", "31 M", "402 M"]
    assert [span(number) for number in (40, 3300, 12600, 200_000)] == [
        *("40 s", "55 min", "3.5 h", "2.3 days")
    ]


def _fail():
    raise UserError("from there", 3)


def _runs(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False
