"""Where the storage behind a directory is not what the user called it."""

import re

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
