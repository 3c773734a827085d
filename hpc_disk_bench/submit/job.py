"""One run as a batch job: what is measured, and what Slurm has to be asked for."""

import math
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.names import require_name

WRAPPER = Path(__file__).resolve().parents[2] / "io500_wrapper.sh"
RANKS = 16
# Slurm sends the signal this long before the time limit, or up to a minute earlier: enough for a
# run to end its ranks, keep what was measured and remove its data.
SIGNAL, LEAD = "B:USR1", 120  # seconds
TIME = re.compile(r"(?:(?P<days>\d+)-)?(?P<first>\d+)(?::(?P<second>\d+))?(?::(?P<third>\d+))?")
# What a line #SBATCH takes as it stands.
PLAIN = re.compile(r"[\w@%+=:,./\[\]-]+")


@dataclass(frozen=True)
class Job:
    """A run: its target in the results tree, its size, and its place in the cluster."""

    cluster: str
    node: str  # as the results tree names it
    storage: str
    device: str
    test_dir: str  # absolute
    volume: str = ""
    ranks: int = RANKS
    nodes: int = 1
    nodelist: str = ""  # as Slurm names it: n[1-4]
    partition: str = ""
    account: str = ""
    time: str = ""  # as Slurm takes it: 90, 04:00:00, 1-12
    exclusive: bool = False
    sbatch: tuple = ()  # further options of sbatch
    environment: dict = field(default_factory=dict)  # for the run, as text
    job_name: str = ""

    def check(self):
        """UserError where the target cannot be one: the rules of io500_wrapper.sh."""
        for what in ("cluster", "node", "storage", "device"):
            require_name(what, getattr(self, what))
        if self.volume:
            require_name("volume", self.volume)
        # Becomes part of a file's name, by %x.
        require_name("job name", self.name)
        if re.search(r"[#;\x00-\x1f\x7f]", self.test_dir):
            raise UserError(
                f"test_dir {self.test_dir!r}: the benchmark's INI cannot hold '#', ';', line ends"
            )

    @property
    def place(self):
        """The storage as a path of the results tree: nfs/nfs7/hdd."""
        return "/".join(filter(None, (self.storage, self.volume, self.device)))

    @property
    def key(self):
        """Of the run within a campaign."""
        return self.node, self.place

    @property
    def name(self):
        return self.job_name or f"io500.{self.node}.{self.place.replace('/', '.')}"

    @property
    def arguments(self):
        """What io500_wrapper.sh is given."""
        volume = [self.volume] if self.volume else []
        return [self.cluster, self.node, self.storage, self.device, self.test_dir, *volume]

    @property
    def command(self):
        """The run as a line for a shell."""
        return shlex.join([str(WRAPPER), *self.arguments])

    def options(self, output, comment=""):
        """What sbatch is asked for, each as it stands in a line #SBATCH.

        output: the file of the job's output, which Slurm's %j and %x may be part of.
        """
        found = [
            f"--job-name={self.name}",
            f"--nodes={self.nodes}",
            f"--ntasks={self.ranks}",
            f"--output={output}",
            f"--signal={SIGNAL}@{lead(self.time)}",
        ]
        if self.nodes > 1:
            # Else Slurm fills the first node and leaves little for the last.
            found.append(f"--ntasks-per-node={math.ceil(self.ranks / self.nodes)}")
        for option in ("nodelist", "partition", "account", "time"):
            if getattr(self, option):
                found.append(f"--{option}={getattr(self, option)}")
        if self.exclusive:
            found.append("--exclusive")
        if comment:
            found.append(f"--comment={comment}")
        return [quoted(option) for option in (*found, *self.sbatch)]


def quoted(option):
    """An option as one word of a line #SBATCH; UserError where that cannot hold it."""
    if PLAIN.fullmatch(option):
        return option
    if re.search(r'["\\\x00-\x1f\x7f]', option):
        raise UserError(f"{option!r}: a line of #SBATCH cannot hold quotes, backslashes, line ends")
    return f'"{option}"'


def seconds_of(time):
    """A time limit of Slurm in seconds, or None where it is none or has no end."""
    found = TIME.fullmatch(time)
    if not found:
        return None
    numbers = [int(number) for number in found.group("first", "second", "third") if number]
    if found["days"]:  # days-hours[:minutes[:seconds]]
        numbers += [0] * (3 - len(numbers))
    elif len(numbers) < 3:  # minutes[:seconds]
        numbers = [0, *numbers, 0][:3]
    hours, minutes, seconds = numbers
    return int(found["days"] or 0) * 86400 + hours * 3600 + minutes * 60 + seconds


def lead(time):
    """How many seconds before the time limit the run is told of it; a short limit leaves some."""
    limit = seconds_of(time)
    return LEAD if limit is None else max(min(LEAD, limit // 4), 1)
