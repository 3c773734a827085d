"""How long the removal of benchmark data may take, and what is said of it.

As long as it needs; but after a signal what sent it will soon kill, so then there is a limit. Who
sends another signal after having read how far it is wants it to end now. What is left keeps its
marker, and the command that removes it is said.
"""

import os
import shlex
import signal
import time

# From the signal on. Slurm kills 30 s after its SIGTERM where a site has not set it otherwise, and
# a terminal's user has lost patience by then.
LIMIT = 27
QUIET = 2  # seconds of a removal of which nothing is said
AGAIN = 10  # seconds from then on between two words on how far it is


class Patience:
    """give_up(files) for a removal, which tells how far it is.

    signals: benchmark.Signals; at_once: the first one ends it, for nothing else has to be ended.
    """

    def __init__(self, signals, console, at_once=False):
        self._signals, self._console, self._at_once = signals, console, at_once
        self._started = self._next = time.monotonic()
        self._next += QUIET
        self._told = None  # how many signals had come when the user was told that it takes a while
        self.reason = None  # why it was given up, where it was

    def give_up(self, files):
        now, signals = time.monotonic(), self._signals
        again = self._told is not None and signals.count > self._told
        # The first one of a batch system leaves time to go on for a while.
        again = again and (self._told or signals.last == signal.SIGINT)
        if again or (self._at_once and signals.caught):
            self.reason = f"ended by {signals.last.name}"
        if signals.since is not None and now > max(signals.since + LIMIT, self._started + 1):
            self.reason = f"not done {LIMIT} s after {signals.caught.name}"
        if not self.reason and now >= self._next:
            self._tell(files, now)
        return bool(self.reason)

    def _tell(self, files, now):
        self._told = self._signals.count
        self._next = now + AGAIN
        text = f"{files:,} files of the run's data in {now - self._started:.0f} s"
        self._console.talk("removing", f"{text}; Ctrl-C leaves the rest")


def clear(scratch, signals, console):
    """Remove a run's data: (what was removed, in words; the directory that is left, or None)."""
    patience = Patience(signals, console)
    removed, problems = scratch.remove(patience.give_up)
    for problem in problems:
        console.failed(f"to remove {problem}")
    left = None
    if os.path.lexists(scratch.directory):
        left = os.fspath(scratch.directory)
        how = f", {patience.reason}" if patience.reason else ""
        remedy = f"it goes with: {command(os.path.dirname(left))}"
        console.failed(f"to remove all of the run's data{how}: what is left is in {left}", remedy)
    return (f"removed {removed:,} files of this run" if removed else ""), left


def command(test_dir):
    """What a user types to remove what runs left in test_dir."""
    return f"io500_wrapper.sh --clean {shlex.quote(os.fspath(test_dir))}"
