"""The table as Parquet, made from its CSV: the same rows, with types and without guards.

Number columns are float64 (whole ones as well: what is empty today may not be tomorrow, and a type
must not change with the tree), true/false is bool, everything else text; empty cells are null. Each
column carries its unit as metadata.
"""

from __future__ import annotations

import csv
import io

import pyarrow as pa
from pyarrow import compute, parquet
from pyarrow import csv as arrow_csv

from hpc_disk_bench.table_columns import NUMBER, TEXT, TRUTH, column_of

TYPES = {TEXT: pa.string(), NUMBER: pa.float64(), TRUTH: pa.bool_()}
# As table_csv.unguarded has it.
_GUARD, _WITHOUT = r"^'('*[=+\-@\t\r])", r"\1"


def from_csv(content, known):
    """The Parquet file of a table in CSV (bytes); known: the columns that every such table has."""
    names = next(csv.reader(io.StringIO(content.partition(b"\n")[0].decode())))
    columns = [column_of(name, known) for name in names]
    table = arrow_csv.read_csv(
        io.BytesIO(content),
        parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            column_types={column.name: TYPES[column.kind] for column in columns},
            null_values=[""],
            true_values=["True"],
            false_values=["False"],
            strings_can_be_null=True,
        ),
    )
    fields, arrays = [], []
    for column in columns:
        cells = table[column.name]
        if column.kind is TEXT:
            cells = compute.replace_substring_regex(cells, _GUARD, _WITHOUT)
        arrays.append(cells)
        fields.append(pa.field(column.name, cells.type, metadata={"unit": column.unit}))
    schema = pa.schema(fields)
    out = io.BytesIO()
    parquet.write_table(pa.Table.from_arrays(arrays, schema=schema), out, compression="zstd")
    return out.getvalue()
