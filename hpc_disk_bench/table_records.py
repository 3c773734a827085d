"""Reads the runs of a scan into records: of each run its text in the table, and what is said of it.

A record is small and knows nothing of the tree around it, so that it can be kept for the next time.
"""

from __future__ import annotations

from typing import NamedTuple

from hpc_disk_bench.table_columns import SCORED_NAMES
from hpc_disk_bench.table_rows import Files, NodeMetadata, Skipped, read_row
from hpc_disk_bench.table_scan import Found

COPY = "a copy of "


class Record(NamedTuple):
    """One run of the table. All of it can be written as JSON and read again."""

    where: list[str]  # cluster, node, storage, volume, device, timestamp
    started: str | None
    state: str
    diagnosis: str | None  # the code of why it failed or does not count
    tests: list[str] | None  # names of the scored phases; None: the usual twelve
    uncounted: list[str]  # those of them that are not valid
    notes: list[str]
    text: str  # see table_csv
    further: dict | None

    @property
    def target(self):
        """cluster/node/storage[/volume]/device"""
        return "/".join([part for part in self.where[:5] if part])

    @property
    def node(self):
        return "/".join(self.where[:2])


class Table(NamedTuple):
    """What a tree gave: runs in their order, and what gave none, as (place below the root, why)."""

    runs: list[tuple[Found, Record]]
    skipped: list[tuple[str, str]]
    notes: list[tuple[str, str]]

    @property
    def records(self):
        return [record for _, record in self.runs]


def record_of(row, form):
    """The record of a row, its text as `form` (of table_csv) writes it."""
    scored = [name for name, phase in row.phases.items() if phase.scored]
    names = SCORED_NAMES & row.phases.keys()
    usual = names == SCORED_NAMES and SCORED_NAMES.issuperset(scored)
    tests = None if usual else sorted(names.union(scored))
    uncounted = []
    if row.state != "complete":
        uncounted = [name for name in scored if not row.phases[name].valid]
    text, further = form.render(row)
    told = row.state, row.diagnosis, tests, uncounted, row.notes
    return Record(row.where, row.started, *told, text, further)


def read(found, form, known, files=None, progress=lambda done, total: None):
    """Read all runs of a scan into a Table. known(run) is the record that is at hand, or None."""
    files = files or Files()
    table = Table([], list(found.skipped), [])
    nodes = NodeMetadata(files)
    best = {}
    for done, run in enumerate(found.runs):
        progress(done, len(found.runs))
        # First of all, so that a record that is at hand is held against the file that was read.
        nodes.values(run)
        record = known(run)
        if record is None:
            try:
                record = record_of(read_row(run, files, nodes), form)
            except Skipped as error:
                table.skipped.append((run.place, str(error)))
                continue
        identity = (*record.where, record.started, run.name)
        other, there = best.setdefault(identity, (run, record))
        if other is not run:
            deeper, copy = (run, other) if run.depth > other.depth else (other, run)
            best[identity] = (run, record) if deeper is run else (other, there)
            table.skipped.append((copy.place, f"{COPY}{deeper.place}, which counts"))
    table.runs.extend(sorted(best.values(), key=_order))
    with_runs = {run.node_place for run, _ in table.runs}
    table.notes.extend(note for note in nodes.notes if note[0] in with_runs)
    table.notes.extend((run.place, note) for run, record in table.runs for note in record.notes)
    return table


def _order(pair):
    run, record = pair
    return (*record.where, run.place)
