"""Which mount a path lies on, read from /proc/self/mountinfo (format: proc(5))."""

import os
import re
from typing import NamedTuple, Optional


class Mount(NamedTuple):
    identity: int
    device: tuple[int, int]  # major, minor; major 0 where no block device stands behind
    mount_point: str
    filesystem: str  # nfs4, ext4, fuse.sshfs, ...
    source: str
    options: dict[str, str]  # of the mount and of the file system; "" for an option without value

    @property
    def option_text(self):
        return ",".join(f"{key}={value}" if value else key for key, value in self.options.items())


def read_mounts(proc="/proc"):
    """All mounts of this process, in the order they were made. A line that is none is left out."""
    with open(
        os.path.join(proc, "self/mountinfo"), encoding="utf-8", errors="surrogateescape"
    ) as file:
        return [mount for mount in map(_parse, file) if mount]


def mount_of(path, proc="/proc"):
    """The mount that `path` lies on, or None where the system does not tell.

    Of mounts stacked on one point the last one is seen. A mount that hides a deeper one is told
    apart by the kernel's own answer, where the path is really there.
    """
    mounts = read_mounts(proc)
    path = os.path.realpath(path)
    identity = _mount_identity(path) if proc == "/proc" else None
    for mount in mounts:
        if mount.identity == identity:
            return mount
    above = [mount for mount in mounts if _is_below(path, mount.mount_point)]
    # max() keeps the first of equals: ask in reverse for the last mount of a stack.
    return max(reversed(above), key=lambda mount: len(mount.mount_point), default=None)


def _parse(line):
    fields = line.rstrip("\n").split(" ")
    try:
        separator = fields.index("-", 6)
        identity, device, point, own = fields[0], fields[2], fields[4], fields[5]
        filesystem, source, shared = fields[separator + 1 : separator + 4]
        major, minor = device.split(":")
        options = dict(option.partition("=")[::2] for option in own.split(","))
        for option in shared.split(","):
            key, _, value = decode(option).partition("=")
            options.setdefault(key, value)
        if "ro" in options:  # the file system's own word, which an "rw" of the mount does not undo
            options.pop("rw", None)
        return Mount(
            int(identity),
            (int(major), int(minor)),
            decode(point),
            filesystem,
            decode(source),
            options,
        )
    except ValueError:
        return None


def decode(text):
    r"""the octal escapes of mountinfo and mountstats (\040 for a blank) as what they stand for."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def _is_below(path, directory):
    return path == directory or path.startswith(directory.rstrip("/") + "/")


def _mount_identity(path) -> Optional[int]:
    """The kernel's number of the mount that an existing path lies on, or None."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_PATH", 0))
    except OSError:
        return None
    try:
        with open(f"/proc/self/fdinfo/{handle}", encoding="ascii") as file:
            found = re.search(r"^mnt_id:\s*(\d+)", file.read(), re.MULTILINE)
        return int(found[1]) if found else None
    except OSError:
        return None
    finally:
        os.close(handle)
