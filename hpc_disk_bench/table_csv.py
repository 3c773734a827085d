"""Writes rows as CSV: wide (one line a run) or long (one line a figure), the same bytes every time.

Text comes from result files and metadata, so it is data, also to a spreadsheet: where a text cell
would start a formula, an apostrophe stands before it (`unguarded` takes it away again). Numbers are
written as they were read and never touched.

A run is turned into text as soon as it is read (`render`), before it is known which columns the
whole table has, and the texts are put together at the end (`lines`).
"""

from __future__ import annotations

import re
from itertools import islice

from hpc_disk_bench.table_columns import (
    BASE,
    LATENCIES,
    LONG,
    STANDARD,
    phase_order,
    score_order,
    wide_columns,
)

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")
# What UTF-8 cannot hold, or most readers of CSV do not take.
_NOT_TEXT = re.compile("[\0\ud800-\udfff]")
_SPECIAL = re.compile('[,"\r\n]')
# Between the parts of a run's text. In none of them: a cell shows it as an escape.
BETWEEN = "\0"
# Between the texts of two runs that are kept: no text holds it, for no cell starts with a line end.
NEXT = BETWEEN + "\n"
AT_ONCE = 1000  # runs of a piece of the table


def guarded(text):
    """`text` as a CSV cell that no spreadsheet takes for a formula."""
    text = _NOT_TEXT.sub(lambda match: ascii(match.group())[1:-1], text)
    return "'" + text if _FORMULA.match(text) else text


def unguarded(text):
    """What `guarded` was given."""
    return text[1:] if _GUARDED.match(text) else text


class _Cells(dict):
    """The CSV cell of each text, made once: units, names and versions stand in every row."""

    MOST = 1 << 16

    def __missing__(self, text):
        cell = guarded(text)
        if _SPECIAL.search(cell):
            cell = '"' + cell.replace('"', '""') + '"'
        if len(self) >= self.MOST:
            self.clear()
        self[text] = cell
        return cell


_TEXTS = _Cells()


def _cells(values):
    """`values` as cells with commas between them."""
    return ",".join(
        [
            _TEXTS[value] if value.__class__ is str else "" if value is None else str(value)
            for value in values
        ]
    )


def _header(columns):
    return (_cells([column.name for column in columns]) + "\n").encode()


class Wide:
    """One line a run."""

    name = "wide"
    columns = staticmethod(wide_columns)

    @staticmethod
    def render(row):
        """(text, further): the run's line in five parts, and the cells, reasons and latencies of
        phases and scores that are not in every table, by name; None where it has none."""
        phases, scores = row.phases, row.scores
        parts, reasons, told = [], [], False
        for one in map(phases.get, STANDARD):
            if one is None:
                one = _UNMEASURED
            value, unit, time, valid, why, _, latency = one
            told = told or latency
            if value is None or unit is None or time is None:
                parts.append(_cells(one[:4]))
            else:
                # % takes three fifths of the time an f-string does, and this line is half the work.
                parts.append("%r,%s,%r,%s" % (value, _TEXTS[unit], time, valid))  # noqa: UP031
            reasons.append(_TEXTS[why] if why and not valid else "")
        latencies = _NO_LATENCIES
        if told:
            latencies = ",".join([_latency(phases.get(name)) for name in STANDARD])
        score, why, _ = _figures(scores.get("score"))
        measured = ",".join((_cells(row.base), *parts))
        text = BETWEEN.join((measured, score, ",".join(reasons), why, latencies))
        further = {
            name: _figures(one)
            for found in (phases, scores)
            for name, one in found.items()
            if name not in _ALWAYS
        }
        return text, further or None

    @staticmethod
    def lines(records):
        """The table of `records`, in pieces of bytes."""
        found = {name for record in records for name in record.further or ()}
        yield _header(wide_columns(found))
        texts = (record.text for record in records)
        if found:
            phases = [name for name in phase_order(found) if name in found]
            scores = [name for name in score_order(found) if name in found]
            texts = (_with(record, phases, scores) for record in records)
        yield from pieces(texts)


