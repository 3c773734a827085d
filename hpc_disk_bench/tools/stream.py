"""What this project's stream prints, and its CSV: the bandwidth of each rank, and of all."""

import csv
import re
from collections import Counter

from hpc_disk_bench.tools import words
from hpc_disk_bench.tools.ior_files import naive_sums
from hpc_disk_bench.tools.model import (
    BANDWIDTH,
    BYTES_IN_GIB,
    MIB_IN_GIB,
    NAIVE_SUM,
    Iteration,
    Rank,
    ToolRun,
    collect,
    operation_of,
    scaled,
    whole,
)

START = re.compile(r"stream-(?P<version>\S+): embedded engine")
CSV_HEAD = "access,rank,host,"
_HEAD = re.compile(r"(?P<key>Command line|File|Direct I/O|Transfer|Volume)\s*: (?P<value>.*)")
_VOLUME = re.compile(
    r"(?P<total>.+?) in total, (?P<rank>.+?) a rank, (?P<ranks>\d+) ranks on (?P<nodes>\d+) nodes"
)
_RANK = re.compile(
    r"\s*Rank=(?P<rank>\d+): host=(?P<host>\S+) total IO = (?P<size>\d+ \w+)"
    r" time = (?P<time>[\d.]+) s IO bandwidth = (?P<value>\S+) MiB/s"
)
_NAIVE = re.compile(r"\s*Naive linear bandwidth summation = (?P<value>\S+) MiB/s")
_PRECISE = re.compile(
    r"\s*More precise calculation of bandwidth = (?P<value>\S+) MiB/s \((?P<time>[\d.]+) s "
)
_WRONG = re.compile(r"WARNING: Incorrect data")


def parse(lines):
    """[ToolRun] of one call; lines: from the one that START matches on."""
    head, directions, name = {}, {}, None
    for line in lines:
        if line.strip() in ("write", "read"):
            name = line.strip()
            directions[name] = _Direction()
        elif name:
            directions[name].take(line)
        elif pair := _HEAD.match(line):
            head[pair["key"]] = pair["value"].strip()
    volume = _VOLUME.match(head.get("Volume", ""))
    errors, warnings = words.messages(lines)
    command = head.get("Command line")
    return [
        ToolRun(
            tool="stream",
            form="text",
            version=START.match(lines[0])["version"],
            command=command,
            ranks=volume and whole(volume["ranks"]),
            nodes=volume and whole(volume["nodes"]),
            options={
                "direct_io": {"yes": True, "no": False}.get(head.get("Direct I/O")),
                "access": _access(head.get("File")),
                "order": "sequential",
                "transfer_bytes": words.size(head.get("Transfer", "")),
                "block_bytes": volume and words.size(volume["rank"]),
                "total_bytes": volume and words.size(volume["total"]),
                "path": head.get("File", "").replace(".<rank>", "") or None,
            },
            operations=tuple(
                one for key, told in directions.items() for one in told.operations(key)
            ),
            partial=not directions or any(one.precise is None for one in directions.values()),
            errors=collect(errors),
            warnings=collect(warnings),
        )
    ]


class _Direction:
    """Writing or reading, while its lines come in."""

    def __init__(self):
        self.ranks, self.naive, self.precise, self.wrong = [], None, None, []

    def take(self, line):
        if row := _RANK.match(line):
            self.ranks.append(
                Rank(
                    int(row["rank"][:9]),
                    row["host"],
                    scaled(row["value"], MIB_IN_GIB),
                    scaled(row["time"], 1),
                    words.size(row["size"]),
                )
            )
        elif row := _NAIVE.match(line):
            self.naive = row
        elif row := _PRECISE.match(line):
            self.precise = row
        elif _WRONG.match(line):
            self.wrong.append(line)

    def operations(self, name):
        """What a job gets, and the sum of what each rank reached by itself: never less."""
        reasons = collect(self.wrong)
        if self.precise:
            row = self._iteration(self.precise, scaled(self.precise["time"], 1))
            yield operation_of(name, BANDWIDTH, [row], reasons=reasons)
        if self.naive:
            slowest = max((rank.time for rank in self.ranks if rank.time is not None), default=None)
            row = self._iteration(self.naive, slowest)
            yield operation_of(name, NAIVE_SUM, [row._replace(ranks=tuple(self.ranks))],
                               reasons=reasons)  # fmt: skip

    @staticmethod
    def _iteration(row, time):
        return Iteration(0, scaled(row["value"], MIB_IN_GIB), time)


def _access(file):
    if not file:
        return None
    return "file-per-process" if file.endswith(".<rank>") else "single-shared-file"


def parse_csv(lines):
    """[ToolRun] of the CSV with a row a rank and direction."""
    found, errors = {}, Counter()
    for row in csv.DictReader(lines):
        access, rank = row.get("access"), whole(row.get("rank") or "")
        if row.get("rank") == "errors":
            errors[access] += whole(row.get("host")) or 0
        if access in ("write", "read") and rank is not None:
            value = scaled(row.get("bandwidth_Bps") or "", BYTES_IN_GIB)
            time, size = scaled(row.get("time_s") or "", 1), whole(row.get("bytes") or "")
            entry = Rank(rank, row.get("host"), value, time, size)
            found.setdefault(access, [{}])[-1][rank] = entry
    return naive_sums("stream", found, errors)
