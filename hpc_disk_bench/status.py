"""status.json: how a run stands, or how it ended and why."""

import contextlib
import os
import socket
import time
from pathlib import Path

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.files import read_json, write_json
from hpc_disk_bench.result_file import parse_result_file
from hpc_disk_bench.tree import STATUS
from hpc_disk_bench.versions import KEY, WRITTEN

PREPARING, RUNNING, COMPLETE = "preparing", "running", "complete"
INVALID, FAILED, INTERRUPTED = "invalid", "failed", "interrupted"
ENDED_BADLY = (FAILED, INTERRUPTED)
OUTPUT, ERRORS = "io500.out", "io500.err"
HEARTBEAT = 60  # seconds between two writings of status.json while a run goes on
SILENCE = 5 * HEARTBEAT  # after which it does so no more


def write_status(directory, state, **fields):
    """Write status.json.

    fields: exit_code, signal, last_phase, phases_done, phases_total, diagnosis (a Diagnosis).
    """
    diagnosis = fields.get("diagnosis")
    content = {
        KEY: WRITTEN[STATUS],
        "state": state,
        "exit_code": fields.get("exit_code"),
        "signal": fields.get("signal"),
        "last_phase": fields.get("last_phase"),
        "phases_done": fields.get("phases_done", 0),
        "phases_total": fields.get("phases_total"),
        "diagnosis": diagnosis and diagnosis.as_json(),
        "evidence": diagnosis.evidence if diagnosis and state in ENDED_BADLY else [],
        "updated_epoch": round(time.time(), 3),
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "left_behind": None,
    }
    write_json(Path(directory, STATUS), content)


def add(directory, **fields):
    """Add to what status.json says, as far as that can be done."""
    with contextlib.suppress(OSError, UserError):
        path = Path(directory, STATUS)
        write_json(path, {**read_json(path), **fields})


def read_status(directory):
    """The object in status.json; empty where there is none that can be read."""
    try:
        return read_json(Path(directory, STATUS))
    except UserError:
        return {}


def going_on(status):
    """Why a run counts as still going on, by its status.json: "on n1, process 4711"; else None.

    A process is known on its own host alone, and not through a container's wall; so what was heard
    of lately goes on as well.
    """
    if status.get("state") not in (PREPARING, RUNNING):
        return None
    host, pid, updated = (status.get(key) for key in ("host", "pid", "updated_epoch"))
    if host == socket.gethostname() and _is_a_run(pid):
        return f"on {host}, process {pid}"
    if isinstance(updated, (int, float)) and abs(time.time() - updated) < SILENCE:
        return f"heard of {max(time.time() - updated, 0):.0f} s ago"
    return None


def ended_by_force(status):
    """Whether a run that says it goes on does so no more, and nobody could write how it ended.

    A process that is gone from this host tells at once; of other hosts only their silence does.
    """
    if status.get("state") not in (PREPARING, RUNNING):
        return False
    if status.get("host") == socket.gethostname():
        return not _is_a_run(status.get("pid"))
    return going_on(status) is None


def _is_a_run(pid):
    try:
        return b"hpc_disk_bench" in Path("/proc", str(int(pid)), "cmdline").read_bytes()
    except (OSError, TypeError, ValueError):
        return False


def where_it_stands(files):
    """(last phase begun or None, phases measured to their end) by result.txt in `files`.

    The timestamp is not counted: it measures nothing.
    """
    try:
        log = parse_result_file(Path(files, "result.txt").read_text("utf-8", "replace"))
    except OSError:
        return None, 0
    done = sum(name != "timestamp" for name in log.phases)
    return (log.started[-1] if log.started else None), done
