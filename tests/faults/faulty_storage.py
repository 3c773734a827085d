"""A file system in memory whose operations fail on demand: FUSE, spoken with the kernel directly.

    python faulty_storage.py MOUNTPOINT [OPERATION NAME AFTER ERRNO]

From the AFTER-th on, calls of OPERATION (create, mkdir, write, fsync, read, unlink) on what is
called NAME (a pattern) end with ERRNO, or take so many seconds where that is a number. Prints a
line once it is mounted; ends when it is unmounted.
"""

import ctypes
import errno
import fnmatch
import os
import stat
import struct
import sys
import time

HEADER, REPLY = struct.Struct("<IIQQIIII"), struct.Struct("<IiQ")
MOST = 131072  # bytes of one write
ROOT = 1


class Node:
    """A file or a directory."""

    def __init__(self, number, name, mode):
        self.number, self.name, self.mode = number, name, mode
        self.data, self.children, self.times = bytearray(), {}, [time.time()] * 3

    def attributes(self):
        size = len(self.data)
        seconds = [int(at) for at in self.times]
        parts = [int(at % 1 * 1e9) for at in self.times]
        rest = (self.mode, 2 if self.children else 1, 0, 0, 0, 4096, 0)
        return struct.pack("<6Q10I", self.number, size, -(-size // 512), *seconds, *parts, *rest)


class Storage:
    """Answers requests. Methods are called as FUSE names its operations."""

    open_flags = 0  # of the kernel: 1 is past its page cache

    def __init__(self, fault):
        self.nodes = {ROOT: Node(ROOT, "", stat.S_IFDIR | 0o777)}
        self.last, self.fault, self.calls = ROOT, fault, 0

    def check(self, operation, name):
        if self.fault and operation == self.fault[0] and fnmatch.fnmatch(name, self.fault[1]):
            self.calls += 1
            if self.calls >= self.fault[2]:
                if isinstance(self.fault[3], int):
                    raise OSError(self.fault[3], "")
                time.sleep(self.fault[3])

    def init(self, node, body):
        _, minor, ahead, _ = struct.unpack_from("<IIII", body)
        return struct.pack(
            "<IIIIHHIIHHI7I", 7, min(minor, 31), ahead, 1 << 5, 16, 12, MOST, 1, 0, 0, *[0] * 8
        )

    def lookup(self, node, body):
        name = text(body)
        if name not in node.children:
            raise OSError(errno.ENOENT, "")
        return entry(node.children[name])

    def getattr(self, node, body):
        return struct.pack("<QII", 0, 0, 0) + node.attributes()

    def setattr(self, node, body):
        valid, size, mode = (
            *struct.unpack_from("<I", body),
            *struct.unpack_from("<Q", body, 16),
            *struct.unpack_from("<I", body, 68),
        )
        if valid & 1:
            node.mode = stat.S_IFMT(node.mode) | stat.S_IMODE(mode)
        if valid & 8:
            del node.data[size:]
            node.data.extend(bytes(size - len(node.data)))
        return self.getattr(node, body)

    def make(self, above, name, mode):
        self.last += 1
        made = self.nodes[self.last] = Node(self.last, name, mode)
        above.children[name] = made
        return made

    def mkdir(self, node, body):
        name = text(body[8:])
        self.check("mkdir", name)
        mode = struct.unpack_from("<I", body)[0]
        return entry(self.make(node, name, stat.S_IFDIR | mode))

    def mknod(self, node, body):
        name = text(body[16:])
        self.check("create", name)
        return entry(self.make(node, name, struct.unpack_from("<I", body)[0]))

    def create(self, node, body):
        name = text(body[16:])
        self.check("create", name)
        made = self.make(node, name, stat.S_IFREG | struct.unpack_from("<II", body)[1] & 0o7777)
        return entry(made) + self.open(made, body)

    def symlink(self, node, body):
        name, target = body.split(b"\0")[:2]
        made = self.make(node, os.fsdecode(name), stat.S_IFLNK | 0o777)
        made.data[:] = target
        return entry(made)

    def readlink(self, node, body):
        return bytes(node.data)

    def unlink(self, node, body):
        name = text(body)
        self.check("unlink", name)
        del node.children[name]

    def rmdir(self, node, body):
        if node.children[text(body)].children:
            raise OSError(errno.ENOTEMPTY, "")
        del node.children[text(body)]

    def rename(self, node, body, names=8):
        above = self.nodes[struct.unpack_from("<Q", body)[0]]
        old, new = map(os.fsdecode, body[names:].split(b"\0")[:2])
        moved = node.children.pop(old)
        moved.name = new
        above.children[new] = moved

    def rename2(self, node, body):
        return self.rename(node, body, names=16)

    def open(self, node, body):
        return struct.pack("<QII", 0, self.open_flags, 0)

    def opendir(self, node, body):
        return struct.pack("<QII", 0, 0, 0)

    def read(self, node, body):
        self.check("read", node.name)
        offset, size = struct.unpack_from("<QI", body, 8)
        return bytes(node.data[offset : offset + size])

    def write(self, node, body):
        self.check("write", node.name)
        offset, size = struct.unpack_from("<QI", body, 8)
        node.data.extend(bytes(max(offset - len(node.data), 0)))
        node.data[offset : offset + size] = body[40 : 40 + size]
        return struct.pack("<II", size, 0)

    def fsync(self, node, body):
        self.check("fsync", node.name)

    def statfs(self, node, body):
        free = 1 << 24
        return struct.pack("<5Q4I6I", free, free, free, free, free, 4096, 255, 4096, *[0] * 7)

    def readdir(self, node, body):
        offset, size = struct.unpack_from("<QI", body, 8)
        found = b""
        for place, (name, child) in enumerate(list(node.children.items())[offset:], offset + 1):
            raw = os.fsencode(name)
            one = struct.pack("<QQII", child.number, place, len(raw), child.mode >> 12) + raw
            one += bytes(-len(one) % 8)
            if len(found) + len(one) > size:
                break
            found += one
        return found

    def nothing(self, node, body):
        return None

    release = releasedir = flush = fsyncdir = access = nothing


OPERATIONS = {
    **{1: "lookup", 3: "getattr", 4: "setattr", 5: "readlink", 6: "symlink", 8: "mknod"},
    **{9: "mkdir", 10: "unlink", 11: "rmdir", 12: "rename", 14: "open", 15: "read", 16: "write"},
    **{17: "statfs", 18: "release", 20: "fsync", 25: "flush", 26: "init", 27: "opendir"},
    **{28: "readdir", 29: "releasedir", 30: "fsyncdir", 34: "access", 35: "create", 45: "rename2"},
}
UNANSWERED = (2, 36, 42)  # forget, interrupt, batch_forget


def text(body):
    return os.fsdecode(body.split(b"\0")[0])


def entry(node):
    return struct.pack("<QQQQII", node.number, 0, 0, 0, 0, 0) + node.attributes()


def serve(device, storage):
    while True:
        try:
            request = os.read(device, MOST + 8192)
        except OSError as error:
            if error.errno == errno.ENODEV:  # unmounted
                return
            if error.errno in (errno.EINTR, errno.ENOENT):
                continue
            raise
        _, code, unique, number, *_ = HEADER.unpack_from(request)
        if code in UNANSWERED:
            continue
        answer, failed = b"", 0
        try:
            method = getattr(storage, OPERATIONS.get(code, ""), None)
            if not method:
                raise OSError(errno.ENOSYS, "")
            answer = method(storage.nodes.get(number), request[HEADER.size :]) or b""
        except OSError as error:
            failed = error.errno
        os.write(device, REPLY.pack(REPLY.size + len(answer), -failed, unique) + answer)


def mount(point):
    """The device whose requests are to be served; says "mounted"."""
    device = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other,default_permissions"
    if libc.mount(b"faulty", os.fsencode(point), b"fuse.faulty", 0, options.encode()):
        sys.exit(f"cannot be mounted: {os.strerror(ctypes.get_errno())}")
    print("mounted", flush=True)
    return device


def main():
    point, *fault = sys.argv[1:]
    if fault:
        operation, name, after, error = fault
        acts = getattr(errno, error) if error.isalpha() else float(error)
        fault = operation, name, int(after), acts
    serve(mount(point), Storage(fault))


if __name__ == "__main__":
    main()
