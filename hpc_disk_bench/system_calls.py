"""The system calls that a benchmark of storage waits in, by number, on the machines there are."""

from typing import NamedTuple, Optional


class SystemCall(NamedTuple):
    name: str
    fd: Optional[int] = None  # which argument is a file descriptor
    path: Optional[int] = None  # which one is the address of a path


def _calls(text):
    """Lines of: number name [fd=N] [path=N]."""
    calls = {}
    for line in text.strip().splitlines():
        number, name, *where = line.split()
        arguments = dict(pair.split("=") for pair in where)
        calls[int(number)] = SystemCall(name, **{key: int(n) for key, n in arguments.items()})
    return calls


BY_NUMBER = {
    "x86_64": _calls(
        """
        0 read fd=0
        1 write fd=0
        2 open path=0
        3 close fd=0
        4 stat path=0
        5 fstat fd=0
        6 lstat path=0
        7 poll
        8 lseek fd=0
        17 pread64 fd=0
        18 pwrite64 fd=0
        19 readv fd=0
        20 writev fd=0
        24 sched_yield
        35 nanosleep
        72 fcntl fd=0
        74 fsync fd=0
        75 fdatasync fd=0
        77 ftruncate fd=0
        82 rename path=0
        83 mkdir path=0
        84 rmdir path=0
        85 creat path=0
        86 link path=0
        87 unlink path=0
        137 statfs path=0
        138 fstatfs fd=0
        162 sync
        202 futex
        217 getdents64 fd=0
        230 clock_nanosleep
        232 epoll_wait
        257 openat path=1
        258 mkdirat path=1
        262 newfstatat fd=0 path=1
        263 unlinkat path=1
        264 renameat path=1
        271 ppoll
        281 epoll_pwait
        306 syncfs fd=0
        332 statx fd=0 path=1
        426 io_uring_enter
        """
    ),
    "aarch64": _calls(
        """
        22 epoll_pwait
        25 fcntl fd=0
        34 mkdirat path=1
        35 unlinkat path=1
        38 renameat path=1
        43 statfs path=0
        44 fstatfs fd=0
        46 ftruncate fd=0
        56 openat path=1
        57 close fd=0
        61 getdents64 fd=0
        62 lseek fd=0
        63 read fd=0
        64 write fd=0
        65 readv fd=0
        66 writev fd=0
        67 pread64 fd=0
        68 pwrite64 fd=0
        73 ppoll
        79 newfstatat fd=0 path=1
        80 fstat fd=0
        81 sync
        82 fsync fd=0
        83 fdatasync fd=0
        98 futex
        101 nanosleep
        115 clock_nanosleep
        124 sched_yield
        267 syncfs fd=0
        291 statx fd=0 path=1
        426 io_uring_enter
        """
    ),
}
# Without a file in their arguments, or with one that could not be read.
ON_STORAGE = {"sync", "io_uring_enter"} | {
    call.name for calls in BY_NUMBER.values() for call in calls.values() if call.path is not None
}
