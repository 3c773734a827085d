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
# md-workbench is sized to last so long at the rate of mdtest-easy, or at this one without it.
WORKBENCH_SECONDS, WORKBENCH_SETS, WORKBENCH_RATE = 60, 10, 10_000
RANDOM_SEGMENTS = 10_000_000  # of a random phase of 2021, each of blockSize a rank
PREFIXES = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40, "p": 50}


class Kind(NamedTuple):
    """A phase that writes, and where its limit stands."""

    phase: str
    section: str  # of its limit and of the switch it shares with the phases that read
    key: str
    default: Optional[str]
    size: int  # bytes that one of `limit` writes
    files: bool  # whether each of `limit` is a file
    later: int  # how many times as long as its writing the later phases on the same data take
    extended: bool = False
    of_2021: bool = False  # has to be switched on


KINDS = (
    Kind("ior-easy-write", "ior-easy", "blockSize", "9920000m", 1, False, 1),
    Kind("mdtest-easy-write", "mdtest-easy", "n", "1000000", 0, True, 2),
    Kind("mdworkbench-create", "mdworkbench", "precreatePerSet", None, HARD_FILE, True, 2, True),
    Kind("ior-hard-write", "ior-hard", "segmentCount", "10000000", HARD_TRANSFER, False, 1),
    Kind("mdtest-hard-write", "mdtest-hard", "n", "1000000", HARD_FILE, True, 3),
    Kind("ior-rnd4K-write", "ior-rnd4K", "blockSize", "1g", RANDOM_SEGMENTS, False, 1, True, True),
    Kind(
        "ior-rnd1MB-write", "ior-rnd1MB", "blockSize", "1g", RANDOM_SEGMENTS, False, 1, True, True
    ),
)
RANDOM_TRANSFERS = {"ior-rnd4K": 4096, "ior-rnd1MB": 2**20}  # bytes


class Rates(NamedTuple):
    """What the storage takes from the whole run, by a probe of one node."""

    bytes: float  # a second, synchronised
    easy: float  # empty files a second, each process in a directory of its own
    hard: float  # files of 3901 bytes a second, all in one directory
    memory: int  # bytes of page cache that may be filled before a writer has to wait


class Random(NamedTuple):
    """How a random phase of 2021 fills its file: one segment after the other, each in any order."""

    transfer: int  # bytes
    segment: int  # bytes, of all ranks
    prefilled: bool  # each segment is filled before its transfers begin

    def taken(self, count, block):
        """Bytes on a storage with blocks of so many, after `count` bytes were transferred."""
        if not self.segment:  # refused by the benchmark
            return count
        whole, rest = divmod(count, self.segment)
        if self.prefilled:
            return (whole + (rest > 0)) * self.segment
        spread = max(1, block / self.transfer)
        return whole * self.segment + min(self.segment, rest * spread)


class Writer(NamedTuple):
    """A phase that writes until the stonewall or its own limit, whichever comes first."""

    phase: str
    section: str
    key: str
    limit: Optional[int]  # of the key, per rank; None: as much as its time allows
    size: int  # bytes that one of `limit` writes
    files: bool
    later: int
    ranks: int  # that take part
    seconds: float  # the stonewall, or what stands for it
    endless: bool  # no stonewall ends it, only its limit
    random: Optional[Random] = None

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
        if self.endless and self.limit is not None:
            return self.most
        return self.flow(rates) * self.seconds + (0 if self.files else rates.memory)

    def count(self, rates=None, margin=1.0):
        """What is written, in the unit of `most`: by the rates, or as much as the limit allows."""
        if rates is None:
            return self.most if math.isfinite(self.most) else 0
        return min(self.most, margin * self.likely(rates))

    def lasts(self, rates):
        """Seconds until the stonewall or the limit."""
        beyond = max(self.most - (0 if self.files else rates.memory), 0) / self.flow(rates)
        return beyond if self.endless and self.limit is not None else min(self.seconds, beyond)

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
    found = [
        _writer(template, kind, kind.phase, ranks, ranks) for kind in KINDS if _runs(template, kind)
    ]
    if template.mode == "extended" and _on(template, "concurrent", "false"):
        found += _concurrent(template, ranks)
    return found


def _concurrent(template, ranks):
    """Of the ranks the first fifth writes as ior-easy does; the last two work on metadata."""
    easy, workbench = (
        next(kind for kind in KINDS if kind.section == section)
        for section in ("ior-easy", "mdworkbench")
    )
    return [
        _writer(template, easy, "concurrent", ranks // 5, ranks)._replace(later=0),
        _writer(template, workbench, "concurrent", ranks - ranks * 3 // 5, ranks)._replace(later=1),
    ]


def _on(template, section, otherwise="true"):
    return template.setting(section, "run", otherwise).lower() not in ("false", "0")


def _runs(template, kind):
    if kind.extended and template.mode != "extended":
        return False
    shared = _on(template, kind.section, "false" if kind.of_2021 else "true")
    return shared and _on(template, kind.phase)


def _writer(template, kind, phase, taking_part, ranks):
    """The Writer of a Kind in this phase, where so many of the ranks take part."""
    seconds, limit = stonewall(template), template.setting(kind.section, kind.key, kind.default)
    limit = None if limit is None else parse_size(limit)
    endless, random = seconds == 0, None
    if kind.section == "mdworkbench":
        seconds, endless = min(seconds, WORKBENCH_SECONDS), True
        if limit is not None:
            limit *= WORKBENCH_SETS
        elif not _on(template, "mdtest-easy") or not _on(template, "mdtest-easy-write"):
            limit = WORKBENCH_RATE * seconds // ranks
        seconds = seconds * taking_part / ranks  # of files that all ranks would make
    if kind.section == "mdtest-hard" and template.setting("mdtest-hard", "files-per-dir"):
        endless = True
    if kind.section in RANDOM_TRANSFERS:
        prefill = parse_size(template.setting(kind.section, "randomPrefill", "0"))
        random = Random(RANDOM_TRANSFERS[kind.section], limit * ranks, prefill > 0)
    return Writer(
        phase=phase,
        section=kind.section,
        key=kind.key,
        limit=limit,
        size=kind.size,
        files=kind.files,
        later=kind.later,
        ranks=taking_part,
        seconds=seconds,
        endless=endless,
        random=random,
    )


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
        count = writer.count(rates, margin)
        if writer.files:
            total_files += count
            total_bytes += count * (math.ceil(writer.size / block) * block + ENTRY)
        else:
            total_files += writer.ranks
            total_bytes += writer.random.taken(count, block) if writer.random else count
    return Amount(total_bytes, total_files)


def duration(found, rates):
    """About how many seconds the whole run takes.

    Data that was written in a time is read, looked up and removed in about as much each; the random
    read at the end lasts for a stonewall, and so does `concurrent` whatever it writes.
    """
    seconds = 0
    for writer in found:
        written = writer.lasts(rates)
        if writer.phase == "concurrent" and not writer.files:
            written = writer.seconds
        seconds += written * (1 + writer.later)
        if writer.phase == "ior-easy-write" and not any(one.random for one in found):
            seconds += writer.seconds
        if not writer.files:
            seconds += min(rates.memory, writer.most) / rates.bytes  # what the cache still holds
    return seconds


def _rounded(number):
    """Up to two digits that count: 131072 is 140000."""
    step = 10 ** max(len(str(math.ceil(number))) - 2, 0)
    return math.ceil(number / step) * step
