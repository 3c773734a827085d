"""Two directories for the demo, on different file systems where this machine has them.

Prints a line for each: storage, device, volume and directory, with tabs between. The names say what
the system itself says is there; the directories need not exist.
"""

import os
import tempfile
from pathlib import Path

from hpc_disk_bench.checks.declared import MEMORY, NETWORK
from hpc_disk_bench.storage import inspect

ROOT = Path(__file__).resolve().parent.parent
# The quick configuration writes 1.5 GiB and 140,000 files with two ranks.
ENOUGH_BYTES = 3 << 30
ENOUGH_INODES = 300_000


def names(facts):
    """(storage, device) in the words that the wrapper takes."""
    filesystem = facts["filesystem"] or "unknown"
    if filesystem in MEMORY:
        return "local", "ram"
    device = {True: "hdd", False: "ssd", None: "disk"}[facts["rotational"]]
    if filesystem in NETWORK or filesystem.startswith("fuse"):
        return {"nfs4": "nfs"}.get(filesystem, filesystem.removeprefix("fuse.")), device
    return "local", device


def usable(directory, facts):
    if not os.access(directory, os.W_OK | os.X_OK) or facts["free_bytes"] < ENOUGH_BYTES:
        return False
    if facts["filesystem"] in MEMORY and available_memory() < 2 * ENOUGH_BYTES:
        return False
    return facts["inodes_free"] is None or facts["inodes_free"] >= ENOUGH_INODES


def available_memory():
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def second_place():
    """(volume, directory) on another file system than the clone's, or None."""
    own = ROOT.stat().st_dev
    for place in (tempfile.gettempdir(), "/var/tmp", "/dev/shm"):
        elsewhere = os.path.isdir(place) and os.stat(place).st_dev != own
        if elsewhere and usable(place, inspect(place)):
            return Path(place).name, Path(place)
    return None


def main():
    first = ROOT / "demo_data"
    print(*names(inspect(ROOT)), "clone", first, sep="\t")
    if found := second_place():
        volume, place = found
        directory = place / f"hpc-disk-bench-demo-{os.getuid()}-{os.getpid()}"
        print(*names(inspect(place)), volume, directory, sep="\t")
    else:
        print(*names(inspect(ROOT)), "clone-again", first, sep="\t")


if __name__ == "__main__":
    main()
