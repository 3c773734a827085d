"""Files that one engine writes can be read by the other: names, contents, counts."""

import re

import pytest

from tests.engine.conftest import PAUSING
from tests.engine.test_data import SEEDS, STAMP, tree, words

TRANSFER, FILES, RECORDS = 64 << 10, 7, 5
WRITERS = ("ior-easy-write", "mdtest-easy-write", "ior-hard-write", "mdtest-hard-write")
READERS = ("ior-easy-read", "ior-hard-read", "mdtest-hard-read", "mdtest-hard-stat")
NO_WRITING = {name: {"run": "FALSE"} for name in WRITERS}
HARD = 47008


def lay_out(bench, ranks):
    """The files of a run of upstream's, as the specification of its formats has them."""
    data = {}
    for rank in range(ranks):
        easy = f"mdtest-easy/test-dir.0-0/mdtest_tree.{(rank + 1) % ranks}.0"
        data[f"ior-easy/ior_file_easy.{rank:08d}"] = words(SEEDS["ior-easy"], rank, TRANSFER) * 3
        for number in range(FILES):
            data[f"{easy}/file.mdtest.{rank}.{number}"] = b""
            hard = f"mdtest-hard/test-dir.0-0/mdtest_tree.0/file.mdtest.{rank}.{number}"
            data[hard] = words(SEEDS["mdtest-hard"], rank, 3901)
    segment = b"".join(words(SEEDS["ior-hard"], rank, HARD) for rank in range(ranks))
    data["ior-hard/file"] = segment * RECORDS
    for name, content in data.items():
        path = bench.data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    bench.results.mkdir()
    counts = {"ior-easy": 3, "ior-hard": RECORDS, "mdtest-easy": FILES, "mdtest-hard": FILES}
    for name, count in counts.items():
        (bench.results / f"{name}.stonewall").write_text(str(count))


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_file_set_of_upstreams_is_read_compared_and_removed(bench, ranks):
    lay_out(bench, ranks)
    change = {"ior-easy": {"transferSize": "64k", "blockSize": "640k"}, "find": {"run": "FALSE"}}
    done = bench.run(bench.write_ini(NO_WRITING, change), f"--timestamp={STAMP}", ranks=ranks)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stdout
    valid = set(re.findall(r"\[RESULT\] +(\S+) .*seconds$", bench.summary(), re.M))
    assert valid == {*READERS, "mdtest-easy-stat", "mdtest-easy-delete", "mdtest-hard-delete"}
    assert not [path for path in bench.data.rglob("*") if path.is_file()]


def test_a_byte_of_it_that_differs_is_found_in_every_workload(bench):
    lay_out(bench, 2)
    hard = "mdtest-hard/test-dir.0-0/mdtest_tree.0/file.mdtest.1.3"
    for name, at in (
        ("ior-easy/ior_file_easy.00000001", 99),
        ("ior-hard/file", 60000),
        (hard, 3900),
    ):
        with open(bench.data / name, "r+b") as file:
            file.seek(at)
            byte = file.read(1)
            file.seek(at)
            file.write(bytes([byte[0] ^ 1]))
    change = {"ior-easy": {"transferSize": "64k", "blockSize": "640k"}, "find": {"run": "FALSE"}}
    done = bench.run(bench.write_ini(NO_WRITING, change), f"--timestamp={STAMP}")
    assert set(re.findall(r"\[RESULT\] +(\S+) .*\[INVALID\]", bench.summary())) == {
        *("ior-easy-read", "ior-hard-read", "mdtest-hard-read")
    }
    assert f'wrong data in "{bench.data}/ior-hard/file" at offset 60000' in done.stdout
    assert f'wrong data in "{bench.data}/{hard}" at offset 3900' in done.stdout


def test_a_run_leaves_files_of_the_same_names_as_upstream_does(bench, shared):
    recorded = (shared("upstream-runs", "layout-ext") / "layout.txt").read_text().splitlines()
    directories = {path.rpartition("/")[0] for path in recorded}
    files = {path for path in recorded if path not in directories}

    def shapes(paths):
        return {re.sub(r"\d+", "N", path) for path in paths}

    sizes = {"mdworkbench": {"precreatePerSet": "3", "filesPerProc": "3"}}
    with bench.paused(bench.write_ini(PAUSING, sizes), "ior-easy-read", "--mode=extended"):
        ours = tree(bench.data)
    assert shapes(ours) == shapes(path.removeprefix("/dev/shm/io500-k/") for path in files)


def test_files_per_dir_spreads_the_files_of_a_rank_over_directories(bench, shared):
    """As in the recorded run: each directory's files are numbered from 0 on."""
    change = {"mdtest-hard": {"n": "70", "files-per-dir": "30"}}
    ini = bench.write_ini(PAUSING, change)
    with bench.paused(ini, "find") as process:
        files = [name for name in tree(bench.data) if name.startswith("mdtest-hard")]
    assert sorted(files) == sorted(
        f"mdtest-hard/test-dir.0-{place}/mdtest_tree.0/file.mdtest.{rank}.{number}"
        for place, count in enumerate((30, 30, 10))
        for number in range(count)
        for rank in range(2)
    )
    assert process.returncode == 0
    assert "; ERROR INVALID files-per-dir is set" in bench.result()
    assert "; WARNING stonewalling disabled in order to support -I option." in bench.result()
    assert re.search(r"mdtest-hard-read .* seconds$", bench.summary(), re.M)
    assert re.search(r"mdtest-hard-delete .* seconds$", bench.summary(), re.M)
    assert "SCORE           = " in bench.result()
    assert re.search(r"\[SCORE \].*\[INVALID\]", bench.summary())
    assert not bench.data.exists()


def test_the_command_lines_with_files_per_dir_are_upstreams(bench, shared):
    recorded = shared("upstream-runs", "files-per-dir")
    bench.run(recorded / "config-used.ini", "--dry-run")

    def commands(text):
        return re.sub(r"-G[ =]-?\d+", "-G", "\n".join(re.findall(r"exe +=.*mdtest.*", text)))

    assert commands(bench.result()) == commands((recorded / "results/result.txt").read_text())


def test_cleaning_up_removes_files_in_as_many_directories_as_there_are(bench):
    change = {"mdtest-hard": {"n": "70", "files-per-dir": "30"}}
    ini = bench.write_ini(PAUSING, change)
    with bench.paused(ini, "find") as process:
        process.terminate()
        process.wait(timeout=30)
    assert (bench.data / "mdtest-hard/test-dir.0-2").is_dir()
    done = bench.run(bench.write_ini(change), "--cleanup")
    assert done.returncode == 0, done.stderr
    assert not bench.data.exists()