def _figures(one):
    """The cells of a phase or score, its reasons, and the cells of its latencies."""
    if one is None:
        return _NONE
    reasons = _TEXTS[one.reasons] if one.reasons and not one.valid else ""
    return _cells(one[:4]), reasons, _latency(one)


def _latency(one):
    """The cells of LATENCIES of a phase: of several operations the slowest counts."""
    told = getattr(one, "latency", None)
    if not told:
        return _UNTOLD
    return _cells([max(quantiles[part] for quantiles in told.values()) for part in LATENCIES])


_UNMEASURED = (None,) * 7
_UNTOLD = "," * (len(LATENCIES) - 1)
_NO_LATENCIES = ",".join([_UNTOLD] * len(STANDARD))
_ALWAYS = frozenset((*STANDARD, "score", "timestamp"))
_NONE = (",,,", "", _UNTOLD)


def _with(record, phases, scores):
    """The text of a record with the columns of further `phases` and `scores` put in."""
    measured, score, reasons, why, latencies = record.text.split(BETWEEN)
    further = record.further or {}
    phases = [further.get(name, _NONE) for name in phases]
    scores = [further.get(name, _NONE) for name in scores]
    return ",".join(
        [
            *(measured, *(cells for cells, _, _ in phases)),
            *(score, *(cells for cells, _, _ in scores)),
            *(reasons, *(cell for _, cell, _ in phases)),
            *(why, *(cell for _, cell, _ in scores)),
            *(latencies, *(cells for _, _, cells in phases)),
        ]
    )


def plain(columns, rows):
    """A table of rows of values, in pieces of bytes."""
    yield _header(columns)
    for row in rows:
        yield (_cells(row) + "\n").encode()


def pieces(texts):
    """The lines of `texts`, many at a time, as UTF-8."""
    texts = iter(texts)
    while some := [*islice(texts, AT_ONCE)]:
        yield joined(NEXT.join(some))


def joined(texts):
    """The lines of texts with NEXT between them."""
    return (texts.replace(NEXT, "\n").replace(BETWEEN, ",") + "\n").encode()


_OF_THE_RUN = [BASE.index(column) for column in LONG if column in BASE]


class Long:
    """One line a figure: run x phase x metric."""

    name = "long"

    @staticmethod
    def columns(found=()):
        return LONG

    @staticmethod
    def render(row):
        """(text, None): the lines of the run, without the end of the last."""
        run = _cells([row.base[k] for k in _OF_THE_RUN])
        lines = []
        for name in phase_order(row.phases):
            phase = row.phases.get(name)
            if phase is None:
                continue
            start = f"{run},{_cells((name, phase.scored))}"
            metric = "bandwidth" if phase.unit == "GiB/s" else "rate"
            end = _cells((phase.valid, None if phase.valid else phase.reasons))
            lines.append(f"{start},{metric},{_cells((phase.value, phase.unit))},{end}")
            lines.append(f"{start},time,{_cells((phase.time, 's'))},{end}")
            for operation, quantiles in (phase.latency or {}).items():
                of = f"_{operation}" if len(phase.latency) > 1 else ""
                for part, seconds in quantiles.items():
                    figure = _cells((f"latency_{part}{of}", seconds, "s"))
                    lines.append(f"{start},{figure},{end}")
        for name, score in row.scores.items():
            end = _cells((score.valid, None if score.valid else score.reasons))
            units = {"bandwidth": "GiB/s", "iops": "kIOPS", "total": None}
            for metric, unit in units.items():
                figure = _cells((name, True, metric, getattr(score, metric), unit))
                lines.append(f"{run},{figure},{end}")
        return "\n".join(lines), None

    @staticmethod
    def lines(records):
        """The table of `records`, in pieces of bytes."""
        yield _header(LONG)
        yield from pieces(record.text for record in records if record.text)
