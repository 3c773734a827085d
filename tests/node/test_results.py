"""The result files of one run together: reasons, lost and broken-off summaries, doubtful scores."""

import json
import shutil

import pytest

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.result_file import parse_result_file
from hpc_disk_bench.results import load
from hpc_disk_bench.score import doubts
from hpc_disk_bench.summary import parse_summary

TOO_SHORT = "Runtime is smaller than expected minimum runtime"


@pytest.fixture
def copied(recorded, tmp_path):
    """A function: a writable copy of a recorded run."""

    def copy(name):
        return shutil.copytree(recorded(name), tmp_path / name, copy_function=shutil.copyfile)

    return copy


def test_a_valid_run_is_valid_and_nothing_is_said_about_it(recorded):
    results = load(recorded("valid", "2026.11.20-09.54.40"))
    assert results.valid
    assert (results.notices, results.warnings) == ((), ())
    assert (results.version, results.mode) == ("io500-isc26_v2-26-g02091cf254d8", "standard")
    assert results.phases["ior-easy-write"].value == 0.182456
    assert results.scores["score"].total == 6.927932
    assert results.phases["ior-rnd4K-easy-read"].scored is False
    assert not {"source", "partial"} & set(results.as_json())


def test_every_mark_of_invalidity_is_kept_with_its_reasons(recorded):
    results = load(recorded("invalid")).as_json()
    invalid = {name: entry for name, entry in results.items() if not entry["valid"]}
    assert set(invalid) == {
        *("ior-easy-write", "mdtest-easy-write", "ior-hard-write", "mdtest-hard-write", "score")
    }
    assert results["ior-easy-write"]["reasons"] == [TOO_SHORT]
    assert results["score"]["reasons"] == ["stonewall-time 3s != 300s"]


def test_wrong_data_on_read_is_the_reason_given(recorded):
    phase = load(recorded("wrong-data-read")).phases["ior-easy-read"]
    assert not phase.valid
    reason = "Errors (2) occured during phase in IOR. This invalidates your run."
    assert phase.reasons == (reason,)


def test_an_extended_run_has_both_scores_and_all_its_phases(recorded):
    results = load(recorded("extended"))
    assert results.mode == "extended"
    assert set(results.scores) == {"score", "score_extended"}
    assert results.scores["score_extended"].total == 45.161531
    assert not results.phases["mdworkbench-create"].scored
    assert results.phases["find-hard"].scored
    assert results.warnings == ()


@pytest.mark.parametrize("name", ["invalid", "extended", "wrong-data-read"])
def test_a_lost_summary_is_rebuilt_from_result_txt_with_the_same_figures(copied, recorded, name):
    directory = copied(name)
    (directory / "result_summary.txt").unlink()
    rebuilt, whole = load(directory), load(recorded(name))
    assert rebuilt.source == "result.txt"
    assert rebuilt.as_json()["source"] == "result.txt"
    assert not rebuilt.partial
    assert any("result_summary.txt is missing" in notice for notice in rebuilt.notices)
    assert list(rebuilt.phases) == list(whole.phases)
    for key, phase in whole.phases.items():
        same = rebuilt.phases[key]
        assert same._replace(time=None) == phase._replace(time=None)
        assert same.time == pytest.approx(phase.time, abs=0.001)
    for key, score in whole.scores.items():
        assert rebuilt.scores[key]._replace(steps=None) == score._replace(steps=None)


def test_a_run_that_broke_off_keeps_what_it_measured_and_is_partial(recorded):
    results = load(recorded("aborted"))
    assert results.as_json()["partial"] is True
    assert results.source == "result.txt"
    assert list(results.phases) == ["ior-easy-write", "mdtest-easy-write", "timestamp"]
    assert results.phases["mdtest-easy-write"].value == 16.126356
    assert results.phases["mdtest-easy-write"].reasons[-1] == TOO_SHORT
    assert results.scores == {}
    assert not results.valid


def test_a_summary_without_its_score_is_partial(recorded):
    results = load(recorded("broken-off-summary"))
    assert results.partial
    assert len(results.phases) == 5


def test_a_summary_cut_off_anywhere_never_gives_a_figure_that_was_not_measured(recorded, copied):
    directory = copied("invalid")
    whole = load(recorded("invalid")).as_json()
    text = (directory / "result.txt").read_text()
    (directory / "result_summary.txt").unlink()
    for end in range(0, len(text), 37):
        (directory / "result.txt").write_text(text[:end])
        try:
            results = load(directory).as_json()
        except UserError:
            continue
        for name, entry in results.items():
            if name not in ("source", "partial"):
                figure = "total" if name == "score" else "value"
                assert entry[figure] == whole[name][figure], (end, name)


def test_a_run_of_verbosity_0_is_rebuilt_without_times(copied):
    directory = copied("verbosity-0")
    (directory / "result_summary.txt").unlink()
    phase = load(directory).phases["ior-easy-write"]
    assert (phase.value, phase.time, phase.valid) == (3.057055, None, False)


def test_a_phase_that_was_only_begun_is_not_measured(tmp_path):
    (tmp_path / "result_summary.txt").write_text("")
    (tmp_path / "result.txt").write_text("[run]\nprocs = 2\n\n[ior-easy-write]\nexe = ./ior\n")
    with pytest.raises(UserError, match="the run broke off in ior-easy-write") as caught:
        load(tmp_path)
    assert caught.value.exit_code == 5


