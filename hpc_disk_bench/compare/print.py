"""Tables of text: columns wide enough, numbers to the right, nothing but words."""

from __future__ import annotations

from hpc_disk_bench.report import units


def lines(header, rows):
    """The lines of a table. Cells are text; those that begin with a digit stand to the right."""
    table = [header, *rows]
    widths = [max(len(row[k]) for row in table) for k in range(len(header))]
    right = [k > 0 and any(row[k][:1].isdigit() for row in rows) for k in range(len(header))]
    for row in table:
        cells = [
            f"{cell:>{width}}" if at_right else f"{cell:<{width}}"
            for cell, width, at_right in zip(row, widths, right, strict=True)
        ]
        yield "  ".join(cells).rstrip()


def number(value):
    return units.number(value).replace(units.THIN_SPACE, ",")


def interval(spread):
    """0.71 to 0.83, or nothing where that cannot be said."""
    if not spread.decidable:
        return ""
    return f"{number(spread.low)} to {number(spread.high)}"


def runs(count):
    return f"{count} run{'s' * (count != 1)}"
