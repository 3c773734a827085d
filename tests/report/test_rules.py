"""Each rule speaks when its condition holds, is silent otherwise, and says how sure it is."""

import pytest

from hpc_disk_bench.report import emit, load, recommendations
from hpc_disk_bench.report.rule import HIGH, LOW, MEDIUM, RULES
from tests.support import report_tables as made
from tests.support.report_cases import TABLES


def advice(identifier, *rows):
    """What the rule `identifier` says about these rows."""
    found = recommendations.find(made.runs(*rows))
    return [advice for rule, advice in found if rule.id == identifier]


def several(storage, rates, node="n1", **more):
    return [made.run(storage, node, rate=rate, **more) for rate in rates]


NEAR_ONE = (0.97, 1.0, 1.03)
STEADY = (1.0, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97)
TRIGGERS = {
    "REC01": [*several("local/ssd", (3, 3.1, 2.9)), *several("nfs/hdd", NEAR_ONE)],
    "REC02": [*several("local/ssd", (3, 3.1, 2.9)), *several("nfs/hdd", NEAR_ONE)],
    "REC03": [*several("local/ssd", (3, 3.1, 2.9)), *several("nfs/hdd", NEAR_ONE)],
    "REC10": several("nfs/hdd", (1.05, 1.06, 1.07)),  # of 1.164 GiB/s
    "REC11": several("nfs/hdd", (0.2, 0.21, 0.22)),
    "REC12": several("nfs/hdd", NEAR_ONE, ior_easy_read=2.0),
    "REC20": [*several("local/ssd", (3, 3.1, 2.9)), *several("local/hdd", NEAR_ONE)],
    "REC21": [*several("nfs/a/ssd", NEAR_ONE), *several("nfs/b/hdd", NEAR_ONE)],
    "REC30": several("nfs/hdd", NEAR_ONE, ior_hard_write=0.05),
    "REC40": [made.run()],
    "REC41": several("local/ssd", (1.0, 1.0, 2.0, 3.0, 4.0)),
    "REC42": [
        made.run("nfs/hdd", f"n{k}", rate=rate) for k, rate in enumerate((0.2, 1.0, 1.0, 1.1))
    ],
    "REC13": several("local/hdd", NEAR_ONE, ior_easy_read=5.0),
    "REC50": [*several("local/ssd", STEADY), *several("local/ssd", [r / 2 for r in STEADY])],
}
SILENT = {
    "REC01": [*several("local/ssd", (1.1, 1.1, 1.1)), *several("nfs/hdd", NEAR_ONE)],
    "REC02": several("local/ssd", (3, 3.1, 2.9)),
    "REC03": [*several("local/ssd", (1.1, 1.1, 1.1)), *several("nfs/hdd", NEAR_ONE)],
    "REC10": several("nfs/hdd", (0.8, 0.8, 0.8)),
    "REC11": several("nfs/hdd", (0.5, 0.5, 0.5)),
    "REC12": several("local/ssd", NEAR_ONE, ior_easy_read=2.0),
    "REC20": [*several("local/ssd", (1.9, 1.9, 1.9)), *several("local/hdd", NEAR_ONE)],
    "REC21": [*several("nfs/a/ssd", (1.5, 1.5, 1.5)), *several("nfs/b/hdd", NEAR_ONE)],
    "REC30": several("nfs/hdd", NEAR_ONE, ior_hard_write=0.2),
    "REC40": several("local/ssd", NEAR_ONE),
    "REC41": several("local/ssd", (1.0, 1.01, 0.99, 1.02)),
    "REC42": [
        made.run("nfs/hdd", f"n{k}", rate=rate) for k, rate in enumerate((0.7, 1.0, 1.0, 1.1))
    ],
    "REC13": several("local/hdd", NEAR_ONE, ior_easy_read=1.2),
    "REC50": [*several("local/ssd", [r / 2 for r in STEADY]), *several("local/ssd", STEADY)],
}


def test_every_rule_has_a_table_that_triggers_it_and_one_that_does_not():
    identifiers = [rule.id for rule in RULES]
    assert len(identifiers) == len(set(identifiers))
    assert set(TRIGGERS) == set(SILENT) == set(identifiers)


@pytest.mark.parametrize("identifier", TRIGGERS)
def test_a_rule_speaks_when_its_condition_holds(identifier):
    (found,) = advice(identifier, *TRIGGERS[identifier])
    assert found.headline
    assert any("threshold" in line or "Fewer than" in line for line in found.numbers)
    assert found.confidence in (HIGH, MEDIUM, LOW)
    assert found.because
    assert set(found.runs) <= {row["run_dir"] for row in TRIGGERS[identifier]}


