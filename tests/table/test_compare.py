"""compare_results.py: two groups of runs on the command line."""

import json
import subprocess

import numpy as np
import pytest

from hpc_disk_bench import errors
from hpc_disk_bench.compare import results
from tests.support import report_tables as tables
from tests.support.trees import mixed_runs, write_tree


@pytest.fixture
def compare(capsys):
    """A function: what the command does with these arguments, without the start of a process."""

    def do(*arguments):
        code = errors.run(results.main, [str(argument) for argument in arguments])
        told = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, code, told.out, told.err)

    return do


def runs(seed, count, rate, **more):
    draw = np.random.default_rng(seed)
    return [
        tables.run(rate=rate * float(np.exp(draw.normal(0, 0.03))), **more) for _ in range(count)
    ]


def measures(done):
    (part,) = json.loads(done.stdout)
    return {one["name"]: one for one in part["measures"]}


def test_a_storage_that_lost_a_fifth_is_worse_by_that_and_the_engine_stands_above_the_numbers(
    compare, tmp_path
):
    before = tables.write(tmp_path / "before.csv", *runs(1, 5, 1.0))
    after = tables.write(tmp_path / "after.csv", *runs(2, 5, 0.8, engine_version="io500-isc26"))
    done = compare(before, after)
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert lines[0].endswith("before.csv: 5 runs")
    differs = lines.index("  differs: engine version: io500-isc25 -> io500-isc26")
    numbers = next(k for k, line in enumerate(lines) if line.startswith("  score "))
    assert differs < numbers
    assert all(line.endswith("worse") for line in lines[numbers : numbers + 15])
    found = measures(compare(before, after, "--json"))
    assert len(found) == 15
    assert found["ior-easy-write"]["ratio"]["median"] == pytest.approx(0.8, rel=0.05)
    assert found["ior-easy-write"]["ratio"]["high"] < 1


def test_what_is_alike_is_noise_and_what_is_faster_no_failure(compare, tmp_path):
    before = tables.write(tmp_path / "before.csv", *runs(1, 6, 1.0))
    alike = tables.write(tmp_path / "alike.csv", *runs(4, 6, 1.0))
    faster = tables.write(tmp_path / "faster.csv", *runs(3, 6, 1.5))
    done = compare(before, alike, "--json")
    verdicts = [one["verdict"] for one in measures(done).values()]
    assert verdicts.count("noise") >= 13
    done = compare(before, faster, "--json")
    assert done.returncode == 0
    assert {one["verdict"] for one in measures(done).values()} == {"better"}


def test_two_runs_decide_nothing(compare, tmp_path):
    one = tables.write(tmp_path / "one.csv", *runs(1, 2, 1.0))
    other = tables.write(tmp_path / "other.csv", *runs(2, 5, 0.2))
    done = compare(one, other)
    assert done.returncode == 4
    assert done.stdout.count("not decidable") == 15


def test_runs_that_do_not_count_are_left_out_and_counted(compare, tmp_path):
    path = tmp_path / "table.csv"
    marked = [tables.invalid(node="n2", rate=9.0, diagnosis="HDB025") for _ in range(3)]
    tables.write(path, *runs(1, 3, 1.0), *runs(2, 3, 1.0, node="n2"), *marked)
    done = compare(f"{path}:node=n1", f"{path}:node=n2")
    assert "node=n2: 3 runs, 3 left out (3 HDB025)" in done.stdout
    assert measures(compare(f"{path}:node=n1", f"{path}:node=n2", "--json"))["find"]["b"]["n"] == 3
    done = compare(f"{path}:node=n1", f"{path}:node=n2", "--invalid")
    assert "node=n2: 6 runs, 3 of them marked INVALID" in done.stdout
    only = tables.write(tmp_path / "only.csv", *marked)
    done = compare(path, only)
    assert (done.returncode, done.stdout) == (4, "")
    assert "only.csv: none of its runs counts; --invalid takes" in done.stderr
    lost = tables.write(tmp_path / "lost.csv", *runs(1, 2, 1.0), tables.failed(node="n2"))
    done = compare(lost, f"{lost}:node=n2")
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.endswith("node=n2: none of its runs counts (1 failed)\n")


