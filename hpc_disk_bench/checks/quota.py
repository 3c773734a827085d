"""How much a user may still write by his quotas, as the kernel or the file system's tool tells.

quotactl(2) knows those of local file systems. NFS and Lustre keep theirs on servers, which `quota`
and `lfs quota` ask.
"""

import ctypes
import fcntl
import os
import shutil
import struct
import subprocess
from typing import NamedTuple, Optional

GET = 0x800007  # Q_GETQUOTA of <linux/quota.h>
USER, GROUP, PROJECT = 0, 1, 2
# struct if_dqblk: limits of blocks (hard, soft), bytes in use, limits of inodes, inodes in use,
# two times, and which of them are valid
BLOCK_LIMITS = struct.Struct("=8QI4x")
UNIT = 1024  # bytes, of every limit
PROJECT_OF = 0x801C581F  # FS_IOC_FSGETXATTR of <linux/fs.h>
XATTR = struct.Struct("=5I8x")
PATIENCE = 5  # seconds for a tool


class Limit(NamedTuple):
    kind: str  # user, group or project
    bytes_left: Optional[int]  # None: not limited
    files_left: Optional[int]


def limits(directory, facts):
    """The Limits that hold for this process below a directory; facts: of storage.inspect()."""
    # CAP_SYS_RESOURCE passes every quota of a local file system, and root of a server.
    if os.geteuid() == 0:
        return []
    filesystem, point = facts["filesystem"], facts["mount_point"]
    if filesystem in ("nfs", "nfs4"):
        return _told("user", ["quota", "-w", "-p", "-f", point])
    if filesystem == "lustre":
        return [
            *_told("user", ["lfs", "quota", "-q", "-u", str(os.geteuid()), point]),
            *_told("group", ["lfs", "quota", "-q", "-g", str(os.getegid()), point]),
        ]
    if not (facts["source"] or "").startswith("/dev/"):
        return []
    asked = [("user", USER, os.geteuid()), ("group", GROUP, os.getegid())]
    project = _project(directory)
    if project:
        asked.append(("project", PROJECT, project))
    found = [_ask(name, kind, facts["source"], identity) for name, kind, identity in asked]
    return [limit for limit in found if limit]


def left(limit, used):
    """What a limit leaves, both in one unit; None where there is no limit."""
    return max(limit - used, 0) if limit else None


def _ask(name, kind, device, identity):
    libc = ctypes.CDLL(None, use_errno=True)
    answer = ctypes.create_string_buffer(BLOCK_LIMITS.size)
    if libc.quotactl((GET << 8) | kind, os.fsencode(device), identity, answer):
        return None  # no quotas here, or none that this user may see
    hard, soft, used, file_hard, file_soft, files, *_ = BLOCK_LIMITS.unpack(answer.raw)
    return _limit(name, (hard or soft) * UNIT, used, file_hard or file_soft, files)


def _told(name, command):
    """Of a tool's table: blocks in use, their limits (soft, hard), grace; the same of files."""
    if not shutil.which(command[0]):
        return []
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        fields = [field.rstrip("*") for field in line.split()[-8:]]
        if len(fields) == 8 and all(fields[at].isdigit() for at in (0, 1, 2, 4, 5, 6)):
            used, soft, hard, _, files, file_soft, file_hard, _ = fields
            most = int(hard) or int(soft)
            found = _limit(
                name, most * UNIT, int(used) * UNIT, int(file_hard) or int(file_soft), int(files)
            )
            return [found] if found else []
    return []


def _limit(name, limit, used, file_limit, files):
    found = Limit(name, left(limit, used), left(file_limit, files))
    return None if found[1:] == (None, None) else found


def _project(directory):
    """The project that a directory's files are counted to, 0 for none."""
    try:
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return 0
    try:
        answer = fcntl.ioctl(handle, PROJECT_OF, bytes(XATTR.size))
        return XATTR.unpack(answer)[3]
    except OSError:
        return 0
    finally:
        os.close(handle)
