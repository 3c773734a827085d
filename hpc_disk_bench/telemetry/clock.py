"""How far another node's clock is from this one's, asked over the connection to its sampler.

The node answers a question with its time. It did so between the question's departure and the
answer's arrival: the middle of the two is wrong by half of the round trip at most (RFC 5905 has
the same for a server and its client).
"""

import collections
import os
from typing import NamedTuple

READY, CLOCK = "ready", "clock"  # what a sampler says besides its rows
FIRST = 5  # questions in a row before the first row, of which the quickest counts
KEPT = 60  # answers, one a second: beyond that even a bad oscillator has moved by milliseconds


class Measured(NamedTuple):
    offset: float  # s to be added to the other clock
    error: float  # s that this may be wrong by


class Clock:
    """Another node's clock, as its answers tell."""

    def __init__(self):
        self._answers = collections.deque(maxlen=KEPT)

    def answered(self, sent, theirs, now):
        """sent, now: this clock's time of the question and of its answer; theirs: what it said."""
        if now < sent:  # this clock was set meanwhile
            return
        one = Measured((sent + now) / 2 - theirs, (now - sent) / 2)
        best = self._best()
        if best and abs(one.offset - best.offset) > one.error + best.error:
            # Both cannot be true of one clock: one of the two was set, and what was before is past.
            self._answers.clear()
        self._answers.append(one)

    @property
    def unsure(self):
        """Whether more answers are wanted before a row is dated."""
        return len(self._answers) < FIRST

    @property
    def offset(self):
        """Seconds to be added to its time, 0 where it agrees as far as can be told; None before
        the first answer."""
        best = self._best()
        if best is None:
            return None
        return 0.0 if abs(best.offset) <= best.error else best.offset

    @property
    def error(self):
        best = self._best()
        return best and best.error

    def _best(self):
        return min(self._answers, key=lambda one: one.error, default=None)


def question(now, offset):
    """A line that asks a sampler for its time, and tells it how far it is off as far as known."""
    return f"{now:.6f} {offset or 0:.6f}\n".encode()


def answer_of(words):
    """(when it was asked, what its clock said) of the words after CLOCK; None for anything else."""
    try:
        sent, theirs = map(float, words)
    except ValueError:
        return None
    return sent, theirs


class Questions:
    """The other end: what comes on a sampler's stdin."""

    def __init__(self, file, stream, time):
        """file: descriptor that is read; stream: where answers go; time: what tells this clock."""
        self._file, self._stream, self._time = file, stream, time
        self._rest = b""
        self.offset = 0.0  # s to be added to this clock to come to the asking one
        self._say(READY)

    def answer(self):
        """Answer what has come; False at the end of it."""
        came = os.read(self._file, 65536)
        *lines, self._rest = (self._rest + came).split(b"\n")
        for line in lines:
            asked = answer_of(line.split())
            if asked:
                sent, self.offset = asked
                self._say(f"{CLOCK} {sent:.6f} {self._time():.6f}")
        return bool(came)

    def _say(self, text):
        self._stream.write(f"{text}\n")
        self._stream.flush()