@pytest.mark.parametrize("identifier", SILENT)
def test_a_rule_is_silent_when_its_condition_does_not_hold(identifier):
    assert advice(identifier, *SILENT[identifier]) == []


@pytest.mark.parametrize("identifier", TRIGGERS)
def test_no_rule_speaks_of_invalid_runs(identifier):
    rows = [row | {"state": "invalid", "score_valid": False} for row in TRIGGERS[identifier]]
    assert advice(identifier, *rows) == []


def test_an_invalid_run_does_not_change_what_is_advised():
    rows = TRIGGERS["REC01"]
    best = made.invalid("nfs/other/ssd", rate=99.0)
    assert advice("REC01", *rows, best) == advice("REC01", *rows)


def test_the_advice_names_the_storage_and_its_numbers():
    (found,) = advice("REC01", *TRIGGERS["REC01"])
    assert found.headline == "Use local/ssd for large files"
    assert found.numbers == [
        "Its median is 3.0 times that of the next; threshold 1.2.",
        "local/ssd: 3.00 GiB/s, n = 3",
        "nfs/hdd: 1.00 GiB/s, n = 3",
    ]


def test_clear_differences_with_three_runs_a_side_are_sure():
    (found,) = advice("REC20", *TRIGGERS["REC20"])
    assert found.confidence == HIGH


def test_two_runs_on_a_side_are_not_decidable():
    rows = [*several("local/ssd", (3.0, 3.1)), *several("local/hdd", NEAR_ONE)]
    (found,) = advice("REC20", *rows)
    assert found.confidence == LOW
    assert "not decidable" in found.because


def test_a_difference_within_the_noise_is_not_sure():
    rows = [*several("local/ssd", (0.5, 2.2, 4.0)), *several("local/hdd", (0.4, 1.0, 3.0))]
    (found,) = advice("REC20", *rows)
    assert found.confidence == LOW
    assert "noise" in found.because


def test_runs_of_different_engines_make_any_comparison_unsure():
    rows = [
        *several("local/ssd", (3, 3.1, 2.9)),
        *several("local/hdd", NEAR_ONE, engine="embedded", engine_version="0.1"),
    ]
    (found,) = advice("REC20", *rows)
    assert found.confidence == LOW
    assert "different engines" in found.because


@pytest.mark.parametrize("identifier", ["REC21", "REC42", "REC50"])
def test_what_compares_runs_of_different_engines_is_never_sure(identifier):
    rows = TRIGGERS[identifier]
    half = len(rows) // 2
    newer = [row | {"engine_version": "io500-isc26"} for row in rows[half:]]
    (same,), (mixed,) = advice(identifier, *rows), advice(identifier, *rows[:half], *newer)
    assert (same.confidence, mixed.confidence) == (HIGH if identifier != "REC42" else LOW, LOW)
    assert "different engines" not in same.because
    assert "different engines" in mixed.because


def test_many_cases_of_one_rule_are_told_together():
    rows = [made.run(f"nfs/v{k}/hdd", rate=0.2) for k in range(12)]
    (found,) = advice("REC11", *rows)
    assert found.headline.endswith("and 11 more")
    assert found.numbers[-1] == "and 4 more"
    assert len(found.runs) == 12


def test_a_node_and_storage_without_a_run_that_counts_has_too_few_of_them():
    rows = [*several("local/ssd", NEAR_ONE), *(made.invalid("nfs/hdd") for _ in range(4))]
    (found,) = advice("REC40", *rows)
    assert found.headline == "Repeat the runs on 1 target of 2"
    assert found.numbers[0].endswith("told from noise: n1 · nfs/hdd (none).")
    assert len(found.runs) == 4


def test_a_slow_node_is_named():
    (found,) = advice("REC42", *TRIGGERS["REC42"])
    assert found.headline.startswith("Look at n0 on nfs/hdd")


def test_where_no_run_counts_there_is_a_sentence_instead():
    section = emit.render(recommendations.section(made.runs(made.invalid())))
    assert "No run counts, so there is no recommendation" in section
    assert "hdb-advice" not in section


@pytest.mark.parametrize("name", TABLES)
def test_the_section_renders_for_every_table(name, table):
    runs = load.table(table(name))
    section = emit.render(recommendations.section(runs))
    assert "<script>alert" not in section
    advised = section.count('class="hdb-advice"')
    assert advised == len(recommendations.find(runs))
    assert (advised > 0) == bool(runs["counts"].any())


def test_the_documentation_lists_the_rules_as_they_are(root):
    text = (root / "docs/report.md").read_text("utf-8")
    assert [line for line in text.splitlines() if line.startswith("| REC")] == [
        f"| {rule.id} | {rule.condition} |" for rule in RULES
    ]
