"""The Lustre client's counters of one file system (lctl get_param llite.*.stats)."""

import glob
import os

from hpc_disk_bench.telemetry.counters import Rates, Source

PLACES = ("proc/fs/lustre/llite", "sys/kernel/debug/lustre/llite", "sys/fs/lustre/llite")
BYTES = {b"read_bytes": 0, b"write_bytes": 1}


class Lustre:
    def __init__(self, source, root="/"):
        """source: of the mount, 10.0.0.1@o2ib:/scratch; its last part is the file system."""
        name = source.rpartition("/")[2]
        found = [
            path
            for place in PLACES
            for path in sorted(
                glob.glob(os.path.join(root, place, glob.escape(name) + "-*", "stats"))
            )
        ]
        self._file = Source(found[0]) if found else None
        self._rates = Rates()

    def sample(self, seconds):
        """The columns of this source for an interval of so many seconds."""
        text = self._file.read() if self._file else b""
        if not text:
            return {}
        grown = self._rates.grown("lustre", parse(text))
        if grown is None:
            return {}
        read, written, calls = grown
        return {
            "lustre_operations_per_s": calls / seconds,
            "lustre_read_bytes_per_s": read / seconds,
            "lustre_written_bytes_per_s": written / seconds,
        }


def parse(text):
    """[bytes read, bytes written, calls] of a stats file.

    A line: write_bytes 812 samples [bytes] 1 1048576 851443712; of others the samples alone count.
    """
    moved, calls = [0, 0], 0
    for line in text.splitlines():
        words = line.split()
        if len(words) < 4 or words[2] != b"samples" or not words[1].isdigit():
            continue
        calls += int(words[1])
        if words[0] in BYTES and len(words) >= 7 and words[6].isdigit():
            moved[BYTES[words[0]]] = int(words[6])
    return [*moved, calls]
