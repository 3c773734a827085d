"""Where a run stands among published ones: only where it counts, and as the page says."""

import pytest

from hpc_disk_bench import placement
from hpc_disk_bench.phases import SCORED
from hpc_disk_bench.table_placement import COLUMNS
from tests.support import trees


def made(total, **changes):
    """A row of the table as csv.DictReader gives it."""
    row = {"state": "complete", "score_valid": "True", "storage_type": "nfs", "node_count": "2"}
    row |= {
        "num_procs": "8",
        "score_bandwidth": "1.5",
        "score_iops": "6",
        "score_total": str(total),
    }
    row |= {f"{phase.column}_value": str(total) for phase in SCORED}
    return row | changes


def run(total, kind="Lustre", nodes=1, procs=1):
    return placement.Published(kind, "2024-01-01", nodes, procs, total, total, total)


def test_a_percentile_is_the_share_below_and_half_of_the_equal():
    reference = [run(total) for total in (1, 2, 3, 3, 9)]
    found = [
        placement.placements([made(total)], reference)[0].scores["total"]
        for total in (0.5, 1, 3, 8, 10)
    ]
    assert found == [0, 10, 60, 80, 100]


def test_per_node_and_per_process_divide_both_sides():
    reference = [run(100, nodes=100, procs=1000), run(10, nodes=1, procs=100)]
    (found,) = placement.placements([made(4, node_count="2", num_procs="10")], reference)
    assert found.scores["total"] == 0
    assert found.scores["total_per_node"] == 50  # 2 against 1 and 10
    assert found.scores["total_per_process"] == 100  # 0.4 against 0.1 and 0.1


def test_what_is_not_known_is_not_compared():
    reference = [run(1), run(2, nodes=None, procs=None)]
    (found,) = placement.placements([made(1.5, node_count="", num_procs="4")], reference)
    assert found.scores["total"] == 50
    assert found.scores["total_per_node"] is None
    assert found.scores["total_per_process"] == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"state": "invalid"},
        {"state": "partial"},
        {"state": "running"},
        {"score_valid": "False"},
        {"find_value": ""},
        {"find_value": "0"},
        {"find_value": "nan"},
        {"score_total": ""},
    ],
)
def test_a_run_that_does_not_count_has_no_place_and_moves_nobody_elses(changes):
    rows = [made(total) for total in (1, 2, 3, 4, 5)]
    alone = placement.placements(rows)
    assert placement.placements([*rows, made(9, **changes)]) == [*alone, None]


def test_a_run_is_compared_with_its_kind_where_there_are_enough():
    reference = [run(total, "Lustre") for total in range(10)] + [run(1, "CephFS")] * 9
    kinds = {
        name: placement.placements([made(3, storage_filesystem=name)], reference)[0]
        for name in ("lustre", "ceph", "nfs4", "")
    }
    assert (kinds["lustre"].kind, kinds["lustre"].runs) == ("Lustre", 10)
    for name in ("ceph", "nfs4", ""):
        assert (kinds[name].kind, kinds[name].runs) == (placement.ALL, 19)


def test_phases_are_compared_within_the_table_with_the_same_engine_and_storage():
    rows = [made(total, engine_version="a") for total in range(1, 6)]
    rows += [made(100, engine_version="b")]
    *same, other = placement.placements(rows)
    assert [one.phases["find"] for one in same] == [10, 30, 50, 70, 90]
    assert (other.peers, other.phases["find"]) == (1, None)


def test_the_published_figures_agree_with_each_other_and_with_their_page(root):
    runs = placement.published()
    page = (root / "docs/placement.md").read_text()
    data = (root / "hpc_disk_bench/data/README.md").read_text()
    words = f"{len(runs)} published IO500 runs from {runs[0].date} to {runs[-1].date}"
    assert words in " ".join(page.split())
    assert words in " ".join(data.split())
    assert len({one[4:] for one in runs}) == len(runs)
    for one in runs:
        assert one.total == pytest.approx((one.bandwidth * one.iops) ** 0.5, rel=2e-3)


def test_the_published_figures_are_those_of_the_source(shared):
    import csv

    with open(shared("published_scores.csv"), newline="") as file:
        source = {
            tuple(float(row[key]) for key in ("bw_GiBs", "iops_kIOPS", "score"))
            for row in csv.DictReader(file)
        }
    assert {one[4:] for one in placement.published()} == source


def test_the_command_adds_the_columns_and_says_it(tmp_path, aggregate, rows):
    trees.write_tree(tmp_path / "io500_results", trees.mixed_runs(60, seed=2))
    plain = aggregate()
    table = (tmp_path / "aggregated_results.csv").read_bytes()
    done = aggregate("--placement")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(plain.stdout)
    said = done.stdout[len(plain.stdout) :]
    assert "Placement among 328 published IO500 runs" in said
    assert "docs/placement.md" in said
    widened = rows()
    names = [column.name for column in COLUMNS]
    assert list(widened[0])[-len(names) :] == names
    for row in widened:
        assert bool(row["placement_total"]) == (row["state"] == "complete")
        assert (row["run_dir"] in said) == (row["state"] == "complete")
    without = [{name: text for name, text in row.items() if name not in names} for row in widened]
    (tmp_path / "plain.csv").write_bytes(table)
    assert rows("plain.csv") == without


def test_where_no_run_has_a_place_one_line_says_so_and_why(tree, aggregate):
    tree({"state": "invalid"}, {"state": "invalid"}, {"state": "failed"})
    said = aggregate("-q", "--placement").stdout
    assert said == "\nPlacement: 3 runs, none has a place: 2 invalid, 1 failed\n"


def test_placement_belongs_to_the_wide_table(tree, aggregate):
    tree({})
    done = aggregate("--placement", "--long")
    assert done.returncode == 2
    assert "leave --long away" in done.stderr