def test_a_stonewall_other_than_300_in_a_competition_run_does_not_make_it_invalid(tmp_path):
    (tmp_path / "result.txt").write_text(
        "[run]\n; ERROR INVALID stonewall-time < 30s\n\n[find]\nscore = 2.5\nt_delta = 1.5\n\n"
        "[SCORE]\nMD = 2.5\nBW = 1.0\nSCORE = 1.581139\n"
    )
    results = load(tmp_path)
    assert results.phases["find"].valid
    assert results.scores["score"].valid
    assert results.as_json()["score"] == {
        **{"bandwidth": 1.0, "iops": 2.5, "total": 1.581139, "valid": True}
    }


def test_nan_in_result_txt_is_null_and_not_valid(tmp_path):
    (tmp_path / "result.txt").write_text("[run]\n[find]\nscore = -nan\n\n[SCORE]\nSCORE = nan\n")
    results = load(tmp_path)
    assert results.as_json()["find"] == {
        **{"value": None, "unit": "kIOPS", "time": None, "valid": False}
    }
    assert json.loads(json.dumps(results.as_json(), allow_nan=False))["score"]["total"] is None


def test_a_result_txt_of_another_run_gives_no_reasons(copied, recorded):
    directory = copied("invalid")
    shutil.copyfile(recorded("extended", "result.txt"), directory / "result.txt")
    results = load(directory)
    assert results.phases["ior-easy-write"].reasons == ()
    assert any("is of another run" in notice for notice in results.notices)


def test_the_second_of_two_runs_in_one_result_txt_counts():
    log = parse_result_file("[run]\nversion = a\n[find]\nscore = 1\n[run]\nversion = b\n")
    assert (log.version, log.phases) == ("b", {})


def test_a_result_txt_that_cannot_be_read_costs_only_the_reasons(copied):
    directory = copied("invalid")
    (directory / "result.txt").unlink()
    (directory / "result.txt").mkdir()
    results = load(directory)
    assert results.phases["ior-easy-write"].reasons == ()
    assert any("no reasons are known" in notice for notice in results.notices)
    (directory / "result_summary.txt").write_text("")
    with pytest.raises(UserError, match=r"result\.txt: cannot be read: Is a directory"):
        load(directory)


def test_neither_file_is_an_error_that_names_what_is_missing(tmp_path):
    with pytest.raises(UserError, match=r"no such file, nor a result\.txt or files") as caught:
        load(tmp_path)
    assert caught.value.exit_code == 5


def test_the_recorded_runs_that_completed_keep_every_mark(shared):
    """Against the summaries themselves, read in another way."""
    checked = 0
    for path in sorted(shared("upstream-runs").glob("*/results/**/result_summary.txt")):
        lines = path.read_text().splitlines()
        if not any(line.startswith("[SCORE") for line in lines):
            continue
        marked = {line[8:].split()[0] for line in lines if line.endswith("[INVALID]")}
        marked = {name for name in marked if name != "Bandwidth"}
        results = load(path.parent)
        assert {name for name, phase in results.phases.items() if not phase.valid} == marked
        assert all(results.phases[name].reasons for name in marked), path
        assert results.source == "result_summary.txt"
        checked += 1
    assert checked >= 70


def doubts_of(text):
    summary = parse_summary(text)
    return doubts(summary.phases, summary.scores)


def summary_text(recorded, *names):
    return (recorded(*names) / "result_summary.txt").read_text()


def test_a_score_that_its_phases_do_not_give_is_doubted(recorded):
    text = summary_text(recorded, "invalid")
    assert doubts_of(text) == []
    (doubt,) = doubts_of(text.replace("10.018903", "11.018903"))
    assert doubt == "the printed bandwidth score is 2.85605, its phases give 2.9248"
    (doubt,) = doubts_of(text.replace("TOTAL 37.565544", "TOTAL 37.565644"))
    assert "the printed total is 37.5656" in doubt


def test_a_total_without_the_square_root_is_recognised(recorded):
    text = summary_text(recorded, "invalid").replace("TOTAL 37.565544", "TOTAL 1411.170212")
    (doubt,) = doubts_of(text)
    assert doubt == "the printed total 1411.17 is bandwidth * iops without the square root"


def test_the_score_of_an_extended_run_is_checked_against_all_its_phases(recorded):
    text = summary_text(recorded, "extended")
    assert doubts_of(text) == []
    (score,) = [line for line in text.splitlines() if line.startswith("[SCOREX]")]
    doubted = doubts_of(text.replace(score, score.replace("IOPS 688", "IOPS 988")))
    assert doubted[0] == "the printed extended iops score is 988.009, its phases give 688.009"
    assert doubted[1].startswith("the printed extended total is 45.1615")


def test_a_rate_below_0_is_doubted(recorded):
    text = summary_text(recorded, "invalid").replace(" 2116.031089", "-2116.031089")
    assert "a rate below 0 in find" in doubts_of(text)


def test_a_phase_of_0_is_doubted_though_its_score_is_printed_as_later_versions_do(recorded):
    text = summary_text(recorded, "invalid").replace(" 2116.031089", "0.000000")
    assert any("0 in find" in doubt for doubt in doubts_of(text))


def test_a_run_without_all_scored_phases_is_doubted(recorded):
    (doubt,) = load(recorded("two-phases")).warnings
    assert doubt.startswith("2 of the 12 scored phases: without ior-easy-write")


def test_rounding_to_three_decimals_raises_no_doubt(shared):
    doubtful = {}
    for path in shared("samples").glob("*/result_summary.txt"):
        if found := doubts_of(path.read_text(errors="replace")):
            doubtful[path.parent.name[:2]] = found
    assert sorted(doubtful) == ["01", "02", "03"]  # the three published product totals
    assert all("without the square root" in found[0] for found in doubtful.values())
