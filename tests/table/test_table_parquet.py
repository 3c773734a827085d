"""--parquet has what the CSV has, with types."""

import csv
import io
import math

import pytest

from hpc_disk_bench import table_columns
from hpc_disk_bench.table_csv import unguarded
from tests.support import trees

parquet = pytest.importorskip("pyarrow.parquet", reason="no pyarrow: scripts/setup.sh parquet")


def as_text(value):
    if isinstance(value, float):
        return repr(value)
    return "" if value is None else str(value)


@pytest.mark.parametrize("form", [[], ["--long"]])
def test_every_cell_is_that_of_the_csv(tmp_path, aggregate, change, form):
    root = trees.write_tree(tmp_path / "io500_results", trees.mixed_runs(40, seed=1))
    results = sorted(root.rglob("results.json"))
    extra = {"value": 2.5, "unit": "kIOPS", "time": 3.0, "valid": False, "reasons": ["=1+1", "a"]}
    change(results[0], **{"find-hard": extra, "tomorrow": extra})
    metadata = results[1].with_name("run_metadata.json")
    change(metadata, test_dir="=cmd|'\n,\" Ä'", job_id="'@x", node_name="007", engine="NA")
    assert aggregate(*form, "io500_results", "t.csv").returncode == 0
    assert aggregate(*form, "--parquet", "io500_results", "t.parquet").returncode == 0
    text = (tmp_path / "t.csv").read_text("utf-8")
    expected = [*csv.DictReader(io.StringIO(text, newline=""))]
    table = parquet.read_table(tmp_path / "t.parquet")
    assert table.column_names == list(expected[0])
    for got, row in zip(table.to_pylist(), expected, strict=True):
        for name, cell in row.items():
            if isinstance(got[name], float):
                assert math.isclose(got[name], float(cell), rel_tol=0)
            else:
                assert as_text(got[name]) == unguarded(cell)


def test_types_and_units_do_not_depend_on_the_runs(tmp_path, aggregate, tree):
    tree({"state": "failed", "failed_at": "ior-easy-write"})
    aggregate("--parquet")
    schema = parquet.read_schema(tmp_path / "aggregated_results.parquet")
    types = {"text": "string", "number": "double", "true/false": "bool"}
    columns = table_columns.wide_columns()
    assert [(field.name, str(field.type)) for field in schema] == [
        (column.name, types[column.kind]) for column in columns
    ]
    assert schema.field("ior_easy_write_value").metadata == {b"unit": b"GiB/s"}
