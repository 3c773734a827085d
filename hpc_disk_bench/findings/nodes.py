"""telemetry.csv second by second: all nodes together, their mean, and each one where they are few.

A hundred nodes write a million rows in three hours. They are read in parts, of which only what
figures and findings need of a second is kept, however many nodes there are.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import pandas as pd

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.findings.meanwhile import SIGHTS

NEEDED = {"time_epoch", "node", "phase"}
CPU = ("cpu_user", "cpu_system", "cpu_iowait")
SUMMED = (
    *("memory_dirty_bytes", "memory_writeback_bytes"),
    *("disk_read_bytes_per_s", "disk_written_bytes_per_s"),
    *("nfs_read_bytes_per_s", "nfs_written_bytes_per_s"),
    *("lustre_read_bytes_per_s", "lustre_written_bytes_per_s"),
)
# What a finding may ask for: the mean over the nodes, in which a missing sample is no fall.
MEANT = ("interval_s", *dict.fromkeys(column for sight in SIGHTS for column in sight.columns))
BUSIEST = "nfs_busiest"
CALL = re.compile(r"(\w+) (\d+)/s ([\d.]+) ms")
MOST_APART = 4  # nodes that are told apart
PART = 50_000  # rows that are read at a time


class Nodes(NamedTuple):
    """What the nodes did; the index of all tables is the UTC second that ends the interval."""

    names: tuple  # of the nodes, in the order in which they came
    together: (
        pd.DataFrame
    )  # SUMMED over the nodes; busy and wait (share of the CPUs), mean, min, max
    apart: dict  # {node: table of busy and wait}; {} of more than MOST_APART nodes
    means: pd.DataFrame  # MEANT, those that the file has
    calls: dict  # {kind of NFS call: table of per_s and ms}, means over the nodes that made it

    def within(self, begin, end):
        """The seconds from `begin` to `end`, both included."""
        return Nodes(
            self.names,
            _within(self.together, begin, end),
            {node: _within(table, begin, end) for node, table in self.apart.items()},
            _within(self.means, begin, end),
            {call: _within(table, begin, end) for call, table in self.calls.items()},
        )


def _within(table, begin, end):
    return table[(table.index >= begin) & (table.index <= end)]


NONE = Nodes((), pd.DataFrame(), {}, pd.DataFrame(), {})


def joined(parts):
    """Several Nodes of one run as one, each second once."""
    parts = [part for part in parts if len(part.together)]
    if not parts:
        return NONE
    return Nodes(
        parts[0].names,
        _joined(part.together for part in parts),
        _joined_each(part.apart for part in parts),
        _joined(part.means for part in parts),
        _joined_each(part.calls for part in parts),
    )


def _joined_each(parts):
    parts = list(parts)
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: _joined(part[name] for part in parts if name in part) for name in names}


def _joined(tables):
    table = pd.concat(list(tables))
    return table[~table.index.duplicated()].sort_index()


def read_nodes(path):
    """The Nodes of a telemetry.csv; NONE where there is no such file.

    UserError where it cannot be understood.
    """
    try:
        # A run that died may have left half a last line, which would be no row of the table.
        with pd.read_csv(path, on_bad_lines="skip", chunksize=PART, usecols=_wanted) as parts:
            return nodes_of(path, parts)
    except (FileNotFoundError, pd.errors.EmptyDataError):
        return NONE
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, pd.errors.ParserError) as error:
        raise UserError(f"{path}: not a table: {error}") from error


def _wanted(column):
    return column == BUSIEST or any(column in some for some in (NEEDED, CPU, SUMMED, MEANT))


def nodes_of(path, parts):
    """The Nodes of the rows of telemetry.csv, tables one after the other."""
    names, sums, apart, calls = {}, [], [], []
    for part in parts:
        missing = NEEDED - set(part.columns)
        if missing:
            raise UserError(f"{path}:1: the columns {', '.join(sorted(missing))} are missing")
        rows = _rows(part)
        names.update(dict.fromkeys(rows["node"]))
        sums.append(_summed(rows))
        calls.append(_called(rows))
        if len(names) <= MOST_APART and "busy" in rows:
            apart.append(rows[["second", "node", "busy", "wait"]])
        else:
            apart.clear()
    if not names:
        return NONE
    sums = _added(sums)
    return Nodes(tuple(names), _together(sums), _each(apart), _means(sums), _calls(calls))


def _rows(part):
    """The rows of a part with their numbers checked: one a second and node."""
    texts = ("node", "phase", BUSIEST)
    numbers = (
        part[part.columns.difference(texts)].apply(pd.to_numeric, errors="coerce").astype(float)
    )
    rows = numbers.where(np.isfinite(numbers))
    rows = rows.assign(
        second=rows.pop("time_epoch").round(),
        node=[str(node) if node == node else "" for node in part["node"]],
        **{name: part[name] for name in (BUSIEST,) if name in part},
    )
    rows = rows.dropna(subset="second").drop_duplicates(["second", "node"])
    if set(CPU) <= set(rows):
        rows = rows.assign(busy=rows["cpu_user"] + rows["cpu_system"], wait=rows["cpu_iowait"])
    return rows


def _summed(rows):
    """What the rows of each second add up to: sums, and how many rows had a figure for them."""
    seconds = rows.groupby("second")
    added = [name for name in dict.fromkeys((*SUMMED, *MEANT, "busy", "wait")) if name in rows]
    found = [seconds[added].sum().add_suffix(" sum"), seconds[added].count().add_suffix(" count")]
    if "busy" in rows:
        spread = seconds[["busy", "wait"]]
        found += [spread.min().add_suffix(" min"), spread.max().add_suffix(" max")]
    return pd.concat(found, axis=1)


def _called(rows):
    """What each kind of NFS call that rows name among the busiest adds up to, by second."""
    if BUSIEST not in rows:
        return pd.DataFrame(columns=["second", "call", "per_s", "ms", "count"])
    named = rows.dropna(subset=BUSIEST)
    found = [
        (second, call, float(often), float(lasted), 1)
        for second, text in zip(named["second"], named[BUSIEST], strict=True)
        for call, often, lasted in CALL.findall(str(text))
    ]
    table = pd.DataFrame(found, columns=["second", "call", "per_s", "ms", "count"])
    return table.groupby(["second", "call"], as_index=False).sum()


def _calls(parts):
    all_ = pd.concat(parts).groupby(["call", "second"])[["per_s", "ms", "count"]].sum()
    means = all_[["per_s", "ms"]].div(all_["count"], axis=0)
    return {call: means.loc[call] for call in means.index.unique("call")}


def _added(sums):
    """All parts in one: a second may lie in two of them."""
    all_ = pd.concat(sums)
    how = {name: name.rpartition(" ")[2].replace("count", "sum") for name in all_}
    return all_.groupby(level="second").agg(how)


def _mean(sums, name):
    count = sums[f"{name} count"]
    return sums[f"{name} sum"] / count.where(count > 0)


def _means(sums):
    known = [name for name in MEANT if f"{name} sum" in sums]
    return pd.DataFrame({name: _mean(sums, name) for name in known}, index=sums.index)


def _together(sums):
    made = {
        name: sums[f"{name} sum"].where(sums[f"{name} count"] > 0)
        for name in SUMMED
        if f"{name} sum" in sums
    }
    for name in ("busy", "wait"):
        if f"{name} sum" in sums:
            made[f"{name}_mean"] = _mean(sums, name)
            made |= {f"{name}_{one}": sums[f"{name} {one}"] for one in ("min", "max")}
    return pd.DataFrame(made, index=sums.index)


def _each(apart):
    if not apart:
        return {}
    rows = pd.concat(apart)
    return {
        node: _joined([own.set_index("second")[["busy", "wait"]]])
        for node, own in rows.groupby("node", sort=False)
    }