def test_each_node_and_storage_that_both_have_is_compared_by_itself(compare, tmp_path):
    one = [*runs(1, 3, 1.0), *runs(2, 3, 5.0, node="n2"), *runs(3, 3, 7.0, node="n3")]
    other = [*runs(4, 3, 1.0), *runs(5, 3, 2.0, node="n2")]
    a = tables.write(tmp_path / "a.csv", *one)
    b = tables.write(tmp_path / "b.csv", *other)
    parts = json.loads(compare(a, b, "--json").stdout)
    assert [part["target"] for part in parts] == ["n1 · local/ssd", "n2 · local/ssd"]
    assert parts[1]["measures"][0]["verdict"] == "worse"
    assert [part["target"] for part in json.loads(compare(a, b, "--json", "--pool").stdout)] == [
        None
    ]


def test_parts_of_a_results_tree_are_compared_with_what_is_known_of_their_nodes(compare, tmp_path):
    write_tree(tmp_path / "tree", mixed_runs(60, seed=3), seed=3)
    nodes = sorted((tmp_path / "tree/wildwood").iterdir())[:2]
    done = compare(*nodes, "--pool", "--json", "--invalid")
    assert done.returncode in (0, 1, 4), done.stderr
    (part,) = json.loads(done.stdout)
    fields = {one["field"]: (one["a"], one["b"]) for one in part["differences"]}
    assert [list(side) for side in fields["node_name"]] == [[node.name] for node in nodes]
    run = next(nodes[0].glob("**/results.json")).parent
    assert "1 run" in compare(run, nodes[1], "--invalid").stdout


@pytest.mark.parametrize(
    ("selection", "said"),
    [
        ("nowhere.csv", "nowhere.csv: no such table or directory; a table is made with ./aggr"),
        ("table.csv:node=n9", "table.csv:node=n9: no run"),
        ("table.csv:node=chrm1", "no run with node=chrm1: did you mean chrom1"),
        ("table.csv:node=chrom1,ranks=8", "no run with ranks=8: there are 16\n"),
        ("table.csv:volume=v", "no run with volume=v: there are none that say it"),
        ("table.csv:device=tape", "no run with device=tape: there are hdd, ssd\n"),
        ("table.csv:from=2027-01-01", "no run from 2027-01-01: they are of 2026-03-01\n"),
        ("header.csv", "header.csv: no run: the table has a header alone"),
        ("cut.csv", "cut.csv:4: 3 of "),
        ("table.csv:knot=n1", "there is no 'knot' to select by: cluster, node,"),
        ("table.csv:ranks=many", "'many' is no number, ranks is one"),
        ("table.csv:from=yesterday", "'yesterday' is no date: write 2026-03-01"),
        ("table.csv:node=n1,ssd", "'node=n1,ssd' is no list of conditions"),
    ],
)
def test_a_selection_that_cannot_be_made_is_one_line(compare, tmp_path, selection, said):
    rows = [*runs(1, 3, 1.0), tables.run("local/hdd", "chrom1")]
    head, *lines = tables.write(tmp_path / "table.csv", *rows).read_text().splitlines()
    (tmp_path / "header.csv").write_text(head)
    (tmp_path / "cut.csv").write_text("\n".join([head, *lines[:2], "wildwood,n1,10Gb"]))
    done = compare(tmp_path / "table.csv", tmp_path / selection)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


def test_of_many_values_some_are_offered(compare, tmp_path):
    many = [tables.run(node=f"n{k:02}") for k in range(20)]
    table = tables.write(tmp_path / "table.csv", *many)
    done = compare(table, f"{table}:node=olympus")
    offered = ", ".join(f"n{k:02}" for k in range(8))
    assert done.stderr.endswith(f"no run with node=olympus: there are {offered} and 12 more\n")


def test_dates_select_from_inclusive_until_exclusive(compare, tmp_path):
    days = ["2026.03.01-00.00.00", "2026.03.02-00.00.00", "2026.03.03-00.00.00"]
    table = tables.write(tmp_path / "t.csv", *(tables.run(timestamp=day) for day in days))
    done = compare(f"{table}:until=2026-03-02", f"{table}:from=2026-03-02")
    assert done.stdout.splitlines()[0].endswith("until=2026-03-02: 1 run")
    assert done.stdout.splitlines()[1].endswith("from=2026-03-02: 2 runs")


@pytest.mark.parametrize("command", ["compare_results.py", "check_regressions.py"])
def test_the_commands_explain_themselves_and_find_their_environment(root, tmp_path, command):
    """Also without an active one, from another directory."""
    done = subprocess.run(
        [root / command, "--help"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "SOURCE[:KEY=VALUE" in done.stdout
    assert "Exit codes: 0 " in done.stdout
