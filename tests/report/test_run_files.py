"""What a run's directory says besides the table, of upstream's files and of the engine's own."""

import pytest

from hpc_disk_bench.report import figures_time, figures_writes, load, run_files, tidy
from hpc_disk_bench.report.charts import Missing
from tests.support import report_tables as made

RESULT = """\
[run]
procs = 2

[ior-easy-write]
throughput-stonewall = 2.5
score = 2.0

[mdtest-easy-write]
rate-stonewall = 30.0
score = 20.0
"""
UPSTREAM_RANKS = """\
access,rank,runtime-with-openclose,runtime,throughput-withopenclose,throughput
write,0,310.5,300.0,1,1
write,1,310.5,300.0,1,1
write,2,310.5,309.0,1,1
"""
OUR_RANKS = """\
phase,rank,last_s,close_s
ior-easy-write,0,300.0,0.5
ior-easy-write,1,330.0,2.5
mdtest-easy-write,0,300.0,0.1
mdtest-easy-write,1,300.0,0.2
"""


@pytest.fixture
def tree(tmp_path):
    """tree(files): the runs of a table beside which the directory of its one run has these."""

    def make(files):
        row = made.run(ior_easy_write=2.0, mdtest_easy_write=20.0)
        directory = tmp_path / row["run_dir"]
        directory.mkdir(parents=True)
        for name, text in {"run_metadata.json": "{}", **files}.items():
            (directory / name).write_text(text)
        return load.table(made.write(tmp_path / "table.csv", row)), directory

    return make


def test_the_stonewall_is_that_of_the_run(tree):
    runs, _ = tree({"io500.ini": "[debug]\nstonewall-time = 30\n"})
    assert list(runs["stonewall"]) == [30]
    shapes = figures_time.phase_times(tidy.phases(runs)).figure.layout.shapes
    assert {shape.x0 for shape in shapes} == {30}


@pytest.mark.parametrize("text", ["", "[debug]\nstonewall-time = soon\n", "[other]\n"])
def test_without_a_word_of_it_the_stonewall_is_that_of_the_rules(tree, text):
    runs, _ = tree({"io500.ini": text})
    assert list(runs["stonewall"]) == [300]


def test_upstreams_files_say_how_writing_ended(tree):
    _, directory = tree({"result.txt": RESULT, "ior-easy-write.csv": UPSTREAM_RANKS})
    found = run_files.endings(directory)
    assert found["ior-easy-write"] == pytest.approx((2.5, 1.5, 1.03))
    assert found["mdtest-easy-write"].at_stonewall == 30
    assert set(found) == {"ior-easy-write", "mdtest-easy-write"}


def test_the_engines_record_of_its_ranks_comes_first(tree):
    files = {"result.txt": RESULT, "ior-easy-write.csv": UPSTREAM_RANKS, "ranks.csv": OUR_RANKS}
    _, directory = tree(files)
    found = run_files.endings(directory)
    assert found["ior-easy-write"] == pytest.approx((2.5, 2.5, 330 / 315))
    assert found["mdtest-easy-write"] == pytest.approx((30.0, 0.2, 1.0))


def test_the_figure_shows_the_rate_at_the_stonewall_over_the_final_one(tree):
    runs, _ = tree({"result.txt": RESULT, "ranks.csv": OUR_RANKS})
    chart = figures_writes.endings(runs)
    first = next(trace for trace in chart.figure.data if trace.meta == "runs")
    assert sorted(first.x) == [1.25, 1.5]


@pytest.mark.parametrize("files", [{}, {"result.txt": "\x00" * 50}, {"result.txt": "[ior-easy-"}])
def test_a_directory_that_says_nothing_is_a_sentence(tree, files):
    runs, _ = tree(files)
    assert isinstance(figures_writes.endings(runs), Missing)


def test_a_run_directory_outside_the_tree_is_not_read(tmp_path):
    (tmp_path / "run_metadata.json").write_text("{}")
    inside = tmp_path / "results"
    inside.mkdir()
    rows = [made.run(run_dir="../"), made.run(run_dir=str(tmp_path))]
    runs = load.table(made.write(inside / "table.csv", *rows))
    assert run_files.directories(runs) == {}
