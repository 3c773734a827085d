"""What a configuration writes: at most by its own limits, and likely by the rates of this storage.

All of it lies on the storage at once: the benchmark reads what it wrote, and removes it at the end.
"""

import math
import re
from typing import NamedTuple, Optional

# Ranks of one speed write what the probe foretells; the fastest one sets what all of them write.
MARGIN = 1.5
HARD_TRANSFER, HARD_FILE = 47008, 3901  # bytes, fixed by the rules of IO500
# An inode and a directory entry, where a file system has not set them aside in advance.
ENTRY = 512  # bytes
WORKBENCH_SECONDS, WORKBENCH_SETS = 60, 10  # md-workbench is sized to last so long
PREFIXES = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40, "p": 50}
# section of the configuration, its key, its default, bytes that one of it writes, whether each is a
# file; the last two: of the extended mode, and whether it has to be switched on
WRITERS = (
    ("ior-easy", "blockSize", "9920000m", 1, False, False, False),
    ("mdtest-easy", "n", "1000000", 0, True, False, False),
    ("mdworkbench", "precreatePerSet", None, HARD_FILE, True, True, False),
    ("ior-hard", "segmentCount", "10000000", HARD_TRANSFER, False, False, False),
    ("mdtest-hard", "n", "1000000", HARD_FILE, True, False, False),
    ("ior-rnd4K", "blockSize", "1g", 1, False, True, True),
    ("ior-rnd1MB", "blockSize", "1g", 1, False, True, True),
)


class Rates(NamedTuple):
    """What the storage takes from the whole run, by a probe of one node."""

    bytes: float  # a second, synchronised
    easy: float  # empty files a second, each process in a directory of its own
    hard: float  # files of 3901 bytes a second, all in one directory
    memory: int  # bytes of page cache that may be filled before a writer has to wait


class Writer(NamedTuple):
    """A phase that writes until the stonewall or its own limit, whichever comes first."""

    section: str
    key: str
    limit: Optional[int]  # of the key, per rank; None: as much as its time allows
    size: int  # bytes that one of `limit` writes
    files: bool
    ranks: int
    seconds: int  # the stonewall, or what stands for it

    @property
    def most(self):
        """By its limit, over all ranks: bytes, or files where it makes files."""
        if self.limit is None:
            return math.inf
        return self.limit * self.ranks * (1 if self.files else self.size)

    def flow(self, rates):
        """What the storage takes a second, in the unit of `most`."""
        if not self.files:
            return rates.bytes
        # md-workbench is sized by the rate of mdtest-easy.
        return rates.hard if self.section == "mdtest-hard" else rates.easy

    def likely(self, rates):
        """What is written until the stonewall, in the unit of `most`, were there no limit."""
        return self.flow(rates) * self.seconds + (0 if self.files else rates.memory)

    def lasts(self, rates):
        """Seconds until the stonewall or the limit."""
        beyond = max(self.most - (0 if self.files else rates.memory), 0)
        return min(self.seconds, beyond / self.flow(rates))

    def would_do(self, rates):
        """A limit per rank that outlasts the stonewall, as one writes it."""
        needed = MARGIN * self.likely(rates) / self.ranks / (1 if self.files else self.size)
        if self.key == "blockSize":
            return f"{_rounded(needed / 2**20)}m"
        return str(_rounded(needed))


class Amount(NamedTuple):
    bytes: float
    files: float


def writers(template, ranks):
    """The Writers of a template of hpc_disk_bench.configuration, for so many ranks."""
    found = []
    for section, key, default, size, files, extended, asked in WRITERS:
        if extended and template.mode != "extended":
            continue
        on = template.setting(section, "run", "false" if asked else "true")
        own = template.setting(f"{section}-write", "run", "true")
        if on.lower() in ("false", "0") or own.lower() in ("false", "0"):
            continue
        seconds, limit = stonewall(template), template.setting(section, key, default)
        limit = None if limit is None else parse_size(limit)
        if section == "mdworkbench":
            seconds = min(seconds, WORKBENCH_SECONDS)
            limit = limit and limit * WORKBENCH_SETS
        found.append(Writer(section, key, limit, size, files, ranks, seconds))
    return found


def stonewall(template):
    """Seconds; 0 where the template has no number, which the benchmark refuses by itself."""
    text = template.setting("debug", "stonewall-time", "300")
    return int(text) if text.isdigit() else 0


def parse_size(text):
    """2m in bytes, as the benchmark reads it. 0 where it is none, which that refuses by itself."""
    found = re.fullmatch(r"(\d+)([kmgtp]?)", text.strip().lower())
    return int(found[1]) << PREFIXES[found[2]] if found else 0


def amount(found, block, rates=None, margin=1.0):
    """The Amount of several Writers: with rates the likely one, at most what their limits allow.

    block: bytes in which the file system gives out space. A phase without a limit counts only by
    its rate.
    """
    total_bytes = total_files = 0
    for writer in found:
        count = writer.most if rates is not None or math.isfinite(writer.most) else 0
        if rates is not None:
            count = min(count, margin * writer.likely(rates))
        if writer.files:
            total_files += count
            total_bytes += count * (math.ceil(writer.size / block) * block + ENTRY)
        else:
            total_files += writer.ranks
            total_bytes += count
    return Amount(total_bytes, total_files)


def duration(found, rates):
    """About how many seconds the whole run takes.

    Data that was written in a time is read, looked up and removed in about as much each; the random
    read at the end lasts for a stonewall.
    """
    seconds = 0
    for writer in found:
        written = writer.lasts(rates)
        later = {"ior-easy": 1, "ior-hard": 1, "mdtest-easy": 2, "mdtest-hard": 3}
        seconds += written * (1 + later.get(writer.section, 2))
        if writer.section == "ior-easy":
            seconds += writer.seconds
        if not writer.files:
            seconds += min(rates.memory, writer.most) / rates.bytes  # what the cache still holds
    return seconds


def _rounded(number):
    """Up to two digits that count: 131072 is 140000."""
    step = 10 ** max(len(str(math.ceil(number))) - 2, 0)
    return math.ceil(number / step) * step
