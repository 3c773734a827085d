"""The ranks of a run on this node, through /proc: which processes they are, and where each stands.

Counters are of the process as the kernel keeps them; what it does not show (another user's process,
a restricted ptrace) is None and never an error.
"""

import contextlib
import os
import platform
from typing import NamedTuple, Optional

from hpc_disk_bench import system_calls

RANK_VARIABLES = ("PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")
TICK = os.sysconf("SC_CLK_TCK")
LONGEST_PATH = 4096


class Rank(NamedTuple):
    """One process of the benchmark."""

    pid: int
    rank: Optional[int]  # in the job, as the launcher has numbered it


class Counters(NamedTuple):
    """What a process has done so far."""

    read: Optional[int]  # bytes, from files and caches or devices, whichever counts more
    written: Optional[int]  # bytes, likewise
    cpu: float  # s, user and system together
    state: str  # R running, S waiting, D waiting inside the kernel, T stopped, Z gone


class Standing(NamedTuple):
    """Where a process stands."""

    rank: Rank
    counters: Optional[Counters]
    waits_in: Optional[str]  # the kernel's function, /proc/PID/wchan
    call: Optional[str]  # system call and file: openat "/nfs/x"
    stack: tuple  # of the kernel, where it may be read
    files: tuple  # names of the regular files that are open


def ranks(ini):
    """The Ranks on this node of the benchmark that was given this INI file, by rank, then pid.

    A launcher has the INI in its arguments too, but behind its own; a script that started the
    benchmark is left out for its child.
    """
    ini = os.fsencode(ini)
    found, parents = {}, set()
    for name in filter(str.isdigit, os.listdir("/proc")):
        arguments = _read(f"/proc/{name}/cmdline").split(b"\0")
        if ini not in arguments[1:3]:
            continue
        fields = _stat(int(name))
        if fields and fields[0] not in "ZX":
            found[int(name)] = _rank(int(name))
            parents.add(int(fields[1]))
    ranks = [Rank(pid, number) for pid, number in found.items() if pid not in parents]
    return sorted(ranks, key=lambda rank: (rank.rank is None, rank.rank, rank.pid))


def counters(pid):
    """The Counters of a process, or None where it is gone."""
    fields = _stat(pid)
    if not fields or fields[0] in "ZX":
        return None
    io = dict(line.split(": ", 1) for line in _text(f"/proc/{pid}/io").splitlines() if ": " in line)
    # A transfer through a ring or a mapping is counted by the device alone, a cached one by the
    # call alone.
    read, written = (
        max(int(io[call]), int(io[device])) if call in io and device in io else None
        for call, device in (("rchar", "read_bytes"), ("wchar", "write_bytes"))
    )
    return Counters(read, written, (int(fields[11]) + int(fields[12])) / TICK, fields[0])


def storage_call(pid):
    """The system call on a file that a process is in, as text, or None: it is in no such call.

    Waiting for others (poll, futex, a socket) is none. False where the kernel does not say.
    """
    call = _call(pid)
    if call is None:
        return False
    return _spoken(*call) if _on_storage(*call) else None


def standing(rank):
    """The Standing of a Rank; what is not shown is None or empty."""
    pid = rank.pid
    call = _call(pid)
    return Standing(
        rank,
        counters(pid),
        _wchan(pid),
        _spoken(*call) if call else None,
        tuple(_text(f"/proc/{pid}/stack").splitlines()),
        tuple(_open_files(pid)),
    )


class _Call(NamedTuple):
    name: str
    file: Optional[str]  # an absolute path, "socket:[1]" and the like, or None


def _call(pid):
    """(name, file) of the system call that a process is in, or None where that is not shown."""
    words = _text(f"/proc/{pid}/syscall").split()
    if not words:
        return None
    if not words[0].isdigit():  # "running"
        return _Call(words[0], None)
    known = system_calls.BY_NUMBER.get(platform.machine(), {})
    call = known.get(int(words[0]))
    if call is None:
        return _Call(f"system call {words[0]}", None)
    file = None
    if call.fd is not None:
        file = _link(f"/proc/{pid}/fd/{int(words[1 + call.fd], 16)}")
    if call.path is not None:
        file = _string(pid, int(words[1 + call.path], 16)) or file
    return _Call(call.name, file)


def _on_storage(name, file):
    if file and file.startswith("/"):
        return not file.startswith(("/dev/null", "/proc/", "/dev/pts"))
    return name in system_calls.ON_STORAGE


def _spoken(name, file):
    return f'{name} "{file}"' if file else name


def _string(pid, address):
    """The text at an address of another process, or None."""
    try:
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            memory.seek(address)
            # Page by page: the text may end just before what is not mapped.
            content = memory.read(4096 - address % 4096)
            if b"\0" not in content:
                content += memory.read(LONGEST_PATH)
    except (OSError, ValueError, OverflowError):
        return None
    return os.fsdecode(content.partition(b"\0")[0]) or None


def _open_files(pid):
    found = []
    with contextlib.suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            target = _link(f"/proc/{pid}/fd/{name}") or ""
            if target.startswith("/") and not target.startswith("/dev/"):
                found.append(target)
    return sorted(found)


def _wchan(pid):
    name = _text(f"/proc/{pid}/wchan").strip()
    return name if name and name != "0" else None


def _rank(pid):
    environ = _read(f"/proc/{pid}/environ").split(b"\0")
    values = dict(entry.split(b"=", 1) for entry in environ if b"=" in entry)
    for name in RANK_VARIABLES:
        value = values.get(name.encode(), b"")
        if value.isdigit():
            return int(value)
    return None


def _stat(pid):
    """The fields of /proc/PID/stat from the state on, or None where the process is gone."""
    # The name of the program, in brackets, may hold blanks and brackets.
    fields = _text(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return fields or None


def _link(path):
    try:
        return os.readlink(path)
    except OSError:
        return None


def _text(path):
    return _read(path).decode("utf-8", "replace")


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
