"""Writes rows as CSV: wide (one line a run) or long (one line a figure), the same bytes every time.

Text comes from result files and metadata, so it is data, also to a spreadsheet: where a text cell
would start a formula, an apostrophe stands before it (`unguarded` takes it away again). Numbers are
written as they were read and never touched.
"""

from __future__ import annotations

import csv
import re
from functools import lru_cache

from hpc_disk_bench.table_columns import BASE, LONG, TEXT, phase_order, score_order, wide_columns

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")
# What UTF-8 cannot hold, or most readers of CSV do not take.
_NOT_TEXT = re.compile("[\0\ud800-\udfff]")


@lru_cache(1 << 16)  # units, names and versions stand in every row
def guarded(text):
    """`text` as a CSV cell that no spreadsheet takes for a formula."""
    text = _NOT_TEXT.sub(lambda match: ascii(match.group())[1:-1], text)
    return "'" + text if _FORMULA.match(text) else text


def unguarded(text):
    """What `guarded` was given."""
    return text[1:] if _GUARDED.match(text) else text


def wide(rows):
    """The wide table of `rows`, as lines of CSV in bytes."""
    found = {name for row in rows for name in (*row.phases, *row.scores)}
    phases, scores = phase_order(found), score_order(found)
    return _lines(wide_columns(found), (_wide_cells(row, phases, scores) for row in rows))


def long(rows):
    """The tidy table of `rows`, run x phase x metric, likewise."""
    return _lines(LONG, (cells for row in rows for cells in _long_cells(row)))


def _wide_cells(row, phases, scores):
    cells, reasons = list(row.base), []
    measured = [row.phases.get(name) for name in phases]
    for one in measured + [row.scores.get(name) for name in scores]:
        cells += one[:4] if one else _NOTHING
        reasons.append(one.reasons if one and not one.valid else None)
    return cells + reasons


_NOTHING = (None,) * 4
_OF_THE_RUN = [BASE.index(column) for column in LONG if column in BASE]


def _long_cells(row):
    run = [row.base[k] for k in _OF_THE_RUN]
    for name in phase_order(row.phases):
        phase = row.phases.get(name)
        if phase is None:
            continue
        metric = "bandwidth" if phase.unit == "GiB/s" else "rate"
        ending = (phase.valid, None if phase.valid else phase.reasons)
        yield [*run, name, phase.scored, metric, phase.value, phase.unit, *ending]
        yield [*run, name, phase.scored, "time", phase.time, "s", *ending]
    for name, score in row.scores.items():
        units = {"bandwidth": "GiB/s", "iops": "kIOPS", "total": None}
        for metric, unit in units.items():
            value = getattr(score, metric)
            reasons = None if score.valid else score.reasons
            yield [*run, name, True, metric, value, unit, score.valid, reasons]


def _lines(columns, rows):
    texts = [k for k, column in enumerate(columns) if column.kind is TEXT]
    lines = _Lines()
    # With this line end csv quotes a cell that holds either of its signs.
    writer = csv.writer(lines, lineterminator="\r\n")
    writer.writerow(column.name for column in columns)
    for cells in rows:
        for k in texts:
            if cells[k]:
                cells[k] = guarded(cells[k])
        writer.writerow(cells)
    return lines


class _Lines(list):
    """The lines that csv writes, one at a time, as UTF-8 with the line end of other text files."""

    def write(self, line):
        self.append(line[:-2].encode() + b"\n")
