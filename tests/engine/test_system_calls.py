"""Per operation the engine makes upstream's system calls, no more and no fewer."""

import collections
import re
import shutil
import subprocess

import pytest

CALLS = "openat,lseek,write,read,fsync,close,newfstatat,unlink"
EASY_TRANSFERS, SEGMENTS, FILES = 2, 20, 150

# Of one rank, over write and read phases: what each operation does times how often it is done.
EXPECTED = {
    "ior-easy": {
        "openat": 2,
        "lseek": 2 * EASY_TRANSFERS,
        "write": EASY_TRANSFERS,
        "read": EASY_TRANSFERS,
        "fsync": 1,
        "close": 2,
    },
    "ior-hard": {
        "openat": 2,
        "lseek": 2 * SEGMENTS,
        "write": SEGMENTS,
        "read": SEGMENTS,
        "fsync": 1,
        "close": 2,
    },
    "mdtest-easy": {"openat": FILES, "close": FILES, "newfstatat": FILES, "unlink": FILES},
    "mdtest-hard": {
        "openat": 2 * FILES,
        "lseek": 2 * FILES,
        "write": FILES,
        "read": FILES,
        "close": 2 * FILES,
        "newfstatat": FILES,
        "unlink": FILES,
    },
}
FLAGS = {
    ("ior-easy", "O_RDWR|O_CREAT, 0664"): 1,
    ("ior-easy", "O_RDONLY"): 1,
    ("ior-hard", "O_RDWR|O_CREAT, 0664"): 1,
    ("ior-hard", "O_RDONLY"): 1,
    ("mdtest-easy", "O_RDWR|O_CREAT, 0664"): FILES,
    ("mdtest-hard", "O_RDWR|O_CREAT, 0664"): FILES,
    ("mdtest-hard", "O_RDWR"): FILES,
}


@pytest.fixture(scope="module")
def strace():
    path = shutil.which("strace")
    if not path:
        pytest.skip("strace is not installed")
    return path


def trace(bench, strace, *changes):
    """The calls on the benchmark's files as (call, group, whole line)."""
    log = bench.directory / "trace"
    command = [strace, "-f", "-y", "-e", f"trace={CALLS}", "-o", log, bench.binary]
    done = subprocess.run(
        [*command, bench.write_ini(*changes)],
        cwd=bench.directory,
        env=bench.environ,
        capture_output=True,
        text=True,
    )
    if "ptrace" in done.stderr.lower():
        pytest.skip(f"cannot trace here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    found = []
    for line in log.read_text(errors="replace").splitlines():
        file = re.search(
            rf"{bench.data}/(\S+?)/(?:\S+/)?(?:ior_file_easy\.\d+|file|file\.mdtest\.\d+\.\d+)[\">]",
            line,
        )
        call = re.match(r"\d+ +(\w+)\(", line)
        if file and call:
            found.append((call[1], file[1], line))
    return found


def test_every_operation_makes_the_calls_of_the_table(bench, strace):
    calls = trace(bench, strace, {"find": {"run": "FALSE"}})
    found = collections.defaultdict(collections.Counter)
    flags = collections.Counter()
    for call, group, line in calls:
        if call == "newfstatat" and group.startswith("ior"):
            continue  # the report's look at the file, outside of what is timed
        if call == "unlink" and group.startswith("ior"):
            continue  # clean-up
        found[group][call] += 1
        if call == "openat":
            flags[group, re.search(r"\", (.*?)\)", line)[1]] += 1
    assert {group: dict(counts) for group, counts in found.items()} == EXPECTED
    assert flags == FLAGS


def test_find_looks_only_at_files_whose_names_match(bench, strace):
    without = trace(bench, strace, {"find": {"run": "FALSE"}})
    shutil.rmtree(bench.results)
    calls = trace(bench, strace)

    def looks(lines):
        return collections.Counter(
            re.search(r'"(.*?)"', line)[1] for call, _, line in lines if call == "newfstatat"
        )

    further = looks(calls) - looks(without)
    assert further
    assert all("01" in path.rsplit("/", 1)[1] for path in further)
    assert set(further.values()) == {1}
