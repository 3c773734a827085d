"""The top of the page: which storage for what, how surely, and what to worry about."""

import pytest

from hpc_disk_bench.report import answer, history, recommendations
from hpc_disk_bench.report.rule import LOW
from tests.support import report_tables as made

NEAR_ONE = (0.97, 1.0, 1.03)


def best(*rows):
    """{use: (storage, next, is it sure?)} as the answer says it."""
    table = answer.best(made.runs(*rows))
    columns = {column.title: column.values for column in table.columns}
    cells = zip(columns["use"], columns["next"], columns["is it sure?"], strict=True)
    return dict(zip(columns["for"], cells, strict=True))


def several(storage, rates, **more):
    return [made.run(storage, rate=rate, **more) for rate in rates]


def worries(*rows):
    runs = made.runs(*rows)
    return answer.worries(runs, history.changes(runs))


def test_each_use_has_its_own_best_storage():
    found = best(
        *several("nfs/hdd", NEAR_ONE, ior_easy_write=9.0, ior_easy_read=9.0),
        *several("local/ssd", (2.0, 2.1, 1.9)),
    )
    assert found["large files (GiB/s)"] == ("nfs/hdd", "local/ssd", "yes")
    assert found["many small files and metadata (kIOPS)"] == ("local/ssd", "nfs/hdd", "yes")


def test_a_small_difference_may_be_noise():
    found = best(*several("nfs/hdd", NEAR_ONE), *several("local/ssd", (0.98, 1.01, 1.05)))
    assert {sure for *_, sure in found.values()} == {"no: it may be noise"}


def test_two_runs_are_not_decidable():
    found = best(*several("nfs/hdd", (1.0, 1.1)), *several("local/ssd", (5.0, 5.1, 4.9)))
    assert all(sure.startswith("not decidable") for *_, sure in found.values())


def test_runs_of_different_engines_are_as_unsure_as_the_recommendation_on_the_same_figures():
    old, new = several("nfs/hdd", NEAR_ONE), several("local/ssd", (2.0, 2.1, 1.9))
    assert {sure for *_, sure in best(*old, *new).values()} == {"yes"}
    new[0] |= {"engine_version": "io500-isc26"}
    (said,) = {sure for *_, sure in best(*old, *new).values()}
    assert said == "no: runs of different engines or versions are compared"
    advised = [a for rule, a in recommendations.find(made.runs(*old, *new)) if rule.id < "REC10"]
    assert [advice.confidence for advice in advised] == [LOW] * 3
    # A third storage's engine is no part of the comparison.
    third = several("local/hdd", (0.1, 0.1, 0.1), engine_version="io500-isc26")
    found = best(*old, *new[1:], made.run(rate=2.2), *third)
    assert {sure for *_, sure in found.values()} == {"yes"}


def test_one_storage_is_the_only_one():
    assert {next_ for _, next_, _ in best(made.run()).values()} == {""}
    assert {sure for *_, sure in best(made.run()).values()} == {
        "the only storage that was measured"
    }


def test_an_invalid_run_is_never_the_best():
    found = best(*several("nfs/hdd", NEAR_ONE), made.invalid("local/ssd", rate=50.0))
    assert {storage for storage, *_ in found.values()} == {"nfs/hdd"}


def test_where_no_run_counts_the_answer_is_an_orientation_and_says_so():
    found = best(made.invalid("nfs/hdd"), made.invalid("local/ssd", rate=5.0))
    assert found["large files (GiB/s)"][0] == "local/ssd"
    assert all("orientation only" in sure for *_, sure in found.values())


def test_failures_are_worries_by_their_code():
    said = worries(made.run(), made.failed(diagnosis="HDB012"), made.failed(diagnosis="HDB012"))
    assert "HDB012 no space left on device: 2 runs" in said
    assert 'href="#figure-failures"' in said


def test_what_got_slower_is_a_worry():
    steady = (1.0, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97)
    said = worries(*several("local/ssd", steady), *several("local/ssd", [r / 2 for r in steady]))
    assert "bandwidth score fell to \N{MULTIPLICATION SIGN}0.50" in said


def test_a_node_and_storage_without_a_run_that_counts_is_a_worry():
    said = worries(*several("local/ssd", NEAR_ONE), *(made.invalid("nfs/hdd") for _ in range(4)))
    assert "1 node and storage with fewer than 3 runs that count" in said


def test_nothing_to_worry_about_is_said_as_well():
    assert "Nothing" in worries(*several("local/ssd", NEAR_ONE))


@pytest.mark.parametrize("code", ["HDB999", "failed"])
def test_a_code_without_a_page_is_shown_as_it_is(code):
    assert code in worries(made.failed(diagnosis=code if code.startswith("HDB") else ""))
