"""Which phase the benchmark is in, as its files show from outside, whichever engine it is."""

import collections
import time

from hpc_disk_bench.benchmark import Follower
from hpc_disk_bench.result_file import SCORES, SECTION, find_result_file

# Headings without a measurement behind them.
NO_PHASES = ("run", "timestamp", *SCORES)
REMEMBERED = 300  # looks, for rows that come late


class PhaseWatch:
    """Reads what is added to result.txt, in which each phase writes its heading as it begins."""

    def __init__(self, directory):
        self._directory = directory
        self._log = None
        self.phase = ""
        self._looks = collections.deque(maxlen=REMEMBERED)  # (UTC seconds, phase)

    def look(self):
        """Whether another phase has begun since the last look; `phase` is its name."""
        before = self.phase
        path = None if self._log else find_result_file(self._directory)
        if path:
            self._log = Follower(path)
        for line in self._log.lines() if self._log else ():
            heading = SECTION.match(line.strip())
            if heading:
                # The totals come when the last phase has ended.
                self.phase = "" if heading["name"] in NO_PHASES else heading["name"]
        self._looks.append((time.time(), self.phase))
        return self.phase != before

    def has_looked_at(self, when):
        """Whether the look that belongs to this time was made: at the full second next to it."""
        return bool(self._looks) and self._looks[-1][0] > when - 0.5

    def at(self, when):
        """The phase that was seen by the look nearest to this time, in UTC seconds."""
        return min(self._looks, key=lambda look: abs(look[0] - when), default=(0, ""))[1]
