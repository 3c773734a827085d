"""What the benchmark tells of its phases while it runs: in result.txt, key by key, and on stdout.

result.txt is ahead: it names a phase as it begins, and stdout may stay in a buffer until the end.
Benchmarks without one (before 2021) are followed by stdout alone, which names phases that are done.
"""

from pathlib import Path

from hpc_disk_bench.benchmark import Follower
from hpc_disk_bench.progress.plan import UNTOLD
from hpc_disk_bench.result_file import RESULT_FILE, find_result_file, parse_result_file
from hpc_disk_bench.summary import PhaseResult, result_of


class PhaseReader:
    """begun: the phase that was begun last; directory: where the benchmark's files lie, or None."""

    def __init__(self, run, output):
        self.begun = self.directory = None
        self._run, self._output = Path(run), Follower(output)
        self._told, self._seen = set(), None

    def news(self):
        """The PhaseResults of the phases that are done since it was last asked, in run order."""
        done = [*self._from_result_file(), *self._from_output()]
        new = []
        for phase in done:
            if phase.name not in self._told and phase.name != UNTOLD:
                self._told.add(phase.name)
                new.append(phase)
        return new

    def _from_result_file(self):
        path = self.directory / RESULT_FILE if self.directory else find_result_file(self._run)
        if path is None:
            return []
        self.directory = path.parent
        try:
            text = path.read_text("utf-8", "replace")
        except OSError:
            return []
        if text == self._seen:
            return []
        self._seen = text
        log = parse_result_file(text)
        self.begun = log.started[-1] if log.started else None
        # Of the last section more may come; the end of its time is its last key.
        whole = [name for name in log.started[:-1] if name in log.phases]
        if self.begun in log.phases and (log.scores or "t_end" in log.sections[self.begun].values):
            whole.append(self.begun)
        return [log.phases[name] for name in whole]

    def _from_output(self):
        found = [result_of(line.strip()) for line in self._output.lines()]
        return [each[1] for each in found if each and isinstance(each[1], PhaseResult)]
