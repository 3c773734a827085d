"""Which process of which machine something belongs to, and whether that one still runs."""

import contextlib
import os
import socket
from pathlib import Path


def of_process(pid=None):
    """{host, pid, start_ticks, boot_id, pid_namespace} of a process of this machine, this one by
    default; what cannot be read is None.

    A number alone does not do: it is given again, and two machines may go by one name.
    """
    pid = pid or os.getpid()
    return {
        "host": socket.gethostname(),
        "pid": pid,
        "start_ticks": _start_ticks(pid),
        "boot_id": _boot_id(),
        "pid_namespace": _pid_namespace(),
    }


def runs(identity):
    """Whether the process of of_process() runs: True, False, or None: not to be told from here."""
    here = of_process()
    for key in ("host", "boot_id", "pid_namespace"):
        if identity.get(key) is None or identity[key] != here[key]:
            return None
    pid, started = identity.get("pid"), identity.get("start_ticks")
    if not isinstance(pid, int) or isinstance(pid, bool) or not isinstance(started, int):
        return None
    return _start_ticks(pid) == started


def naming(path):
    """Process id of the first process of this machine with `path` in its arguments, or None."""
    wanted = os.fsencode(path)
    for name in sorted(filter(str.isdigit, os.listdir("/proc")), key=int):
        with contextlib.suppress(OSError):
            if int(name) != os.getpid() and wanted in Path("/proc", name, "cmdline").read_bytes():
                return int(name)
    return None


def _start_ticks(pid):
    """When a process was started, in clock ticks since the boot; None where none runs."""
    try:
        # The name of the program, in brackets, may hold blanks and brackets.
        fields = Path("/proc", str(pid), "stat").read_bytes().rpartition(b")")[2].split()
        return None if fields[0] in (b"Z", b"X") else int(fields[19])
    except (OSError, IndexError, ValueError):
        return None


def _boot_id():
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return None


def _pid_namespace():
    with contextlib.suppress(OSError):
        return os.readlink("/proc/self/ns/pid")
    return None
