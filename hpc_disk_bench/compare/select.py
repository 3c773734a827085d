"""Which runs are meant: SOURCE[:CONDITIONS] as a frame of the report's, one row a run."""

from __future__ import annotations

import difflib
import io
import os
import re
import stat
from pathlib import Path

import pandas as pd

from hpc_disk_bench.commandline import mode_of
from hpc_disk_bench.errors import UserError
from hpc_disk_bench.report import load, table_file
from hpc_disk_bench.table_columns import NODE
from hpc_disk_bench.table_csv import Wide
from hpc_disk_bench.table_records import read
from hpc_disk_bench.table_scan import scan

SHORT = {
    "cluster": "cluster_name",
    "node": "node_name",
    "storage": "storage_type",
    "volume": "storage_volume",
    "device": "device_type",
    "ranks": "num_procs",
    "config": "config_file",
}

SINCE, UNTIL = ("from", "after"), ("until", "before")
FORMS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y.%m.%d-%H.%M.%S")
MOST_VALUES = 8  # that are offered where a condition leaves no run
CONDITION = re.compile(r"(?P<key>[A-Za-z]\w*)=(?P<value>.*)")
HELP = """\
runs:
  SOURCE[:KEY=VALUE[,KEY=VALUE...]]
  SOURCE   a table (aggregated_results.csv), a results tree, a part of one, or one run's directory
  KEY      cluster, node, storage, volume, device, ranks, engine, config, or any column of the table
           from, until: dates as 2026-03-01 or 2026-03-01T14:00, from inclusive, until exclusive
"""


def select(text):
    """The runs that `text` names, in the order of their start; UserError where there is none."""
    source, conditions = _parsed(text)
    mode = mode_of(source)
    if mode is None:
        raise UserError(f"{source}: no such table or directory; a table is made {table_file.MAKE}")
    runs = _of_tree(Path(source)) if stat.S_ISDIR(mode) else load.alone(source)
    if runs.empty:
        raise UserError(f"{text}: no run: the table has a header alone")
    for key, value in conditions:
        left = _where(runs, key, value, text)
        if left.empty:
            raise UserError(f"{text}: no run {_there_are(runs, key, value)}")
        runs = left
    return runs.sort_values("started", kind="stable")


def moment(text, where):
    """A date as the user wrote it."""
    for form in FORMS:
        try:
            return pd.to_datetime(text, format=form)
        except ValueError:
            continue
    raise UserError(f"{where}: '{text}' is no date: write 2026-03-01 or 2026-03-01T14:00")


def _parsed(text):
    """(source, [(key, value)]): what comes after the last colon, if all of it are conditions."""
    source, colon, rest = text.rpartition(":")
    if not colon or os.path.exists(text):
        return text, []
    parts = [CONDITION.fullmatch(part) for part in rest.split(",")]
    if all(parts):
        return source, [(part["key"], part["value"]) for part in parts]
    if "=" in rest:
        raise UserError(f"{text}: '{rest}' is no list of conditions: write KEY=VALUE,KEY=VALUE")
    return text, []


def _where(runs, key, value, text):
    if key in SINCE:
        return runs[runs["started"] >= moment(value, text)]
    if key in UNTIL:
        return runs[runs["started"] < moment(value, text)]
    column = SHORT.get(key, key)
    if column not in runs.columns:
        known = ", ".join([*SHORT, "engine", "from", "until"])
        raise UserError(f"{text}: there is no '{key}' to select by: {known}, or a column's name")
    cells = runs[column]
    if pd.api.types.is_numeric_dtype(cells) and not pd.api.types.is_bool_dtype(cells):
        try:
            return runs[cells == float(value)]
        except ValueError as error:
            raise UserError(f"{text}: '{value}' is no number, {key} is one") from error
    return runs[cells.astype(str).str.lower() == value.lower()]


def _there_are(runs, key, value):
    """What may have been meant: values near `value`, else some of those that `runs` have."""
    if key in (*SINCE, *UNTIL):
        days = [f"{day:%Y-%m-%d}" for day in runs["started"].agg(["min", "max"]).dropna()]
        return f"{key} {value}: they are of {' to '.join(dict.fromkeys(days)) or 'unknown dates'}"
    known = sorted(runs[SHORT.get(key, key)].dropna().unique())
    known = [f"{one:g}" if isinstance(one, float) else str(one) for one in known if one != ""]
    near = difflib.get_close_matches(value, known)
    shown = near or known[:MOST_VALUES]
    words = "did you mean" if near else "there are"
    more = f" and {len(known) - MOST_VALUES} more" if len(known) > MOST_VALUES and not near else ""
    return f"with {key}={value}: {words} {', '.join(shown) or 'none that say it'}{more}"


def _of_tree(directory):
    """The runs below a directory, with what the tree above it knows of their node."""
    root = next(
        (above for above in (directory, *directory.absolute().parents) if (above / NODE).is_file()),
        directory,
    )
    below = os.path.join(os.path.realpath(directory), "")
    found = scan(os.path.realpath(root))
    found = found._replace(
        runs=[run for run in found.runs if os.path.join(run.path, "").startswith(below)]
    )
    table = read(found, Wide, lambda run: None)
    if not table.records:
        raise UserError(f"{directory}: no run with results below it")
    content = b"".join(Wide.lines(table.records))
    return load.prepare(pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False))
