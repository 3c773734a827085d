"""How long the removal of benchmark data may take, and what is said of it.

As long as it moves on; but after a signal, what sent it will soon kill, so there is a limit. Who
sends another signal after having read how far it is wants it to end now. What is left keeps its
marker, and the command that removes it is said.
"""

import os
import shlex
import signal
import threading
import time

# From the signal on. Slurm kills 30 s after its SIGTERM where a site has not set it otherwise, and
# a terminal's user has lost patience by then.
LIMIT = 27
QUIET = 2  # seconds of a removal of which nothing is said
AGAIN = 10  # seconds from then on between two words on how far it is
# Times what a storage may take to answer: one file of many TiB takes a while. Seconds: 2 minutes.
STALLED = 4
# Seconds for a removal that was given up to return: what its own threads get (removal.GRACE) and a
# little more, and all of it before Slurm kills.
GRACE = 2.5


class Patience:
    """Watches over a removal, tells how far it is, and says when to give up.

    signals: benchmark.Signals; stalled: seconds without a file less; at_once: the first signal
    ends it, for nothing else has to be ended.
    """

    def __init__(self, signals, console, stalled, at_once=False):
        self._signals, self._console, self._at_once = signals, console, at_once
        self._stalled = stalled
        self._started = self._next = self._moved = time.monotonic()
        self._next += QUIET
        self._told = None  # how many signals had come when the user was told that it takes a while
        self.files = 0  # removed so far
        self.reason = None  # why it was given up, where it was

    def run(self, remove):
        """What remove(give_up) returns, or None where the storage does not even let it give up.

        It works in a thread of its own, which is left waiting then and ends with the process.
        """
        done = []
        thread = threading.Thread(target=lambda: done.append(_attempt(remove, self._heard)))
        thread.daemon = True
        thread.start()
        while thread.is_alive() and not self.reason:
            thread.join(0.1)
            self._look()
        thread.join(GRACE if self.reason else None)
        if not done:
            return None
        result, error = done[0]
        if error:
            raise error
        return result

    def _heard(self, files):
        """What the removal asks several times a second: whether to give up."""
        if files != self.files:
            self.files, self._moved = files, time.monotonic()
        return bool(self.reason)

    def _look(self):
        now, signals = time.monotonic(), self._signals
        again = self._told is not None and signals.count > self._told
        # The first one of a batch system leaves time to go on for a while.
        again = again and (self._told or signals.last == signal.SIGINT)
        if again or (self._at_once and signals.caught):
            self.reason = f"ended by {signals.last.name}"
        elif signals.since is not None and now > max(signals.since + LIMIT, self._started + 1):
            self.reason = f"not done {LIMIT} s after {signals.caught.name}"
        elif now > self._moved + self._stalled:
            self.reason = f"the storage has not answered for {self._stalled:.0f} s"
        elif now >= self._next:
            self._told = signals.count
            self._next = now + AGAIN
            text = f"{self.files:,} files of the run's data in {now - self._started:.0f} s"
            self._console.talk("removing", f"{text}; Ctrl-C leaves the rest")


def _attempt(remove, give_up):
    try:
        return remove(give_up), None
    except Exception as error:  # raised again where it is waited for
        return None, error


def clear(scratch, signals, console):
    """Remove a run's data: (what was removed, in words; the directory that is left, or None)."""
    patience = Patience(signals, console, STALLED * scratch.patience)
    removed, problems = patience.run(scratch.remove) or (patience.files, [])
    for problem in problems:
        console.failed(f"to remove {problem}")
    if not scratch.left:
        return (f"removed {removed:,} files of this run" if removed else ""), None
    scratch.abandon()
    left = os.fspath(scratch.directory)
    how = f", {patience.reason}" if patience.reason else ""
    remedy = f"it goes with: {command(os.path.dirname(left))}"
    console.failed(f"to remove all of the run's data{how}: what is left is in {left}", remedy)
    return (f"removed {removed:,} files of this run" if removed else ""), left


def command(test_dir):
    """What a user types to remove what runs left in test_dir."""
    return f"io500_wrapper.sh --clean {shlex.quote(os.fspath(test_dir))}"
