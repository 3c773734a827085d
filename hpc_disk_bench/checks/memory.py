"""This node's memory, as far as it stands between the benchmark and the storage."""

import os
import re
from pathlib import Path


def total(proc="/proc"):
    """Bytes that the kernel can use, 0 where it does not tell."""
    return _of("MemTotal", proc)


def may_be_dirty(proc="/proc"):
    """Bytes that writers may leave in the page cache before they have to wait for the storage."""
    in_bytes = _number(Path(proc, "sys/vm/dirty_bytes"))
    if in_bytes:
        return in_bytes
    return _of("MemAvailable", proc) * _number(Path(proc, "sys/vm/dirty_ratio")) // 100


def droppable(proc="/proc"):
    """Whether this user may drop the page cache without a password's sudo."""
    return os.access(os.path.join(proc, "sys/vm/drop_caches"), os.W_OK)


def _of(key, proc):
    try:
        text = Path(proc, "meminfo").read_text("ascii")
    except (OSError, UnicodeDecodeError):
        return 0
    found = re.search(rf"^{key}:\s*(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def _number(path):
    try:
        return int(path.read_text("ascii"))
    except (OSError, ValueError):
        return 0
