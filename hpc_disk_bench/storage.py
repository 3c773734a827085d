"""What is really behind a directory: its file system, space, block device and mount settings."""

import os
import re
import shutil
import subprocess

from hpc_disk_bench.devices import find_device, numbers_behind
from hpc_disk_bench.mounts import mount_of

KEYS = (
    "mount_point",
    "filesystem",
    "source",
    "options",
    "size_bytes",
    "free_bytes",
    "inodes",
    "inodes_free",
    "block_device",
    "device_model",
    "rotational",
    "nfs_version",
    "nfs_rsize",
    "nfs_wsize",
    "lustre_stripe_count",
    "lustre_stripe_size",
)


def inspect(directory, proc="/proc", sys="/sys"):
    """The storage{} of run_metadata.json, keys as in KEYS, None where the system does not tell."""
    facts = dict.fromkeys(KEYS)
    facts.update(_space(directory))
    mount = mount_of(directory, proc)
    if mount is None:
        return facts
    facts.update(
        mount_point=mount.mount_point,
        filesystem=mount.filesystem,
        source=mount.source,
        options=mount.option_text,
    )
    facts.update(_device_facts(mount, sys))
    if mount.filesystem in ("nfs", "nfs4"):
        facts["nfs_version"] = mount.options.get("vers") or mount.options.get("nfsvers")
        facts["nfs_rsize"] = _whole_number(mount.options.get("rsize"))
        facts["nfs_wsize"] = _whole_number(mount.options.get("wsize"))
    if mount.filesystem == "lustre":
        facts.update(_lustre_stripe(directory))
    return facts


def _space(directory):
    """Bytes and inodes as an ordinary user sees them. Some file systems count no inodes."""
    try:
        status = os.statvfs(directory)
    except OSError:
        return {}
    return {
        "size_bytes": status.f_frsize * status.f_blocks,
        "free_bytes": status.f_frsize * status.f_bavail,
        "inodes": status.f_files or None,
        "inodes_free": status.f_favail if status.f_files else None,
    }


def _device_facts(mount, sys):
    numbers = numbers_behind(mount)
    device = find_device(numbers, sys) if numbers else None
    if device is None:
        return {}
    return {
        "block_device": device.name,
        "device_model": device.model,
        "rotational": device.rotational,
    }


def _lustre_stripe(directory):
    """The default stripe of a directory, as Lustre's own tool tells it."""
    if not shutil.which("lfs"):
        return {}
    try:
        answer = subprocess.run(
            ["lfs", "getstripe", "-d", "--", os.fspath(directory)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=10,
            check=False,
        ).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.SubprocessError):
        return {}
    count = re.search(r"stripe_count:\s*(-?\d+)", answer)
    size = re.search(r"stripe_size:\s*(\d+)", answer)
    return {
        "lustre_stripe_count": int(count[1]) if count else None,
        "lustre_stripe_size": int(size[1]) if size else None,
    }


def _whole_number(text):
    return int(text) if text and text.isdigit() else None
