"""The process that samples a node: started by a run, ended with it.

Its stdin is a pipe that the run holds: at its end, however that came, the last row is written.
"""

import argparse
import math
import os
import select
import socket
import sys
import time

from hpc_disk_bench.telemetry.clock import Questions
from hpc_disk_bench.telemetry.columns import FILE
from hpc_disk_bench.telemetry.phases import PhaseWatch
from hpc_disk_bench.telemetry.place import sources_of
from hpc_disk_bench.telemetry.prometheus import TextFile
from hpc_disk_bench.telemetry.ranks import Ranks
from hpc_disk_bench.telemetry.remote import Remotes, Unbuffered
from hpc_disk_bench.telemetry.rows import Table

LEAST = 0.2  # seconds that an interval must have for its rates to mean something


def main(arguments):
    """Sample this node until stdin ends; with --node NAME, other nodes as well."""
    options = _arguments(arguments)
    sampler = Sampler(options.directory, options.ini)
    if options.to_stdout:
        _sample_here(sampler, sys.stdout)
        return 0
    run = os.path.dirname(options.ini)
    table = Table(os.path.join(run, FILE))
    watch = PhaseWatch(run)
    with TextFile.for_run(options.textfile, run) as textfile, Remotes(options) as others:
        _sample_all(sampler, table, watch, textfile, others)
    return 0


class Sampler:
    """The rows of one node."""

    def __init__(self, directory, ini):
        self._sources = sources_of(directory)
        self._ranks = Ranks(ini)
        self._node = socket.gethostname()
        self._before = time.monotonic()
        for source in self._sources:
            source.sample(1)  # what the counters stand at
        self._ranks.sample(1, self._before, changed=True)

    def row(self, changed):
        """The row of the time since the last call; None where that was too short."""
        now = time.monotonic()
        seconds = now - self._before
        if seconds < LEAST:
            return None
        self._before = now
        row = {"time_epoch": time.time(), "interval_s": round(seconds, 3), "node": self._node}
        for source in self._sources:
            row.update(source.sample(seconds))
        row.update(self._ranks.sample(seconds, now, changed))
        return row


def _sample_here(sampler, stream):
    """On another node than the run's: the rows go to stdout, by this node's clock, at the full
    second of the run's; phases are the run's to know."""
    rows = Unbuffered(stream)
    asked = Questions(sys.stdin.fileno(), stream, time.time)
    going_on = True
    while going_on:
        if _wait([sys.stdin], _next_second(asked.offset), asked.offset) is not None:
            going_on = asked.answer()
            if going_on:
                continue
        row = sampler.row(changed=False)
        if row:
            rows.add(row)


def _sample_all(sampler, table, watch, textfile, others):
    def keep(row):
        table.add(row)
        textfile.write(row["node"], row)

    waiting, going_on, due = [], True, _next_second()
    while going_on:
        ready = _wait([sys.stdin, *others.outputs], due)
        going_on = ready is None or sys.stdin not in ready
        if going_on and ready:
            waiting += others.rows(ready)
        else:
            due = _next_second()
            changed = watch.look()
            row = sampler.row(changed)
            if row:
                keep({**row, "clock_offset_s": 0, "clock_error_s": 0, "phase": watch.phase})
        if not going_on:
            waiting += others.ended()
        # The others are as quick as this node is: theirs may come before it has looked.
        come, waiting = waiting, []
        for row in come:
            if going_on and not watch.has_looked_at(row["time_epoch"]):
                waiting.append(row)
            else:
                keep({**row, "phase": watch.at(row["time_epoch"])})


def _next_second(offset=0.0):
    """The next full second, when all nodes sample. offset: s to be added to this node's clock."""
    return math.floor(time.time() + offset) + 1


def _wait(files, due, offset=0.0):
    """Wait until a full second is due, or for one of the files: those that can be read, None at the
    second. A file that can be read then as well, as others' rows come with it, can be so later.
    """
    left = due - time.time() - offset
    # Not longer than a second, if the clock was set back.
    ready = select.select(files, [], [], min(max(left, 0.0), 1.0))[0]
    return ready if ready and time.time() + offset < due else None


def _arguments(arguments):
    parser = argparse.ArgumentParser(prog="telemetry", add_help=False, allow_abbrev=False)
    parser.add_argument("--directory", required=True)
    parser.add_argument("--ini", required=True)
    parser.add_argument("--textfile", default="")
    parser.add_argument("--node", action="append", default=[])
    parser.add_argument("--to-stdout", action="store_true")
    return parser.parse_args(arguments)
