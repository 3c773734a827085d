"""What the report takes of a run's record: points that hide nothing, findings, what is left out."""

import contextlib
import json
import math
import re

import numpy as np
import pytest

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.report import load
from hpc_disk_bench.report.charts import Missing
from hpc_disk_bench.report.inside import bins, record, section
from tests.support import records
from tests.support import report_tables as made


@pytest.fixture
def coded(tmp_path):
    """coded(points, ...): a made record as the page gets it."""

    def make(points=300, **more):
        records.write(tmp_path, **more)
        return record.coded(record.read(tmp_path), points)

    return make


@pytest.fixture
def runs_of(tmp_path):
    """runs_of(count, ...): a table of runs, each with a record in its directory."""

    def make(count, with_record=lambda k: True, **more):
        rows = [made.run("nfs/nfs7/hdd", f"n{k % 3}") for k in range(count)]
        for k, row in enumerate(rows):
            directory = tmp_path / row["run_dir"]
            directory.mkdir(parents=True)
            (directory / "run_metadata.json").write_text("{}")
            if with_record(k):
                records.write(directory, seed=k, **more)
        return load.table(made.write(tmp_path / "table.csv", *rows))

    return make


def embedded(markup):
    text = re.search(r'id="hdb-inside-data">(.*?)</script>', markup, re.DOTALL)[1]
    return json.loads(text)


def test_fewer_points_keep_the_lowest_and_the_highest_second():
    values = np.array([5.0, 7, 1, 6, 9, 5, 5])
    assert bins.medians(values, 3) == [5, 6, 5]
    assert bins.lowest(values, 3) == [1, 5, 5]
    assert bins.highest(values, 3) == [7, 9, 5]
    assert bins.middles(np.arange(7), np.ones(7), 3) == [1.5, 4.5, 6.5]


def test_what_is_not_known_stays_unknown_and_numbers_are_short():
    assert bins.medians([math.nan, math.nan, 2, 4], 2) == [None, 3]
    assert bins.rounded([1234.567, 0.00012345678, math.inf]) == [1235, 0.0001235, None]
    assert bins.middles([], [], 3) == []


def test_a_phase_has_no_more_points_than_it_may_and_shows_its_extremes(coded):
    fine, coarse = coded(300, seconds=200), coded(50, seconds=200)
    for whole, part in zip(fine["phases"], coarse["phases"], strict=True):
        assert len(part["x"]) == len(part["rate"]) == 50
        assert part["per"] == 4
        assert max(part["high"]) == max(whole["rate"])
        assert min(part["low"]) == min(whole["rate"])
        assert "low" not in whole
        assert max(part.get("p99", [0])) == max(whole.get("p99", [0]))


def test_rates_latencies_and_nodes_have_the_units_that_the_page_draws(coded):
    made_ = coded(hosts=("a", "b"))
    write, create = made_["phases"][:2]
    assert (write["name"], write["unit"]) == ("ior-easy-write", "bytes/s")
    assert write["rate"][0] == pytest.approx(1024, rel=0.15)  # MiB/s
    assert create["rate"][0] == pytest.approx(20_000, rel=0.15)
    assert write["p50"][0] == pytest.approx(1000, rel=0.15)  # microseconds
    assert create["at"] == 62
    assert [node["name"] for node in made_["nodes"]["cpu"]] == ["a", "b"]
    assert set(made_["nodes"]["cpu"][0]["busy"]) == {50}
    dirty = max(made_["nodes"]["dirty"]["dirty"])
    assert dirty == pytest.approx(2 * 8 * 1024, rel=0.001)  # MiB, of both nodes
    assert made_["nodes"]["traffic"]["source"] == "block device"
    assert set(made_["nodes"]["traffic"]["written"]) == {400}


def test_samples_stand_at_the_second_of_the_phase_that_they_speak_of(coded):
    nodes = coded(seconds=30)["nodes"]
    assert nodes["cpu"][0]["x"][:3] == [0.5, 1.5, 2.5]


def test_find_has_a_rate_but_no_latency(coded):
    find = next(phase for phase in coded()["phases"] if phase["name"] == "find")
    assert find["rate"]
    assert "p50" not in find


def test_findings_name_their_phase_and_second(coded):
    found = {kind: (phase, at) for phase, kind, _, _, at, _ in coded()["findings"]}
    assert found == {"cache-fill": (0, pytest.approx(records.DROP_AT, abs=1)),
                     "straggler": (1, None)}  # fmt: skip


def test_many_nodes_are_their_mean_and_many_ranks_groups_with_their_latest(coded):
    made_ = coded(hosts=tuple(f"h{k}" for k in range(6)), per_host=30)
    assert [node["name"] for node in made_["nodes"]["cpu"]] == ["6 nodes"]
    ranks = made_["ranks"]
    assert len(ranks["names"]) == 60
    assert ranks["names"][0] == "0 to 2"
    assert ranks["last"][1][0] == 60  # the late one among them
    assert set(ranks["last"][1][1:]) == {36}


