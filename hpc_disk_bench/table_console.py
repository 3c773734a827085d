"""What aggregate says while it works. The reference run of the pipeline fixed the headings."""

from __future__ import annotations

import re
import sys
from collections import Counter

from hpc_disk_bench.commandline import say
from hpc_disk_bench.table_columns import SCORED_NAMES
from hpc_disk_bench.table_rows import MISSING_RESULTS

RULE = "=" * 60
STATES = ("invalid", "partial", "failed", "interrupted", "running")
_UNPRINTABLE = re.compile(r"[^\x20-\x7e\xa0-\ud7ff\ue000-\U0010ffff]")


def shown(text):
    """`text` on one line of a terminal: control characters and undecodable bytes as escapes."""
    return _UNPRINTABLE.sub(lambda match: ascii(match.group())[1:-1], str(text))


def count(number, singular, plural):
    return f"{number} {singular if number == 1 else plural}"


class Console:
    """Plain lines, the same on a terminal and in a log; a live count on a terminal only."""

    def __init__(self, quiet=False):
        self.quiet = quiet
        self.live = sys.stderr.isatty() and not quiet

    def heading(self, root, output):
        self._say(RULE, "IO500 Results Aggregation", RULE)
        self._say(f"Scanning base directory: {shown(root)}", f"Output file: {shown(output)}", RULE)
        self._say("", f"Recursively scanning {shown(root)} for result directories...")

    def found(self, number):
        self._say(f"Found {count(number, 'result directory', 'result directories')}")

    def progress(self, done, total):
        if self.live and done % 500 == 0 and total > 1000:
            print(f"\r   reading {done} of {total}\033[K", end="", file=sys.stderr, flush=True)

    def skipped(self, places):
        for place, why in places:
            self._say(f"   Skipping {shown(place)}: {shown(why)}")

    def runs(self, table):
        """One line for every run, by place, and then what needs somebody's attention."""
        if self.live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        lines = [(place, f"Skipping {place}: {why}") for place, why in table.skipped]
        lines += [(row.run_dir, f"Loaded: {_loaded(row)}") for row in table.rows]
        lines += [(place, f"Note on {place}: {note}") for place, note in table.notes]
        for _, line in sorted(lines):
            self._say(f"   {shown(line)}")
        self._warn(table)

    def closing(self, table, output):
        found = SCORED_NAMES & {name for row in table.rows for name in row.phases}
        found |= {n for row in table.rows for n, phase in row.phases.items() if phase.scored}
        total = len(table.rows)
        self._say("", RULE)
        self._say(f"Successfully loaded {count(total, 'benchmark result', 'benchmark results')}")
        self._say(RULE, "", f"Found {count(len(found), 'unique test type', 'unique test types')}")
        self._say("", RULE, f" Aggregated results written to: {shown(output)}")
        self._say(f" Total benchmark runs: {total}", f" Total test types: {len(found)}", RULE)

    def _warn(self, table):
        missing = sum(why == MISSING_RESULTS for _, why in table.skipped)
        if missing:
            directories = count(missing, "directory is", "directories are")
            self._warning(
                f"{directories} missing results.json",
                "You can regenerate these by running:",
                "  ./io500_wrapper.sh --reprocess <directory>",
            )
        states = Counter(row.state for row in table.rows)
        uncounted = sum(states[state] for state in STATES)
        if uncounted:
            each = ", ".join(f"{states[state]} {state}" for state in STATES if states[state])
            self._warning(
                f"{uncounted} of {count(len(table.rows), 'run does', 'runs do')} not count: {each}",
                "They have rows that say so; no ranking includes them.",
            )
        bare = sorted({row.node for row in table.rows if not row.node_known})
        if bare:
            self._warning(
                f"{count(len(bare), 'node has', 'nodes have')} no node_metadata.json: {_few(bare)}",
                "You can gather it by running, on that node:",
                "  ./gather_node_metadata.sh <cluster> <node>",
            )

    def _warning(self, first, *more):
        say(f"\n Warning: {first}", *(f"  {line}" for line in more))

    def _say(self, *lines):
        if not self.quiet:
            say(*lines)


def _loaded(row):
    """The target alone, as in the reference; where there is something to say, the run with it."""
    if row.state == "complete":
        return row.target
    invalid = [name for name, phase in row.phases.items() if phase.scored and not phase.valid]
    why = f": {', '.join(invalid)}" if row.state == "invalid" and invalid else ""
    return f"{row.run_dir} ({row.state}{why})"


def _few(names, most=5):
    more = [f"and {len(names) - most} more"] if len(names) > most else []
    return ", ".join([*map(shown, names[:most]), *more])
