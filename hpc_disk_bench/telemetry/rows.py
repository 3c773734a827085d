"""Rows of telemetry.csv as text, and back."""

import csv
import io
import os

from hpc_disk_bench.telemetry.columns import NAMES, TEXTS


def line_of(row):
    """One line of CSV; floats with as many digits as a measurement is worth."""
    return _csv(_cell(name, row.get(name)) for name in NAMES)


def header():
    return _csv(NAMES)


def row_of(line):
    """The row that line_of() wrote, or None for anything else."""
    cells = next(csv.reader([line]), [])
    if len(cells) != len(NAMES):
        return None
    row = {}
    try:
        for name, cell in zip(NAMES, cells):
            if cell:
                row[name] = cell if name in TEXTS else float(cell)
    except ValueError:
        return None
    return row


class Table:
    """telemetry.csv while it grows: each line goes to the file whole, whatever becomes of us."""

    def __init__(self, path):
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._file = os.open(path, flags, 0o666)
        if os.fstat(self._file).st_size == 0:
            os.write(self._file, header().encode())

    def add(self, row):
        os.write(self._file, line_of(row).encode("utf-8", "backslashreplace"))


def _cell(name, value):
    if value is None:
        return ""
    if name in TEXTS:
        return value
    if name == "time_epoch":
        return f"{value:.3f}"
    if isinstance(value, float):
        # Whole numbers from a thousand on; four significant digits below.
        return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return str(value)


def _csv(cells):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()
