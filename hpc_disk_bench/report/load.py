"""Reads aggregated_results.csv into a data frame that the rest of the report can rely on.

Every column that the report names exists afterwards, numbers are numbers and flags are flags,
whatever the table lacked. Which runs count is decided here, once, for all figures and tables.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.phases import PHASES, SCORED
from hpc_disk_bench.report import quality, run_files, style, table_file, tidy, units, uses
from hpc_disk_bench.table_columns import LATENCIES
from hpc_disk_bench.table_csv import unguarded

# Text as Python's own strings: with pyarrow installed pandas would keep it otherwise, and the same
# report would then depend on a package that it does not need.
pd.set_option("mode.string_storage", "python")

TABLE_VARIABLE = "IO500_TABLE"
DEFAULT_TABLE = "aggregated_results.csv"

TEXTS = (  # noqa: SIM905
    "cluster_name node_name storage_type storage_volume device_type timestamp test_dir state"
    " run_dir hostname cpu_model network_interface network_speed kernel os engine engine_version"
    " config_file config_sha256 job_id warnings diagnosis last_phase evidence storage_filesystem"
    " storage_source storage_options"
).split()
NUMBERS = (  # noqa: SIM905
    "num_procs node_count ppn start_epoch end_epoch utc_offset_seconds cpu_count cpu_cores"
    " memory_gb storage_size_bytes storage_free_bytes score_bandwidth score_iops score_total"
).split()
FIGURES = ("score_total", *(f"{phase.column}_value" for phase in SCORED))


def raw(path=None):
    """The table at `path` (default: $IO500_TABLE, else aggregated_results.csv here) as text.

    Everything as text: a node named 007 or NA is a name, not a number or a gap.
    """
    path = Path(path or os.environ.get(TABLE_VARIABLE) or DEFAULT_TABLE)
    header, rows = table_file.read(path)
    frame = pd.DataFrame(rows, columns=header, dtype=str)
    # Spreadsheets leave columns without a name; of two with one name the first is meant.
    frame = frame.loc[:, (frame.columns != "") & ~frame.columns.duplicated()]
    frame.attrs["source"] = str(path)
    return frame


def table(path=None):
    """The runs of the table at `path`, ready for figures: one row per run, in its order."""
    runs = alone(path)
    for run, directory in run_files.directories(runs).items():
        runs.loc[run, "stonewall"] = run_files.stonewall(directory)
    return runs


def alone(path=None):
    """Likewise from the table alone, without what the runs' directories know."""
    cells = raw(path)
    source = cells.attrs["source"]
    if not any(name in cells.columns for name in FIGURES):
        raise UserError(
            f"{source}: not a table of runs (no column of a score or a phase's rate);"
            " make it with ./aggregate_results.py, without --long"
        )
    runs = prepare(cells)
    runs.attrs["source"] = source
    return runs


def prepare(raw):
    """Add what the report needs to `raw`, a frame of the table's columns as text."""
    columns = {name: text(raw, name) for name in TEXTS}
    columns |= {name: number(raw, name) for name in NUMBERS}
    columns["score_valid"] = _flag(raw, "score_valid")
    for phase in PHASES:
        for part in ("value", "time"):
            columns[f"{phase.column}_{part}"] = number(raw, f"{phase.column}_{part}")
        columns[f"{phase.column}_valid"] = _flag(raw, f"{phase.column}_valid")
        columns[f"{phase.column}_reasons"] = text(raw, f"{phase.column}_reasons")
        for part in LATENCIES:
            columns[f"{phase.column}_latency_{part}"] = number(
                raw, f"{phase.column}_latency_{part}"
            )
    runs = pd.DataFrame(columns, index=pd.RangeIndex(len(raw), name="run"))
    kept = [name for name in raw.columns if name not in runs.columns]
    runs = pd.concat([runs, raw[kept].set_index(runs.index)], axis=1)

    runs["storage"] = storage(runs)
    several_clusters = runs["cluster_name"].nunique() > 1
    node = runs["node_name"].replace("", "unknown node")
    runs["node"] = runs["cluster_name"] + "/" + node if several_clusters else node
    runs["target"] = runs["node"] + " · " + runs["storage"]
    runs["networked"] = ~runs["storage_type"].isin(["local", ""])
    runs["started"] = pd.to_datetime(runs["timestamp"], format="%Y.%m.%d-%H.%M.%S", errors="coerce")
    nodes = runs["node_count"].fillna(1).clip(lower=1)
    runs["wire"] = runs["network_speed"].map(units.line_rate) * nodes
    runs["made_by"] = _made_by(runs)
    dressed = style.dress(runs["storage"])
    runs["colour"] = runs["storage"].map(lambda storage: dressed[storage][0])
    runs["marker"] = runs["storage"].map(lambda storage: dressed[storage][1])
    known = [phase for phase in SCORED if f"{phase.column}_value" in raw.columns]
    runs = quality.judge(runs, known)
    runs["place"] = tidy.places(runs)
    runs["failure"] = quality.failures(runs)
    uses.add(runs)
    runs["stonewall"] = run_files.BY_THE_RULES
    return runs


def text(raw, name):
    """A column of `raw` without the mark that keeps spreadsheets from calculating."""
    if name not in raw.columns:
        return pd.Series("", index=range(len(raw)), dtype=object)
    return pd.Series([unguarded(cell).strip() for cell in raw[name]], dtype=object)


def number(raw, name):
    numbers = pd.to_numeric(text(raw, name), errors="coerce").astype(float)
    return numbers.where(np.isfinite(numbers))


def _flag(raw, name):
    """True, False, or None where the table does not say."""
    words = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    return (
        text(raw, name).str.lower().map(words).astype(object).where(lambda flag: flag.notna(), None)
    )


def storage(runs):
    """The label of a storage as the results tree spells it: nfs/nfs7/hdd, local/ssd."""
    parts = runs[["storage_type", "storage_volume", "device_type"]]
    labels = ["/".join(part for part in row if part) for row in parts.itertuples(index=False)]
    return pd.Series(
        [label or "unknown storage" for label in labels], index=runs.index, dtype=object
    )


def _made_by(runs):
    labels = [
        " ".join(dict.fromkeys(part for part in pair if part)) or "unknown engine"
        for pair in runs[["engine", "engine_version"]].itertuples(index=False)
    ]
    return pd.Series(labels, index=runs.index, dtype=object)
