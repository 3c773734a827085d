"""status.json: how a run stands or how it ended, and the lines that show why."""

import os
import re
import socket
import time
from pathlib import Path

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.files import read_json, write_json
from hpc_disk_bench.result_file import parse_result_file
from hpc_disk_bench.summary import shorten
from hpc_disk_bench.tree import STATUS
from hpc_disk_bench.versions import KEY, WRITTEN

PREPARING, RUNNING, COMPLETE = "preparing", "running", "complete"
INVALID, FAILED, INTERRUPTED = "invalid", "failed", "interrupted"
OUTPUT, ERRORS = "io500.out", "io500.err"
HEARTBEAT = 60  # seconds between two writings of status.json while a run goes on
SILENCE = 5 * HEARTBEAT  # after which it does so no more
MOST_EVIDENCE = 3
# What names a cause, the surest first. "ERROR INVALID" only says that a phase was too short.
CAUSES = [
    re.compile(r"\bERROR rank \d+"),
    re.compile(r"\bFATAL\b"),
    re.compile(r"\bERROR\b(?! INVALID)"),
    re.compile(r"error while loading|not enough slots|executable|Assertion|on signal \d+", re.I),
    re.compile(r"No space left|quota|Permission denied|Input/output error|Stale", re.I),
]
DECORATION = re.compile(r"^[\W_]*$")


def write_status(directory, state, **fields):
    """Write status.json. fields: exit_code, signal, last_phase, phases_done, evidence."""
    content = {
        KEY: WRITTEN[STATUS],
        "state": state,
        "exit_code": fields.get("exit_code"),
        "signal": fields.get("signal"),
        "last_phase": fields.get("last_phase"),
        "phases_done": fields.get("phases_done", 0),
        "evidence": fields.get("evidence", []),
        "updated_epoch": round(time.time(), 3),
        "host": socket.gethostname(),
        "pid": os.getpid(),
    }
    write_json(Path(directory, STATUS), content)


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


def evidence(directory):
    """The lines of the benchmark's output that show why it failed: [{file, line, text}]."""
    lines = [*_lines(directory, ERRORS), *_lines(directory, OUTPUT)]
    for cause in CAUSES:
        found = [entry for entry in lines if cause.search(entry["text"])]
        if found:
            return _different(found)
    # Nothing known: the first words on stderr, else the last on stdout.
    spoken = [entry for entry in lines if not DECORATION.match(entry["text"])]
    errors = [entry for entry in spoken if entry["file"] == ERRORS]
    return _different(errors) or spoken[-1:]


def _different(entries):
    """The first few of the entries, each text once (every rank may have said it)."""
    first = {}
    for entry in entries:
        first.setdefault(entry["text"], entry)
    return list(first.values())[:MOST_EVIDENCE]


def _lines(directory, name):
    try:
        with open(Path(directory, name), encoding="utf-8", errors="replace") as file:
            # Enough for the cause, however much a benchmark may have printed.
            text = file.read(4 * 1024 * 1024)
    except OSError:
        return []
    return [
        {"file": name, "line": number, "text": shorten(line.strip(), 300)}
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]
