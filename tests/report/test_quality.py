"""Which runs count, and what is said about those that do not."""

import pytest

from tests.support import report_tables as made


def test_a_complete_valid_run_counts():
    runs = made.runs(made.run())
    assert list(runs["counts"]) == [True]
    assert list(runs["why"]) == [""]
    assert list(runs["suspect"]) == [""]


@pytest.mark.parametrize("state", ["invalid", "partial", "failed", "interrupted", "running"])
def test_a_run_in_any_other_state_does_not_count_and_says_why(state):
    runs = made.runs(made.run(state=state) | {"score_valid": True})
    assert list(runs["counts"]) == [False]
    assert runs["why"][0]


def test_a_run_that_the_benchmark_marked_never_counts_whatever_its_state_says():
    runs = made.runs(made.run() | {"score_valid": "False"})
    assert list(runs["state"]) == ["invalid"]
    assert list(runs["counts"]) == [False]


def test_the_benchmarks_own_reason_is_given_with_the_phase_and_its_time():
    runs = made.runs(made.invalid(phase="ior-hard-write"))
    reason = "Runtime is smaller than expected minimum runtime: ior-hard-write (12.5 s)"
    assert runs["why"][0] == reason


def test_a_failed_run_says_in_which_phase_and_with_which_error():
    row = made.failed(last_phase="mdtest-hard-write", evidence="ERROR rank 3: ENOSPC")
    why = made.runs(made.run(), row)["why"][1]
    assert (
        why == "failed in mdtest-hard-write; 0 of 12 scored phases measured; ERROR rank 3: ENOSPC"
    )


def test_a_run_with_a_phase_missing_or_zero_does_not_count():
    score = {"score_total": 3.0}  # as versions print it that leave out what is missing
    runs = made.runs(made.run(ior_easy_read=None) | score, made.run(find=0.0) | score)
    assert list(runs["counts"]) == [False, False]
    assert "11 of 12" in runs["why"][0]
    assert "without find" in runs["why"][1]


def test_a_run_of_which_the_table_does_not_say_whether_it_is_valid_does_not_count():
    row = {k: v for k, v in made.run().items() if k not in ("score_valid", "state")}
    runs = made.runs(row)
    assert list(runs["state"]) == ["unknown"]
    assert list(runs["counts"]) == [False]
    assert runs["why"][0] == "the table does not say whether it is valid"


def test_a_run_without_a_score_does_not_count():
    runs = made.runs(made.run() | {"score_total": None})
    assert list(runs["counts"]) == [False]
    assert runs["why"][0] == "it has no score"


def test_without_a_state_column_the_numbers_tell_the_state():
    rows = [made.run(), made.invalid(), made.run(ior_easy_read=None), made.failed()]
    runs = made.runs(*({k: v for k, v in row.items() if k != "state"} for row in rows))
    assert list(runs["state"]) == ["complete", "invalid", "partial", "failed"]


def test_a_contradicted_label_makes_a_run_suspect_and_it_still_counts():
    runs = made.runs(made.run() | {"warnings": "declared local, but /scratch is an nfs4 mount."})
    assert list(runs["counts"]) == [True]
    assert runs["suspect"][0] == "declared local, but /scratch is an nfs4 mount"


def test_a_printed_total_that_is_the_product_is_suspect():
    row = made.run(rate=2.0)
    row["score_total"] = row["score_bandwidth"] * row["score_iops"]
    assert "is not the root of bandwidth x IOPS" in made.runs(row)["suspect"][0]


def test_a_read_faster_than_the_wire_is_suspect_on_networked_storage_only():
    fast = {"ior_easy_read": 5.0, "network_speed": "10Gbps", "rate": 0.5}
    runs = made.runs(made.run("nfs/hdd", **fast), made.run("local/ssd", **fast))
    assert runs["suspect"][0] == "ior-easy-read faster than the network link: read from a cache"
    assert runs["suspect"][1] == ""


def test_of_many_reasons_with_numbers_the_usual_one_is_given_without_them():
    row = made.invalid(phase="ior-easy-write") | {
        "ior_easy_write_reasons": "Write phase needed 0.43s instead of stonewall 2s;"
        " Runtime is smaller than expected minimum runtime",
        "find_valid": False,
        "find_reasons": "Runtime is smaller than expected minimum runtime",
    }
    why = made.runs(row)["why"][0]
    reason = "Runtime is smaller than expected minimum runtime"
    assert why == f"{reason}: ior-easy-write (12.5 s), find (60.0 s)"
