"""What is really behind a directory, and where that contradicts what the user called it."""

import os
import re
import shutil
import subprocess

from hpc_disk_bench.devices import device_numbers, find_device
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
# File systems by the storage types that they are sold under. What a user may call his storage is
# open; a word that is not here is only checked against memory.
FAMILIES = {
    "nfs": ("nfs", "nfs4"),
    "powerscale": ("nfs", "nfs4", "cifs", "smb3"),
    "isilon": ("nfs", "nfs4", "cifs", "smb3"),
    "lustre": ("lustre",),
    "gpfs": ("gpfs",),
    "scale": ("gpfs",),
    "beegfs": ("beegfs",),
    "ceph": ("ceph", "fuse.ceph", "fuse.ceph-fuse"),
    "cephfs": ("ceph", "fuse.ceph", "fuse.ceph-fuse"),
    "gluster": ("glusterfs", "fuse.glusterfs"),
    "glusterfs": ("glusterfs", "fuse.glusterfs"),
}
NETWORK = {name for family in FAMILIES.values() for name in family} | {
    *("9p", "afs", "cifs", "smb3", "panfs", "pvfs2", "orangefs", "virtiofs", "wekafs", "gfs2"),
    *("fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.dfuse", "fuse.daos", "fuse.juicefs"),
    *("fuse.mfs", "fuse.moosefs", "fuse.quobyte", "fuse.hdfs"),
}
MEMORY = ("tmpfs", "ramfs", "devtmpfs")
# A host and a path (server:/export, mfs#host:9421) as the source of a FUSE mount: no local disk.
REMOTE_SOURCE = re.compile(r"^(?://|[\w.@-]+#|\[[0-9a-f:]+\]:|[\w.@-]+:/?)")
FLASH, DISKS = ("ssd", "nvme", "flash"), ("hdd",)


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


def contradictions(storage_type, device_type, facts):
    """Sentences on where the facts of inspect() contradict what the user declared."""
    filesystem, source, point = facts["filesystem"], facts["source"], facts["mount_point"]
    if filesystem is None:
        return ["what is behind the test directory cannot be told: no mount was found for it"]
    found = []
    is_memory = filesystem in MEMORY
    remote = filesystem in NETWORK or (
        filesystem.startswith("fuse") and bool(REMOTE_SOURCE.match(source))
    )
    what = f"{point} is {filesystem} from {source}"
    declared = storage_type.lower()
    if is_memory and not {declared, device_type.lower()} & {"tmpfs", "ramfs", "ram", "memory"}:
        found.append(f"declared {storage_type} {device_type}, but {point} is memory ({filesystem})")
    elif declared == "local" and remote:
        found.append(f"declared local, but {what}, over the network")
    elif declared in FAMILIES and filesystem not in FAMILIES[declared]:
        found.append(f"declared {storage_type}, but {what}")
    elif filesystem == "overlay":
        found.append(
            f"{point} is a container's overlay; what it lies on is not named by the system"
        )
    if facts["rotational"] is not None:
        found += _spin(device_type, facts)
    return found


def _spin(device_type, facts):
    device = facts["block_device"]
    if facts["device_model"]:
        device += f" ({facts['device_model']})"
    # Virtual disks and RAID controllers may pass on no flag of their own, hence "says".
    if device_type.lower() in FLASH and facts["rotational"]:
        return [f"declared {device_type}, but the kernel says that {device} rotates"]
    if device_type.lower() in DISKS and not facts["rotational"]:
        return [f"declared {device_type}, but the kernel says that {device} does not rotate"]
    return []


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
    # btrfs and the like show a number of no device; their source names one.
    numbers = mount.device if mount.device[0] else device_numbers(mount.source)
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
