"""The runs in the shape that figures take: one row per run and phase, and the order of the rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hpc_disk_bench.phases import BANDWIDTH, IOPS, SCORED
from hpc_disk_bench.report import style, units
from hpc_disk_bench.table_columns import LATENCIES

KEPT = (  # noqa: SIM905
    "run target node storage colour marker place networked storage_type device_type counts state"
    " why suspect started made_by num_procs stonewall"
).split()
MOST_STORAGES = 30  # rows that a figure with one row per storage can carry


def phases(runs, wanted=SCORED):
    """One row per run and phase that has a value or a time: `phase`, `value`, `time`, `hover`.

    Values are GiB/s for the phases of ior, kIOPS for the others, seconds for `time`.
    """
    base = runs.reset_index()[KEPT]
    parts = []
    for phase in wanted:
        part = base.copy()
        part["phase"] = phase.name
        part["panel"] = panel_title(phase)
        part["unit"] = phase.unit
        part["value"] = runs[f"{phase.column}_value"].to_numpy()
        part["time"] = runs[f"{phase.column}_time"].to_numpy()
        parts.append(part[part["value"].notna() | part["time"].notna()])
    if not parts:
        return pd.DataFrame(columns=[*KEPT, "phase", "panel", "unit", "value", "time", "hover"])
    long = pd.concat(parts, ignore_index=True)
    long["hover"] = [hover(row) for row in long.to_dict("records")]
    return long


def latencies(runs, wanted=SCORED):
    """One row per run and phase whose latencies are told, as in `phases`: `p50` and `p99` in s.

    The embedded engine alone measures them, so that other runs have no rows.
    """
    long = phases(runs, wanted)
    by_name = {phase.name: phase.column for phase in wanted}
    for part in LATENCIES:
        columns = [f"{by_name[name]}_latency_{part}" for name in long["phase"]]
        told = [runs.at[run, column] for run, column in zip(long["run"], columns, strict=True)]
        long[part] = pd.Series(told, index=long.index, dtype=float)
    return long[long["p99"].notna()]


def bandwidth(runs):
    """The bandwidth phases of `runs` in long form, GiB/s."""
    return phases(runs, BANDWIDTH)


def iops(runs):
    """The metadata phases of `runs` in long form, kIOPS."""
    return phases(runs, IOPS)


def scores(runs, parts):
    """One row per run and score of `parts` ({column: panel title}), in the same long form."""
    base = runs.reset_index()[KEPT]
    pieces = []
    for column, title in parts.items():
        piece = base.copy()
        piece["phase"], piece["panel"], piece["value"] = column, title, runs[column].to_numpy()
        pieces.append(piece[piece["value"].notna()])
    long = pd.concat(pieces, ignore_index=True)
    long["hover"] = [hover(row) for row in long.to_dict("records")]
    return long


def panel_title(phase):
    """easy write, hard stat, find: how a phase is called above its panel."""
    return f"{phase.difficulty} {phase.operation}".strip()


def hover(row):
    """The lines that the pointer shows for a run besides its value; already escaped."""
    lines = [style.label(row["target"], 60)]
    if pd.notna(row["started"]):
        lines.append(f"{row['started']:%Y-%m-%d %H:%M}")
    if not row["counts"]:
        lines.append(f"<b>{not_ranked(row['state'])}</b>")
        lines.append(style.label(row["why"], 90))
    elif row["suspect"]:
        lines.append("suspect: " + style.label(row["suspect"], 90))
    return "<br>".join(lines)


def not_ranked(state):
    """invalid: not ranked. A complete run lands here when phases are missing or unmarked."""
    return f"{'incomplete' if state == 'complete' else state}: not ranked"


def places(runs):
    """The place of each run's storage in all figures: by median score, not ranked ones last."""
    ranked = runs[runs["counts"]].groupby("storage")["score_total"].median()
    rest = runs[~runs["storage"].isin(ranked.index)].groupby("storage")["score_total"].median()
    order = [
        *ranked.sort_values(ascending=False, kind="stable").index,
        *rest.sort_values(ascending=False, kind="stable").index,
    ]
    return runs["storage"].map({storage: k for k, storage in enumerate(order)})


def rows(long, limit=MOST_STORAGES):
    """The storages of a figure from top to bottom, how many of them are in view, and a sentence
    about the others, which come last."""
    order = long.drop_duplicates("storage").sort_values("place", kind="stable")["storage"]
    if len(order) <= limit:
        return list(order), len(order), ""
    kept = set(long["storage"].value_counts().head(limit).index)
    said = f" Shown are the {limit} storages with the most runs, of {len(order)}."
    return sorted(order, key=lambda storage: storage not in kept), limit, said


def engines_note(runs):
    """The sentence that says that runs of different engines or versions stand side by side."""
    versions = sorted(runs["made_by"].unique())
    if len(versions) < 2:
        return ""
    return (
        f" These are runs of {units.count(len(versions), 'engine version')}"
        " (see the first section): compare them with care."
    )


def ranks_note(runs):
    """The sentence that says that the runs used different numbers of ranks."""
    ranks = sorted(set(runs["num_procs"].dropna().astype(int)))
    if len(ranks) < 2:
        return ""
    return f" The runs used {_listed(ranks)} ranks."


def notes(long):
    """Both of these sentences for the runs behind a figure."""
    runs = long.drop_duplicates("run")
    return engines_note(runs) + ranks_note(runs)


def stacked(frames):
    """`frames` one below the other; an empty one adds nothing, not even doubtful types."""
    return pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)


def _listed(values, most=6):
    if len(values) > most:
        return f"{values[0]} to {values[-1]}"
    return " and ".join(filter(None, [", ".join(map(str, values[:-1])), str(values[-1])]))


def jitter(groups, reach=0.24):
    """Offsets that keep the points of one group apart: in order, evenly over +-`reach`."""
    groups = pd.Series(list(groups))
    place = groups.groupby(groups).cumcount()
    size = groups.map(groups.value_counts())
    # A golden-ratio walk spreads any number of points without making a diagonal of them.
    walk = (0.5 + place * 0.618034) % 1 - 0.5
    return np.where(size > 1, 2 * reach * walk, 0.0)
