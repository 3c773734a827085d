"""The block device behind a file system: its name, its model, and whether it rotates.

Read from /sys, through partitions and through what is stacked on other devices (md, dm).
"""

import os
from pathlib import Path
from typing import NamedTuple, Optional


class Device(NamedTuple):
    name: str  # as in /dev: nvme0n1p2, md126, dm-0
    model: Optional[str]  # of the disks at the bottom, joined by " + "
    rotational: Optional[bool]  # the kernel's word, which virtual disks and RAID controllers bend


def find_device(numbers, sys="/sys"):
    """The block device with these numbers (major, minor), or None where there is none."""
    major, minor = numbers
    path = Path(sys, "dev/block", f"{major}:{minor}")
    if major == 0 or not path.exists():
        return None
    path = path.resolve()
    disks = list(_disks(path, set()))
    models = sorted({model for model in map(_model, disks) if model})
    return Device(path.name, " + ".join(models) or None, _rotational(_whole(path), disks))


def device_numbers(path):
    """(major, minor) of the block device that a file such as /dev/sda1 stands for, or None."""
    try:
        number = os.stat(path).st_rdev
    except OSError:
        return None
    return (os.major(number), os.minor(number)) if number else None


def numbers_behind(mount):
    """(major, minor) of the block device behind a mounts.Mount, or None where there is none.

    btrfs and the like show a number of no device; their source names one.
    """
    return mount.device if mount.device[0] else device_numbers(mount.source)


def _whole(path):
    """The disk that a partition is part of; the device itself where it is no partition."""
    return path.parent if (path / "partition").exists() else path


def _disks(path, seen):
    """The disks at the bottom of a device that may be stacked on others."""
    path = _whole(path)
    if path in seen:
        return
    seen.add(path)
    slaves = path / "slaves"
    below = sorted(slaves.iterdir()) if slaves.is_dir() else []
    if not below:
        yield path
    for slave in below:
        yield from _disks(slave.resolve(), seen)


def _model(disk):
    return _read(disk / "device/model")


def _rotational(device, disks):
    flags = [_read(path / "queue/rotational") for path in (device, *disks)]
    known = [flag == "1" for flag in flags if flag in ("0", "1")]
    return known[0] if known else None


def _read(path):
    try:
        return " ".join(path.read_text(encoding="utf-8", errors="replace").split()) or None
    except OSError:
        return None
