"""A finished run's telemetry for other tools: OpenMetrics text, or InfluxDB's line protocol."""

import csv
import itertools
import os
import sys

from hpc_disk_bench.commandline import Parser, output_file
from hpc_disk_bench.errors import DONE, UserError
from hpc_disk_bench.files import beside
from hpc_disk_bench.telemetry.columns import FILE, NAMES, TEXTS
from hpc_disk_bench.telemetry.prometheus import (
    MEASURED,
    PHASE,
    PHASE_HELP,
    PREFIX,
    escape,
    labels_of,
    series,
)

DESCRIPTION = "Write telemetry.csv of a run for those who keep such series elsewhere."
EPILOG = """\
formats:
  openmetrics   for Prometheus: promtool tsdb create-blocks-from openmetrics FILE DIRECTORY
  influx        InfluxDB's line protocol, time stamps in nanoseconds

Exit codes: 0 done, 2 usage, or a run without telemetry.
"""


def main(arguments):
    """export_telemetry.py; returns the exit code."""
    options = _arguments(arguments)
    rows = read(options.run)
    labels = labels_of(options.run)
    lines = FORMATS[options.format](rows, labels)
    if options.output:
        try:
            with beside(output_file(options.output)) as file:
                file.writelines(f"{line}\n".encode() for line in lines)
        except OSError as error:
            raise UserError(f"{options.output}: cannot be written: {error.strerror}") from error
    else:
        sys.stdout.writelines(f"{line}\n" for line in lines)
    return DONE


def read(run):
    """The rows of a run's telemetry.csv as dictionaries, in time's order; empty cells left out.

    UserError where there is none, or a line that cannot be understood.
    """
    path = os.path.join(run, FILE)
    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            names = next(lines, [])
            if "time_epoch" not in names or "node" not in names:
                raise UserError(f"{path}:1: no telemetry: the columns time_epoch, node are missing")
            rows = [_row(path, lines.line_num, names, cells) for cells in lines]
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{path}: not a table of telemetry: {error}") from error
    return sorted(filter(None, rows), key=lambda row: row["time_epoch"])


def _row(path, number, names, cells):
    if len(cells) != len(names):
        # A node that lost its power may have left half a line; anything else is no table of ours.
        return None
    try:
        return {
            name: cell if name in TEXTS else float(cell)
            for name, cell in zip(names, cells)
            if cell and name in NAMES
        }
    except ValueError as error:
        raise UserError(
            f"{path}:{number}: {error}: restore the file or leave the run out"
        ) from error


def openmetrics(rows, labels):
    """The lines of an OpenMetrics exposition with time stamps."""
    for column in MEASURED:
        name = PREFIX + column.name
        found = [row for row in rows if column.name in row]
        if not found:
            continue
        yield f"# HELP {name} {escape(column.meaning)} ({column.unit})"
        yield f"# TYPE {name} gauge"
        # All points of a series together, as the format demands.
        for row in sorted(found, key=_node):
            yield f"{name}{{{series(labels, row)}}} {row[column.name]:.10g} {row['time_epoch']:.3f}"
    yield from _phases(rows, labels)
    yield "# EOF"


def _phases(rows, labels):
    """The phases as series: 1 in each row of the phase, 0 in the next row of the node."""
    points = []
    for _, of_node in itertools.groupby(sorted(rows, key=_node), _node):
        before = None
        for row in of_node:
            phase = row.get("phase")
            if before and before != phase:
                points.append((series(labels, row, before), 0, row["time_epoch"]))
            if phase:
                points.append((series(labels, row, phase), 1, row["time_epoch"]))
            before = phase
    if points:
        yield PHASE_HELP
        yield f"# TYPE {PHASE} gauge"
    for text, value, when in sorted(points, key=lambda point: point[0]):
        yield f"{PHASE}{{{text}}} {value} {when:.3f}"


def _node(row):
    return row.get("node", "")


def influx(rows, labels):
    """The lines of InfluxDB's line protocol, one a row."""
    for row in rows:
        marks = {**labels, "node": row.get("node"), "phase": row.get("phase")}
        tags = "".join(f",{key}={_tag(value)}" for key, value in sorted(marks.items()) if value)
        fields = ",".join(
            f"{column.name}={row[column.name]:.10g}" for column in MEASURED if column.name in row
        )
        if fields:
            yield f"hpc_disk_bench{tags} {fields} {round(row['time_epoch'] * 1000)}000000"


FORMATS = {"openmetrics": openmetrics, "influx": influx}


def _tag(value):
    for character in ",= ":
        value = value.replace(character, "\\" + character)
    return value


def _arguments(arguments):
    parser = Parser("export_telemetry.py", DESCRIPTION, EPILOG)
    parser.add_argument("run", help="directory of the run")
    parser.add_argument("--format", choices=FORMATS, default="openmetrics")
    parser.add_argument("-o", "--output", metavar="FILE", help="instead of stdout")
    return parser.parse_args(arguments)
