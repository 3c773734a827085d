"""Whether an error was met where the results are written, and not on the storage."""

import os
import re
from pathlib import Path

from hpc_disk_bench.diagnosis.finding import Finding
from hpc_disk_bench.diagnosis.lines import LOG

INIS = ("io500.ini", "config-used.ini", "config-orig.ini")
SETTING = re.compile(r"^\s*(datadir|resultdir)\s*=\s*(.*?)\s*$", re.IGNORECASE | re.MULTILINE)
PATH = re.compile(r"(?<![\w.])/[^\s\"':,()\[\]]+|\"(/[^\"]+)\"")
REFUSED = re.compile(
    r"cannot|can't|couldn't|could not|unable|fail|FATAL|\bERROR\b|denied|no space", re.IGNORECASE
)
NAMED = re.compile(
    r"(?:cannot|can't|couldn't|could not|failed to) (?:make|open|create|write|close|flush)\b.*"
    r"(?:result director|result_summary|\bresult(?:\.txt| file))",
    re.IGNORECASE,
)


def unwritable(run, lines):
    """The Finding HDB027 where a line says that a result file or directory was refused, or None."""
    places = _places(run)
    found = tuple(
        line
        for line in lines
        if line.source != LOG
        and REFUSED.search(line.text)
        and (NAMED.search(line.text) or _among_results(line.text, *places))
    )
    return Finding("HDB027", (), found) if found else None


def _places(run):
    """(datadir, resultdir) of the run's configuration, as absolute paths; None where unknown."""
    for name in INIS:
        try:
            text = Path(run, name).read_text("utf-8", "replace")
        except OSError:
            continue
        found = {key.lower(): value for key, value in SETTING.findall(text)}
        return found.get("datadir"), found.get("resultdir")
    return None, None


def _among_results(text, data, results):
    if not results or not results.startswith("/"):
        return False
    for match in PATH.finditer(text):
        path = os.path.normpath(match.group(1) or match.group())
        if _related(path, results) and not (data and _related(path, data)):
            return True
    return False


def _related(path, place):
    """Whether one lies in the other."""
    place = os.path.normpath(place)
    one, other = os.path.join(path, ""), os.path.join(place, "")
    return one.startswith(other) or other.startswith(one)
