"""Reads the file of a table, whole or not at all: what is cut, damaged or another's is no data."""

from __future__ import annotations

import csv
import sys

from hpc_disk_bench.errors import UserError

MAKE = "with ./aggregate_results.py (make aggregate)"
IDENTIFYING = "node_name"  # the least that a table cut to what interests somebody has

csv.field_size_limit(sys.maxsize)  # evidence may be long; what bounds a cell is its table


def read(path):
    """(names of the columns, rows of cells as text) of the table at `path`; a UserError in one
    line where it is none, or where a row has not as many fields as there are columns."""
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            return _read(path, file)
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such table; make it {MAKE}") from error
    except IsADirectoryError as error:
        raise UserError(
            f"{path}: a directory, not a table: name the table in it,"
            f" or make one with ./aggregate_results.py {path}"
        ) from error
    except UnicodeDecodeError as error:
        reason = " ".join(str(error).split())
        raise UserError(f"{path}: not a table of comma-separated values: {reason}") from error
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error


def _read(path, file):
    reader, rows, header, begun = csv.reader(file, strict=True), [], None, 1
    try:
        for row in reader:
            if header is None:
                header = _header(path, row)
            elif len(row) == len(header):
                rows.append(row)
            elif "".join(row).strip():
                raise _damaged(path, begun, f"{len(row)} of {len(header)} fields")
            begun = reader.line_num + 1
    except csv.Error as error:
        raise _damaged(path, begun, error) from error
    if header is None:
        raise UserError(f"{path}: empty; make it again {MAKE}")
    return header, rows


def _header(path, row):
    if not "".join(row).strip():
        return None
    if IDENTIFYING not in row:
        raise UserError(
            f"{path}: not a table of aggregate_results.py (no column {IDENTIFYING}); make it {MAKE}"
        )
    return row


def _damaged(path, line, what):
    return UserError(f"{path}:{line}: {what}: the table is cut or damaged; make it again {MAKE}")
