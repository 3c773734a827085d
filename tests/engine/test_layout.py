"""The engine's files have upstream's lines, but for numbers, paths and versions."""

import re

import pytest

from tests.engine.conftest import Engine, scratch

FULL = {"debug": {"stonewall-time": "1"}}
# The interactive phases size themselves by the rate of this machine: here not.
SIZED = {"mdworkbench": {"precreatePerSet": "50", "filesPerProc": "50"}}
RECORDED = {"standard": "tmpfs-std-np2-r1", "extended": "tmpfs-ext-np2"}
STANDARD = [
    "result_summary.txt",
    "result.txt",
    "config-orig.ini",
    "config.ini",
    "find.csv",
    "timestampfile",
    *(
        f"{phase}.{kind}"
        for kind in ("txt", "csv")
        for phase in (
            "ior-easy-write",
            "ior-easy-read",
            "ior-hard-write",
            "ior-hard-read",
            "ior-rnd4K-easy-read",
            "mdtest-easy-write",
            "mdtest-easy-stat",
            "mdtest-easy-delete",
            "mdtest-hard-write",
            "mdtest-hard-stat",
            "mdtest-hard-read",
            "mdtest-hard-delete",
        )
    ),
]
EXTENDED = [
    "result_summary.txt",
    "result.txt",
    "find-easy.csv",
    "find-hard.csv",
    "mdworkbench-create.txt",
    "mdworkbench-bench.txt",
    "mdworkbench-delete.txt",
    "mdworkbench.status",
]
# What the engine tells beyond upstream, documented as further.
FURTHER_KEYS = ("latency-",)
FURTHER_FILES = {"latency.csv", "histogram.csv", "timeseries.csv", "ranks.csv"}
FILES = [("standard", name) for name in STANDARD] + [("extended", name) for name in EXTENDED]


def blanked(text, data):
    """The text without what differs between two runs: numbers, dates, paths, versions."""
    text = text.replace(str(data), "DATA")
    text = re.sub(r"(config-hash|hash)( +)= [0-9A-F]+", r"\1\2= HASH", text)
    text = re.sub(
        r"(version +=? ?|version: |IOR-|mdtest-)(io500-|hpc-|[0-9])[^ :)\n]*", r"\1V", text
    )
    text = text.replace("embedded engine, ", "")
    text = re.sub(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} .*", "DATE", text)
    text = re.sub(r"^(Machine +: Linux) .*", r"\1 HOST", text, flags=re.M)
    text = re.sub(r"-?\d+(\.\d+)?(e[+-]\d+)?", "N", text)
    text = re.sub(r"N (TiB|GiB|MiB|bytes)(?!/s)", "SIZE", text)
    return re.sub(r" *N *", " N ", text)


@pytest.fixture(scope="module")
def both(shared, engine, mpirun, mpi_environ, tmp_path_factory):
    """A function of the mode: the recorded run and ours with its configuration, each its directory
    of results and its data path. The run is made once."""
    runs = {}

    def find(mode):
        if mode not in runs:
            recorded = shared("upstream-runs", RECORDED[mode])
            directory = tmp_path_factory.mktemp(mode)
            with scratch(directory) as data:
                bench = Engine(engine, mpirun, mpi_environ, directory, data)
                done = bench.run(
                    bench.write_ini(FULL, SIZED if mode == "extended" else {}, base={}),
                    f"--mode={mode}",
                )
                assert done.returncode == 0, done.stderr
                assert not data.exists()
            their_data = re.search(r"datadir = (.*)", (recorded / "config-used.ini").read_text())[1]
            runs[mode] = (recorded / "results", their_data), (bench.results, data)
        return runs[mode]

    return find


@pytest.mark.parametrize(("mode", "name"), FILES)
def test_a_result_file_reads_as_upstreams(both, mode, name):
    (theirs, their_data), (ours, our_data) = both(mode)
    expected = blanked((theirs / name).read_text(), their_data).splitlines()
    found = blanked((ours / name).read_text(), our_data).splitlines()
    found = [line for line in found if not line.startswith(FURTHER_KEYS)]
    if name == "config-orig.ini":  # ours is written by the test, with blank lines of its own
        expected, found = ([line for line in lines if line] for lines in (expected, found))
    assert found == expected


@pytest.mark.parametrize("mode", RECORDED)
def test_there_are_no_other_files_than_upstreams_and_the_documented_ones(both, mode):
    (theirs, _), (ours, _) = both(mode)
    found = {path.name for path in ours.iterdir()}
    assert found - FURTHER_FILES == {path.name for path in theirs.iterdir()}
    assert found >= FURTHER_FILES


def test_the_version_line_says_that_this_is_the_embedded_engine(both):
    _, (ours, _) = both("standard")
    first = (ours / "result_summary.txt").read_text().splitlines()[0]
    assert re.fullmatch(r"IO500 version hpc-disk-bench-\d+\.\d+\.\d+ \(standard\)", first)
