"""Files appear whole or not at all: write beside, fsync, rename."""

import atexit
import json
import os
import re
import time
from contextlib import suppress

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.versions import require_readable

_HOST = re.sub(r"[^A-Za-z0-9.]", "", os.uname().nodename)[:40]
# What a writer on another host left: nobody takes a day to write one file.
_LEFT_FOR_GOOD = 86400
# What is being written now. A signal may end the block between any two steps of `beside`.
_parts = set()


def try_to_write(directory):
    """Raise the OSError that who wants to write a file in `directory` would meet.

    Nothing is left there: where the file system can make one, the file has not even a name.
    """
    import tempfile  # which commands that never get here would wait for

    with tempfile.TemporaryFile(dir=directory, buffering=0) as file:
        file.write(bytes(4096))


def write_text(path, text):
    """Replace `path` by `text` in one step, so that a reader sees the old file or the new one."""
    # A name that is no UTF-8 comes as lone surrogates; \udcff is how JSON writes one.
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path, content):
    """Replace `path` by `content` in one step, likewise."""
    with beside(path) as file:
        file.write(content)


class beside:
    """with beside(path) as file: a binary file that replaces `path` when the block ends well.

    Where it does not, nothing is left (see remove_own_parts); a process that is killed leaves
    its part, which remove_parts knows. private: for the owner alone. durable=False: not worth an
    fsync.
    """

    def __init__(self, path, private=False, durable=True):
        self.path, self.durable = os.fspath(path), durable
        self.mode = 0o600 if private else 0o666

    def __enter__(self):
        directory, name = os.path.split(self.path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        while True:
            self.part = os.path.join(directory, part_name(name))
            _parts.add(self.part)
            try:
                self.file = os.fdopen(os.open(self.part, flags, self.mode), "wb")
                return self.file
            except OSError as error:
                _parts.discard(self.part)
                if not isinstance(error, FileExistsError):
                    raise

    def __exit__(self, failed, *_):
        try:
            with self.file:
                if not failed:
                    self.file.flush()
                    if self.durable:
                        os.fsync(self.file.fileno())
            if not failed:
                os.replace(self.part, self.path)
                _parts.discard(self.part)
                return
        except BaseException:
            self._give_up()
            raise
        self._give_up()

    def _give_up(self):
        with suppress(FileNotFoundError):  # interrupted after the rename
            os.unlink(self.part)
        _parts.discard(self.part)


@atexit.register
def remove_own_parts():
    """Remove what this process was writing when a signal ended it between two steps."""
    for part in tuple(_parts):
        with suppress(OSError):
            os.unlink(part)
        _parts.discard(part)


def remove_parts(path):
    """Remove what writers of `path` left beside it when they were killed."""
    for left in parts_of_the_dead(path):
        with suppress(OSError):
            os.unlink(left)


def parts_of_the_dead(path):
    """The paths of what processes that run no more left when they were making `path`."""
    directory, name = os.path.split(os.fspath(path))
    part = re.compile(rf"\.{re.escape(_short(name))}\.([A-Za-z0-9.]*)-(\d+)-[0-9a-f]{{8}}\.part")
    dead = []
    with suppress(OSError):
        for found in filter(None, map(part.fullmatch, os.listdir(directory or "."))):
            left = os.path.join(directory, found.group())
            with suppress(OSError):
                gone = found[1] == _HOST and not _runs(int(found[2]))
                if gone or time.time() - os.lstat(left).st_mtime > _LEFT_FOR_GOOD:
                    dead.append(left)
    return sorted(dead)


def part_name(name):
    """A new name for what is made to become `name`: it tells the host and the process."""
    return f".{_short(name)}.{_HOST}-{os.getpid()}-{os.urandom(4).hex()}.part"


def _short(name):
    """As much of a file's name as leaves room for the rest of a part's name."""
    while len(os.fsencode(name)) > 160:
        name = name[:-1]
    return name


def _runs(pid):
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def write_json(path, value):
    """Write `value` as indented UTF-8 JSON. nan and inf raise ValueError: JSON has neither."""
    write_text(path, json_text(value))


def json_text(value):
    """The text that write_json writes."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def read_json(path):
    """Read a JSON object, or raise UserError naming the file, the line and what is wrong."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    return parse_json(path, content)


def parse_json(path, content):
    """The JSON object in `content`, the bytes of `path`, likewise."""
    try:
        if content.startswith(b"\xef\xbb\xbf"):
            content = content[3:]
        value = json.loads(content.decode())
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
