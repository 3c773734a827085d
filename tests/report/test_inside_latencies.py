"""The histograms that the report takes of a run's record: whole, short, or none."""

import csv
import json

import pytest

from hpc_disk_bench.report.inside import latencies
from tests.support import records


@pytest.fixture
def made(tmp_path):
    """made(edit): the histograms of a made record, after edit(rows of histogram.csv)."""

    def make(edit=lambda rows: rows):
        records.write(tmp_path, seconds=30)
        path = tmp_path / "histogram.csv"
        with open(path, newline="") as file:
            rows = edit(list(csv.reader(file)))
        with open(path, "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        return latencies.histograms(tmp_path, latencies.percentiles(tmp_path))

    return make


def test_a_histogram_has_the_operations_of_each_class_of_latency(made):
    phase, operation, first, counts = made()[0]
    assert (phase, operation) == ("ior-easy-write", "write")
    assert 2 ** (first / 16) <= 1e6 < 2 ** ((first + 1) / 16)  # ns
    assert sum(counts) == 30_000
    found = {k: count for k, count in enumerate(counts) if count}
    assert found == {0: 15_000, 16: 13_500, 32: 1_200, 48: 270, 64: 30}


def test_a_run_of_all_phases_takes_few_bytes_of_the_page(made):
    whole = made()
    assert len(whole) == 12
    # The widest there can be: from 100 ns to 100 s, an operation or more in every class.
    wide = [*whole[0][:2], 106, [999_999] * 479]
    assert len(json.dumps([wide] * 12, separators=(",", ":"))) < 50_000


@pytest.mark.parametrize(
    "edit",
    [
        lambda rows: [*rows[:1], *rows[2:]],
        lambda rows: [*rows, rows[1]],
        lambda rows: [rows[0], [*rows[1][:4], "?"], *rows[2:]],
        lambda rows: [rows[0], [*rows[1][:2], "", *rows[1][3:]], *rows[2:]],
        lambda rows: [rows[0], [*rows[1][:2], "-1", *rows[1][3:]], *rows[2:]],
        lambda rows: [rows[0], [*rows[1][:2], "1e300", *rows[1][3:]], *rows[2:]],
        lambda rows: [rows[0], *([*row[:4], f"-{row[4]}"] for row in rows[1:6]), *rows[6:]],
    ],
)
def test_one_that_does_not_add_up_or_is_no_histogram_is_left_out_alone(made, edit):
    assert [phase for phase, *_ in made(edit)] == [phase for phase, *_ in made()][1:]


@pytest.mark.parametrize("rows", [[], [["phase", "operation"]], [["\x00"]]])
def test_a_strange_file_has_none(made, rows):
    assert made(lambda _: rows) == []


def test_a_run_of_an_engine_that_wrote_none_has_none(tmp_path):
    records.write(tmp_path)
    (tmp_path / "histogram.csv").unlink()
    known = latencies.percentiles(tmp_path)
    assert len(known) == 12
    assert latencies.histograms(tmp_path, known) == []
