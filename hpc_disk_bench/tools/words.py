"""Small pieces that several formats share: dates, sizes, messages, direct I/O on a command line."""

import re

from hpc_disk_bench.summary import number_of

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_C_DATE = re.compile(r"\w{3} (?P<b>\w{3}) +(?P<d>\d{1,2}) (?P<t>\d\d:\d\d:\d\d) (?P<y>\d{4})$")
_US_DATE = re.compile(r"(?P<m>\d\d)/(?P<d>\d\d)/(?P<y>\d{4}) (?P<t>\d\d:\d\d:\d\d)$")
_ISO_DATE = re.compile(r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d) (?P<t>\d\d:\d\d:\d\d)$")
_SIZES = {name: 1024**power for power, name in enumerate(("bytes", "KiB", "MiB", "GiB", "TiB"))}
_DIRECT = re.compile(r"--(?:posix|iouring)\.odirect\b|\buseO_DIRECT=1\b", re.ASCII)
_IOR_DIRECT = re.compile(r"(?:^|\s)-B(?:\s|$)", re.ASCII)
_ERROR = re.compile(r"ERROR\b|.{0,60}\bFAILED in\b|Error invalid argument", re.ASCII)


def date(text):
    """A date as these tools print it, as 2026-11-20T10:02:01; None where it is none."""
    text = str(text).strip()
    if found := _C_DATE.match(text):
        if found["b"] not in _MONTHS:
            return None
        month = _MONTHS.index(found["b"]) + 1
    elif found := _US_DATE.match(text) or _ISO_DATE.match(text):
        month = int(found["m"])
    else:
        return None
    return f"{found['y']}-{month:02d}-{int(found['d']):02d}T{found['t']}"


def size(text):
    """'4 MiB' or '262144 bytes' in bytes; None where it is none."""
    number, _, unit = str(text).strip().partition(" ")
    value = number_of(number)
    if value is None or unit not in _SIZES or not 0 <= value * _SIZES[unit] < 2**63:
        return None
    return round(value * _SIZES[unit])


def direct(command, tool=None):
    """Whether a command line asks for direct I/O; None where it is unknown.

    -B says so to ior alone: for mdtest it means no barriers.
    """
    if not command:
        return None
    return bool(_DIRECT.search(command) or (tool == "ior" and _IOR_DIRECT.search(command)))


def messages(lines):
    """(errors, warnings) among the lines of a tool."""
    errors = [line for line in lines if _ERROR.match(line)]
    warnings = [line for line in lines if line.lstrip().startswith("WARNING")]
    return errors, warnings
