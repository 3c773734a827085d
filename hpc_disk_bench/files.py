"""Files appear whole or not at all: write beside, fsync, rename."""

import json
import os
import tempfile
from pathlib import Path

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.versions import require_readable


def write_text(path, text):
    """Replace `path` by `text` in one step, so that a reader sees the old file or the new one."""
    # A name that is no UTF-8 comes as lone surrogates; \udcff is how JSON writes one.
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path, content):
    """Replace `path` by `content` in one step, likewise."""
    path = Path(path)
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def write_json(path, value):
    """Write `value` as indented UTF-8 JSON. nan and inf raise ValueError: JSON has neither."""
    write_text(path, json_text(value))


def json_text(value):
    """The text that write_json writes."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def read_json(path):
    """Read a JSON object, or raise UserError naming the file, the line and what is wrong."""
    try:
        value = json.loads(Path(path).read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text (byte {error.start})") from error
    except json.JSONDecodeError as error:
        raise UserError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    except ValueError as error:  # an integer of thousands of digits
        raise UserError(f"{path}: not JSON that can be read: {error}") from error
    except RecursionError as error:
        raise UserError(f"{path}: not JSON that can be read: nested too deeply") from error
    if not isinstance(value, dict):
        raise UserError(f"{path}: not a JSON object")
    require_readable(path, value)
    return value


def _umask():
    current = os.umask(0)
    os.umask(current)
    return current
