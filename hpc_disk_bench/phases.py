"""The phases of IO500: which there are, what they measure and which score they count to.

The one table of it on the Python side. Order is the order of a run. Source: the rules of IO500.
"""

from typing import NamedTuple, Optional


class Phase(NamedTuple):
    name: str
    group: Optional[str]  # which mean of SCORE it enters: "bandwidth", "iops" or None
    operation: str  # write, read, stat, delete, find, or "" for what is no operation on storage
    difficulty: str  # easy, hard or ""
    stonewalled: bool = False  # a write phase, which has to last stonewall-time

    @property
    def unit(self):
        return "GiB/s" if self.name.startswith("ior") else "kIOPS"

    @property
    def column(self):
        """The phase's name as it starts a column of the table: ior_easy_write."""
        return self.name.replace("-", "_")


PHASES = (
    Phase("ior-easy-write", "bandwidth", "write", "easy", stonewalled=True),
    Phase("mdtest-easy-write", "iops", "write", "easy", stonewalled=True),
    Phase("timestamp", None, "", ""),
    Phase("ior-hard-write", "bandwidth", "write", "hard", stonewalled=True),
    Phase("mdtest-hard-write", "iops", "write", "hard", stonewalled=True),
    Phase("find", "iops", "find", ""),
    Phase("ior-easy-read", "bandwidth", "read", "easy"),
    Phase("mdtest-easy-stat", "iops", "stat", "easy"),
    Phase("ior-hard-read", "bandwidth", "read", "hard"),
    Phase("mdtest-hard-stat", "iops", "stat", "hard"),
    Phase("mdtest-easy-delete", "iops", "delete", "easy"),
    Phase("mdtest-hard-read", "iops", "read", "hard"),
    Phase("mdtest-hard-delete", "iops", "delete", "hard"),
    Phase("ior-rnd4K-easy-read", None, "read", "random"),
)
BY_NAME = {phase.name: phase for phase in PHASES}
SCORED = tuple(phase for phase in PHASES if phase.group)
BANDWIDTH = tuple(phase for phase in SCORED if phase.group == "bandwidth")
IOPS = tuple(phase for phase in SCORED if phase.group == "iops")
