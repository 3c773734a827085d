"""Which phase the benchmark is in, as its files show from outside, whichever engine it is."""

from hpc_disk_bench.benchmark import Follower
from hpc_disk_bench.result_file import SCORES, SECTION, find_result_file

# Headings without a measurement behind them.
NO_PHASES = ("run", "timestamp", *SCORES)


class PhaseWatch:
    """Reads what is added to result.txt, in which each phase writes its heading as it begins."""

    def __init__(self, directory):
        self._directory = directory
        self._log = None
        self.phase = ""

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
        return self.phase != before
