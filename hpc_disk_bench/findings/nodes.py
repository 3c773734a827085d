"""telemetry.csv second by second: all nodes together, and each one where they are few.

A hundred nodes write a million rows in three hours. They are read in parts, of which only what
figures and findings need of a second is kept, however many nodes there are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from hpc_disk_bench.errors import UserError

NEEDED = {"time_epoch", "node", "phase"}
CPU = ("cpu_user", "cpu_system", "cpu_iowait")
SUMMED = (
    *("memory_dirty_bytes", "memory_writeback_bytes"),
    *("disk_read_bytes_per_s", "disk_written_bytes_per_s"),
    *("nfs_read_bytes_per_s", "nfs_written_bytes_per_s"),
    *("lustre_read_bytes_per_s", "lustre_written_bytes_per_s"),
)
MOST_APART = 4  # nodes that are told apart
PART = 50_000  # rows that are read at a time


class Nodes(NamedTuple):
    """What the nodes did; the index of all tables is the UTC second that ends the interval."""

    names: tuple  # of the nodes, in the order in which they came
    together: (
        pd.DataFrame
    )  # SUMMED over the nodes; busy and wait (share of the CPUs), mean, min, max
    apart: dict  # {node: table of busy and wait}; {} of more than MOST_APART nodes

    def within(self, begin, end):
        """The seconds from `begin` to `end`, both included."""
        return Nodes(
            self.names,
            _within(self.together, begin, end),
            {node: _within(table, begin, end) for node, table in self.apart.items()},
        )


def _within(table, begin, end):
    return table[(table.index >= begin) & (table.index <= end)]


NONE = Nodes((), pd.DataFrame(), {})


def joined(parts):
    """Several Nodes of one run as one, each second once."""
    parts = [part for part in parts if len(part.together)]
    if not parts:
        return NONE
    apart = {
        node: _joined(part.apart[node] for part in parts if node in part.apart)
        for node in parts[0].apart
    }
    return Nodes(parts[0].names, _joined(part.together for part in parts), apart)


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
            return _of(path, parts)
    except (FileNotFoundError, pd.errors.EmptyDataError):
        return NONE
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, pd.errors.ParserError) as error:
        raise UserError(f"{path}: not a table: {error}") from error


def _wanted(column):
    return column in NEEDED or column in CPU or column in SUMMED


def _of(path, parts):
    names, sums, apart = {}, [], []
    for part in parts:
        missing = NEEDED - set(part.columns)
        if missing:
            raise UserError(f"{path}:1: the columns {', '.join(sorted(missing))} are missing")
        rows = _rows(part)
        names.update(dict.fromkeys(rows["node"]))
        sums.append(_summed(rows))
        if len(names) <= MOST_APART and "busy" in rows:
            apart.append(rows[["second", "node", "busy", "wait"]])
        else:
            apart.clear()
    if not names:
        return NONE
    return Nodes(tuple(names), _together(sums), _each(apart))


def _rows(part):
    """The rows of a part with their numbers checked: one a second and node."""
    texts = ("node", "phase")
    numbers = (
        part[part.columns.difference(texts)].apply(pd.to_numeric, errors="coerce").astype(float)
    )
    rows = numbers.where(np.isfinite(numbers))
    rows = rows.assign(
        second=rows.pop("time_epoch").round(),
        node=[str(node) if node == node else "" for node in part["node"]],
    )
    rows = rows.dropna(subset="second").drop_duplicates(["second", "node"])
    if set(CPU) <= set(rows):
        rows = rows.assign(busy=rows["cpu_user"] + rows["cpu_system"], wait=rows["cpu_iowait"])
    return rows


def _summed(rows):
    """What the rows of each second add up to: sums, and how many rows had a figure for them."""
    seconds = rows.groupby("second")
    added = [name for name in (*SUMMED, "busy", "wait") if name in rows]
    found = [seconds[added].sum().add_suffix(" sum"), seconds[added].count().add_suffix(" count")]
    if "busy" in rows:
        spread = seconds[["busy", "wait"]]
        found += [spread.min().add_suffix(" min"), spread.max().add_suffix(" max")]
    return pd.concat(found, axis=1)


def _together(sums):
    """All parts in one: a second may lie in two of them."""
    all_ = pd.concat(sums)
    how = {name: name.rpartition(" ")[2].replace("count", "sum") for name in all_}
    all_ = all_.groupby(level="second").agg(how)
    made = {}
    for name in [name.removesuffix(" sum") for name in all_ if name.endswith(" sum")]:
        total, count = all_[f"{name} sum"], all_[f"{name} count"]
        if name in SUMMED:
            made[name] = total.where(count > 0)
        else:
            made |= {f"{name}_mean": total / count.where(count > 0)}
            made |= {f"{name}_{one}": all_[f"{name} {one}"] for one in ("min", "max")}
    return pd.DataFrame(made, index=all_.index)


def _each(apart):
    if not apart:
        return {}
    rows = pd.concat(apart)
    return {
        node: _joined([own.set_index("second")[["busy", "wait"]]])
        for node, own in rows.groupby("node", sort=False)
    }
