"""Which phase the benchmark is in, as its files show from outside, whichever engine it is."""

import os
import re

SECTION = re.compile(rb"^\[([A-Za-z0-9_-]+)\]\s*$", re.MULTILINE)
# What result.txt holds besides phases.
NO_PHASES = frozenset({b"SCORE", b"SCOREX", b"timestamp"})


class PhaseWatch:
    """Reads what is added to result.txt, in which each phase writes its heading as it begins."""

    def __init__(self, directory):
        # Upstream puts its files one level deeper where it is told to (timestamp-resultdir).
        self._directory = os.fspath(directory)
        self._path = os.path.join(self._directory, "result.txt")
        self._read = 0
        self._rest = b""
        self.phase = ""

    def look(self):
        """Whether another phase has begun since the last look; `phase` is its name."""
        try:
            with open(self._path, "rb") as file:
                file.seek(self._read)
                added = file.read()
        except OSError:
            self._search()
            return False
        if not added:
            return False
        self._read += len(added)
        whole, _, self._rest = (self._rest + added).rpartition(b"\n")
        found = [name for name in SECTION.findall(whole) if name not in NO_PHASES]
        before = self.phase
        if found:
            self.phase = found[-1].decode("ascii")
        # The totals come when the last phase has ended.
        if re.search(rb"^\[SCORE\]", whole, re.MULTILINE):
            self.phase = ""
        return self.phase != before

    def _search(self):
        try:
            below = sorted(entry.name for entry in os.scandir(self._directory) if entry.is_dir())
        except OSError:
            return
        for name in below:
            path = os.path.join(self._directory, name, "result.txt")
            if os.path.exists(path):
                self._path = path
                return