def test_without_telemetry_and_ranks_the_series_are_still_there(tmp_path):
    records.write(tmp_path, telemetry=False)
    (tmp_path / "ranks.csv").unlink()
    (tmp_path / "latency.csv").unlink()
    made_ = record.coded(record.read(tmp_path), 300)
    assert len(made_["phases"]) == 12
    assert (made_["nodes"], made_["ranks"], made_["latencies"]) == ({}, {}, [])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "phase\n",
        "\x00\x01",
        records.SERIES + "\n",
        records.SERIES + "\nior,write,a,b,c,d,e,f\n",
    ],
)
def test_a_strange_record_is_none(text, tmp_path):
    (tmp_path / "timeseries.csv").write_text(text)
    read = None
    with contextlib.suppress(UserError):
        read = record.read(tmp_path)
    assert read is None


def test_cells_of_a_record_that_are_no_numbers_are_unknown(tmp_path):
    records.write(tmp_path, seconds=30)
    for name in ("timeseries.csv", "ranks.csv", "latency.csv", "histogram.csv", "telemetry.csv"):
        lines = (tmp_path / name).read_text().splitlines()
        for k in range(1, len(lines), 7):
            cells = lines[k].split(",")
            strange = ("?", "", "inf", "-1", "nan")[k % 5]
            lines[k] = ",".join(cells[:3] + [strange] * (len(cells) - 3))
            if name != "timeseries.csv":
                lines[k] = f",{lines[k].partition(',')[2]}"
        (tmp_path / name).write_text("\n".join(lines)[:-9])
    made_ = record.coded(record.read(tmp_path), 300)
    json.dumps(made_, allow_nan=False)
    assert len(made_["phases"]) >= 11


def test_the_newest_runs_are_offered_and_the_caption_says_how_many_are_not(runs_of, monkeypatch):
    monkeypatch.setattr(section, "MOST_RUNS", 2)
    markup = section.section(runs_of(4, with_record=lambda k: k != 3, seconds=20))
    assert [run["run"] for run in embedded(markup)["runs"]] == [2, 1]
    assert "2 runs of 4 with a record within reach, the newest; 1 older" in markup


def test_more_runs_have_fewer_points_and_stay_within_their_bytes(runs_of, monkeypatch):
    runs = runs_of(3, seconds=200)
    fine = embedded(section.section(runs))["runs"]
    assert len(fine[0]["phases"][0]["x"]) == 200
    monkeypatch.setattr(section, "MOST_BYTES", 150_000)
    markup = section.section(runs)
    assert len(markup) < 170_000
    coarse = embedded(markup)["runs"]
    assert len(coarse) == 3
    assert len(coarse[0]["phases"][0]["x"]) < 200
    monkeypatch.setattr(section, "MOST_BYTES", 30_000)
    assert [run["run"] for run in embedded(section.section(runs))["runs"]] == [2]


def test_a_full_section_of_long_runs_takes_two_megabytes(tmp_path):
    records.write(tmp_path, seconds=900, hosts=("a", "b", "c", "d"), per_host=20)
    one = record.read(tmp_path)
    shown, points = section._fitting([(k, one) for k in range(section.MOST_RUNS)])
    assert len(json.dumps([run for _, run in shown], separators=(",", ":"))) < 2.1e6
    assert len(shown) == section.MOST_RUNS
    assert points >= 75


def test_without_any_record_a_sentence_says_what_writes_one(runs_of):
    said = section.section(runs_of(1, with_record=lambda k: False))
    assert isinstance(said, Missing)
    assert "The embedded engine writes it" in said.sentence
    assert isinstance(section.section(made.runs().iloc[:0]), Missing)


def test_a_record_that_cannot_be_read_is_named_and_the_others_are_shown(runs_of, tmp_path):
    runs = runs_of(2, seconds=20)
    next(tmp_path.glob("**/n1/**/timeseries.csv")).write_text("a,b\n1,2\n")
    markup = section.section(runs)
    assert [run["run"] for run in embedded(markup)["runs"]] == [0]
    assert "1 record could not be read" in markup
    assert "columns" in markup


def test_names_in_a_record_cannot_end_the_script(runs_of):
    name = "ior-</script><img src=x>`"
    markup = section.section(runs_of(1, seconds=20, phases=("ior-easy-write", name)))
    assert markup.count("</script>") == 1
    assert "<img" not in markup
    assert "`" not in markup
    assert embedded(markup)["runs"][0]["phases"][1]["name"] == name
