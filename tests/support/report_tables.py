"""Makes tables for the report's tests: rows of aggregated_results.csv, one call a run."""

from __future__ import annotations

import itertools
import math

import pandas as pd

from hpc_disk_bench.phases import BANDWIDTH, BY_NAME, IOPS, SCORED
from hpc_disk_bench.report import load

RATES = {"GiB/s": 1.0, "kIOPS": 10.0}
_second = itertools.count()


def run(storage="local/ssd", node="n1", *, rate=1.0, state="complete", **more):
    """A row of the table: a run of `storage` ("type/device" or "type/volume/device") on `node`.

    All phases have `rate` GiB/s or 10 times as many kIOPS. `more` are columns; those named like a
    phase ("ior_easy_read") set its value.
    """
    kind, *volume, device = storage.split("/")
    seconds = next(_second) % 3600
    row = {
        "cluster_name": "wildwood",
        "node_name": node,
        "network_speed": "10Gbps",
        "storage_type": kind,
        "storage_volume": volume[0] if volume else "",
        "device_type": device,
        "timestamp": f"2026.03.01-12.{seconds // 60:02}.{seconds % 60:02}",
        "num_procs": "16",
        "engine": "upstream",
        "engine_version": "io500-isc25",
        "node_count": "1",
        "state": state,
    }
    row["run_dir"] = f"wildwood/{node}/{storage}/{row['timestamp']}"
    for phase in SCORED:
        value = more.pop(phase.column, RATES[phase.unit] * rate)
        row[f"{phase.column}_value"] = value
        row[f"{phase.column}_time"] = 310.0 if phase.stonewalled else 60.0
        row[f"{phase.column}_valid"] = True
    row |= _score(row, valid=state == "complete")
    return row | more


def invalid(storage="local/ssd", node="n1", phase="ior-easy-write", **more):
    """A run that the benchmark calls invalid, because `phase` was too short."""
    column = BY_NAME[phase].column
    return run(
        storage,
        node,
        state="invalid",
        **{
            f"{column}_valid": False,
            f"{column}_time": 12.5,
            f"{column}_reasons": "Runtime is smaller than expected minimum runtime",
        }
        | more,
    )


def failed(storage="local/ssd", node="n1", **more):
    """A run that failed before any phase was done."""
    row = run(storage, node, state="failed", **more)
    return {k: v for k, v in row.items() if k.rsplit("_", 1)[-1] not in ("value", "time", "valid")
            and not k.startswith("score")}  # fmt: skip


def raw(*rows):
    """`rows` as load.raw reads them: text, empty where nothing is."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    cells = [["" if row.get(c) is None else str(row[c]) for c in columns] for row in rows]
    return pd.DataFrame(cells, columns=columns, dtype=str)


def runs(*rows):
    """`rows` as the report's functions take them."""
    return load.prepare(raw(*rows))


def write(path, *rows):
    """`rows` as a table on disk."""
    raw(*rows).to_csv(path, index=False, lineterminator="\n")
    return path


def _score(row, valid):
    def mean(phases):
        values = [row[f"{phase.column}_value"] for phase in phases]
        return math.exp(sum(map(math.log, values)) / len(values)) if all(values) else 0.0

    bandwidth, iops = mean(BANDWIDTH), mean(IOPS)
    return {
        "score_bandwidth": bandwidth,
        "score_iops": iops,
        "score_total": math.sqrt(bandwidth * iops),
        "score_valid": valid,
    }
