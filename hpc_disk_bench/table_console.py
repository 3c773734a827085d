"""What aggregate says while it works. The reference run of the pipeline fixed the headings."""

from __future__ import annotations

import os
import re
import shlex
import sys
import time
from collections import Counter
from typing import NamedTuple

from hpc_disk_bench.commandline import say
from hpc_disk_bench.table_columns import SCORED_NAMES
from hpc_disk_bench.table_records import COPY
from hpc_disk_bench.table_rows import MISSING_RESULTS, STILL_RUNNING
from hpc_disk_bench.tree import NO_LOSS

RULE = "=" * 60
STATES = ("invalid", "partial", "failed", "interrupted", "running")
_UNPRINTABLE = re.compile(r"[^\x20-\x7e\xa0-\ud7ff\ue000-\U0010ffff]")
# How often progress is said: a terminal's line changes often, a log gets a line now and then.
EVERY_LIVE, EVERY_LOGGED = 0.2, 10


def shown(text):
    """`text` on one line of a terminal: control characters and undecodable bytes as escapes."""
    return _UNPRINTABLE.sub(lambda match: ascii(match.group())[1:-1], str(text))


def count(number, singular, plural):
    return f"{number} {singular if number == 1 else plural}"


class Summary(NamedTuple):
    """What is to be said of a tree. All of it can be written as JSON and read again."""

    found: int  # directories of runs
    lines: list[str]  # one for every run, by place, and then what needs somebody's attention
    amiss: list[str]  # those of them that --quiet leaves: a run or a file that can be mended
    missing: list[str]  # places of directories without results.json
    uncounted: list[list[str]]  # warnings about runs that do not count
    bare: list[list[str]]  # warnings about nodes without node_metadata.json
    total: int
    tests: int
    tools: list[str]  # places of the directories with outputs of tools


def summary(found, table, tools=()):
    """The Summary of a table_records.Table that was read from `found` directories; tools: places
    of tool outputs beside them."""
    skipped = [(place, f"Skipping {place}: {why}") for place, why in table.skipped]
    lost = [line for line, (_, why) in zip(skipped, table.skipped) if is_lost(why)]
    notes = [(place, f"Note on {place}: {note}") for place, note in table.notes]
    loaded = [(run.place, f"Loaded: {_loaded(run, record)}") for run, record in table.runs]
    tests = set()
    for record in table.records:
        tests |= SCORED_NAMES if record.tests is None else set(record.tests)
    return Summary(
        found,
        _by_place(skipped + loaded + notes),
        _by_place(lost + notes),
        sorted(place for place, why in table.skipped if why == MISSING_RESULTS),
        [*_uncounted(table)],
        [*_bare(table)],
        len(table.runs),
        len(tests),
        [*tools],
    )


def is_lost(why):
    """Whether what was left out for this reason should have had a row, and can be given one.

    What lacks results.json alone is named with its remedy.
    """
    return why != MISSING_RESULTS and not why.startswith((*NO_LOSS, STILL_RUNNING, COPY))


def _by_place(lines):
    return [f"   {shown(line)}" for _, line in sorted(lines)]


def _loaded(run, record):
    """The target alone, as in the reference; where there is something to say, the run with it."""
    if record.state == "complete":
        return record.target
    why = ", ".join(record.uncounted) if record.state == "invalid" else ""
    state = " ".join(filter(None, (record.state, record.diagnosis)))
    return f"{run.place} ({state}{': ' if why else ''}{why})"


def _missing(places, commands):
    if places:
        directories = count(len(places), "directory is", "directories are")
        yield [
            f"{directories} missing results.json",
            "You can regenerate these by running:",
            *(f"  ./io500_wrapper.sh --reprocess {command}" for command in commands),
        ]


def _uncounted(table):
    states = Counter(record.state for record in table.records)
    uncounted = sum(states[state] for state in STATES)
    if uncounted:
        each = ", ".join(f"{states[state]} {state}" for state in STATES if states[state])
        yield [
            f"{uncounted} of {count(len(table.runs), 'run does', 'runs do')} not count: {each}",
            "They have rows that say so; no ranking includes them.",
        ]


def _bare(table):
    bare = sorted({record.node for run, record in table.runs if run.node is None})
    if bare:
        yield [
            f"{count(len(bare), 'node has', 'nodes have')} no node_metadata.json: {_few(bare)}",
            "You can gather it by running, on that node:",
            "  ./gather_node_metadata.sh <cluster> <node>",
        ]


def _few(names, most=5):
    more = [f"and {len(names) - most} more"] if len(names) > most else []
    return ", ".join([*map(shown, names[:most]), *more])


class Console:
    """Plain lines, the same on a terminal and in a log; long work is told of on stderr.

    quiet leaves what somebody can mend: what cron should send.
    """

    def __init__(self, root, quiet=False):
        self.quiet = quiet
        self._root = root
        self._live = sys.stderr.isatty()
        self._every = EVERY_LIVE if self._live else EVERY_LOGGED
        self._next = time.monotonic() + self._every
        self._shown = False

    def heading(self, output):
        root = self._root
        self._say(RULE, "IO500 Results Aggregation", RULE)
        self._say(f"Scanning base directory: {shown(root)}", f"Output file: {shown(output)}", RULE)
        self._say("", f"Recursively scanning {shown(root)} for result directories...")

    def found(self, number):
        self._done()
        self._say(f"Found {count(number, 'result directory', 'result directories')}")

    def scanning(self, done):
        """`done` directories have been looked into."""
        self._progress(done, lambda: f"scanning: {done} directories")

    def reading(self, done, total):
        self._progress(done, lambda: f"reading: {done} of {total} runs, {100 * done // total} %")

    def skipped(self, places):
        left = [(place, why) for place, why in places if not self.quiet or is_lost(why)]
        _say(f"   Skipping {shown(place)}: {shown(why)}" for place, why in left)

    def runs(self, told):
        """Everything of a Summary but its totals."""
        self._done()
        _say(told.amiss if self.quiet else told.lines)
        commands = ["<directory>"]  # the reference's own; the lines above it name them
        if self.quiet:
            paths = (os.path.join(self._root, place) for place in told.missing)
            commands = [shown(shlex.quote(path)) for path in paths]
        uncounted = [] if self.quiet else told.uncounted
        for first, *more in (*_missing(told.missing, commands), *uncounted, *told.bare):
            say(f"\n Warning: {first}", *(f"  {line}" for line in more))

    def closing(self, told, output):
        total, tests = told.total, told.tests
        self._say("", RULE)
        self._say(f"Successfully loaded {count(total, 'benchmark result', 'benchmark results')}")
        self._say(RULE, "", f"Found {count(tests, 'unique test type', 'unique test types')}")
        self._say("", RULE, f" Aggregated results written to: {shown(output)}")
        self._say(f" Total benchmark runs: {total}", f" Total test types: {tests}", RULE)

    def tools(self, said, amiss, line):
        """What was found of tools besides the runs, and where it went."""
        _say(f"   {shown(one)}" for one in amiss if self.quiet)
        self._say("", *(f"   {shown(one)}" for one in said), line)

    def _progress(self, done, text):
        if done % 256 or self.quiet or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self._every
        if self._live:
            print(f"\r   {text()}\033[K", end="", file=sys.stderr, flush=True)
            self._shown = True
        else:
            stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            print(f"{stamp} {text()}", file=sys.stderr, flush=True)

    def _done(self):
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
            self._shown = False

    def _say(self, *lines):
        if not self.quiet:
            _say(lines)


def _say(lines):
    lines = [*lines]
    if lines:
        say(*lines)
