"""Remembers what a results tree gave, so that only what has changed is read again.

The memory is one file in the results root, `.aggregate-cache-FORM-USER`, a dot file that no walk of
a tree takes for results. It may be removed at any time. It is used only where it is whole, was
written by this user with this very version of the code, and every file it tells of is the one that
was read: same inode, size, time of modification and time of change. It appears whole or not at all,
for its owner's eyes alone (a run may be unreadable to others), and is never needed: where it cannot
be read or written, the tree is read.
"""

from __future__ import annotations

import json
import os
import stat
import zlib
from array import array
from contextlib import suppress

from hpc_disk_bench.files import beside, remove_parts
from hpc_disk_bench.table_console import Summary
from hpc_disk_bench.table_csv import AT_ONCE, NEXT, joined
from hpc_disk_bench.table_records import Record
from hpc_disk_bench.table_rows import stamp
from hpc_disk_bench.tree import listing

MARK = b"hpc-disk-bench aggregate cache\n"
# All that the memory of a run depends on besides the run.
CODE = (
    "files phases status table_cache table_columns table_console table_csv table_records table_rows"
)
# A file may change twice within one tick of its file system's clock, and look the same after both.
_TICK, _COARSE_TICK = 50_000_000, 2_000_000_000
_BROKEN = (ValueError, KeyError, IndexError, TypeError, OSError, RecursionError)


class Cache:
    """The memory of one results tree for one form of the table (of table_csv)."""

    def __init__(self, root, form, wanted=True):
        self._wanted = wanted
        self._root = os.path.join(os.fspath(root).rstrip("/"), "")
        self.path = f"{self._root}.aggregate-cache-{form.name}-{os.geteuid()}"
        self._kept = None
        self._stamps, self._records = {}, {}
        self._part = None
        if wanted:
            with suppress(*_BROKEN):
                self._kept = _Kept(self.path)

    def unchanged(self):
        """The _Kept of the whole tree, where nothing in it has changed; else None."""
        if self._kept is None:
            return None
        try:
            if self._kept.top == _top(self._root) and self._kept.holds(self._root):
                return self._kept
            self._stamps, self._records = self._kept.by_path(), self._kept.by_place()
        except _BROKEN:
            self._stamps, self._records = {}, {}
        self._kept = None
        return None

    def record(self, run, seen):
        """The Record of a table_scan.Found whose files are the ones it was made from, or None.

        seen: takes the stamps of these files.
        """
        kept = self._records.get(run.place)
        if kept is None or kept[0] != self._files(run):
            return None
        paths = [run.path + "/run_metadata.json", run.results, run.status]
        if run.node is not None:
            paths.append(run.node + "/node_metadata.json")
        found = {}
        for path in filter(None, paths):
            try:
                now = seen.get(path) or stamp(os.stat(path))
            except OSError:
                return None
            if self._stamps.get(path.removeprefix(self._root)) != now:
                return None
            found[path] = now
        seen.update(found)
        return kept[1]

    def _files(self, run):
        results = run.results and run.results.removeprefix(run.path)
        return [results, run.status is not None, run.node_place if run.node else None]

    def begin(self):
        """Call before the tree is read, so that it is known what changed too late to be sure of."""
        if not self._wanted:
            return
        remove_parts(self.path)
        try:
            self._top = _top(self._root)
            self._part = beside(self.path, private=True, durable=False)
            self._file = self._part.__enter__()
        except OSError:
            self._part = None
        else:
            self._now = os.fstat(self._file.fileno()).st_ctime_ns

    def finish(self, seen, table, summary, digest):
        """Write down what was read. seen: the stamp of every directory and file by path, None
        where there is none."""
        if self._part is None:
            return
        with suppress(OSError):
            self._file.writelines(self._content(seen, table, summary, digest))
            part, self._part = self._part, None
            part.__exit__(None)  # which gives up by itself where it fails
        self.abandon()

    def abandon(self):
        """Leave the memory as it was."""
        if self._part is not None:
            with suppress(OSError):
                self._part.__exit__(True)
            self._part = None

    def _content(self, seen, table, summary, digest):
        coarse = self._now % 1_000_000 == 0
        sure = self._now - (_COARSE_TICK if coarse else _TICK)
        paths, stamps = [], array("q")
        for path, one in seen.items():
            if path + "/" != self._root and path != self._root:
                paths.append(path.removeprefix(self._root))
                stamps.extend(one if one and max(one[2:]) < sure else (-1, -1, -1, -1))
        plain = all(record.text and not record.further for record in table.records)
        told = {"top": self._top, "told": summary, "table": digest, "plain": plain}
        parts = [
            [json.dumps(told).encode()],
            [os.fsencode("\0".join(paths))],
            [stamps.tobytes()],
            [*self._facts(table)],
            [*_texts(table)],
        ]
        sections = []
        for part in parts:
            crc = 0
            for piece in part:
                crc = zlib.crc32(piece, crc)
            sections.append([sum(map(len, part)), crc])
        header = json.dumps({"code": _code(), "sections": sections}).encode()
        return [MARK, header, b"\n", *(piece for part in parts for piece in part)]

    def _facts(self, table):
        """One line of JSON for every so many runs."""
        for start in range(0, len(table.runs), AT_ONCE):
            some = [
                [run.place, self._files(run), record[:-2], record.further]
                for run, record in table.runs[start : start + AT_ONCE]
            ]
            yield json.dumps(some).encode() + b"\n"


class _Kept:
    """A memory that was read: whole, ours, and of this version; else an error of _BROKEN."""

    def __init__(self, path):
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        self._file = file = open(handle, "rb")  # noqa: SIM115 - read on when more is asked for
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            raise ValueError(path)
        if file.read(len(MARK)) != MARK:
            raise ValueError(path)
        header = json.loads(file.readline(10_000))
        if header["code"] != _code():
            raise ValueError(path)
        self._sections = header["sections"]
        self._start = file.tell()
        told = json.loads(self._section(0))
        self.top, self.table, self._plain = told["top"], told["table"], told["plain"]
        self.summary = Summary(*told["told"])
        paths = self._section(1)
        self._paths = os.fsdecode(paths).split("\0") if paths else []
        self._stamps = array("q")
        self._stamps.frombytes(self._section(2))

    def _section(self, number):
        size, crc = self._sections[number]
        self._file.seek(self._start + sum(before for before, _ in self._sections[:number]))
        content = self._file.read(size)
        if len(content) != size or zlib.crc32(content) != crc:
            raise ValueError(self._file.name)
        return content

    def holds(self, root):
        """Whether every path is as it was."""
        known, stats = self._stamps, os.stat
        parts = known[0::4], known[1::4], known[2::4], known[3::4]
        for path, inode, size, mtime, ctime in zip(self._paths, *parts, strict=True):
            try:
                status = stats(root + path)
            except OSError:
                return False
            if (
                status.st_ctime_ns != ctime
                or status.st_mtime_ns != mtime
                or status.st_ino != inode
                or status.st_size != size
            ):
                return False
        return True

    def by_path(self):
        stamps = iter(self._stamps)
        return dict(zip(self._paths, zip(stamps, stamps, stamps, stamps, strict=True), strict=True))

    def by_place(self):
        """(files, Record) of each run."""
        texts = iter(self._text().split(NEXT))
        kept = {}
        for line in self._section(3).splitlines():
            for place, files, facts, further in json.loads(line):
                kept[place] = files, Record(*facts, next(texts), further)
        return kept

    def content(self, form):
        """The table in pieces, as the `lines` of this form gave it, or None where it is broken."""
        with suppress(*_BROKEN):
            if self._plain:
                return [*form.lines(()), joined(self._text())]
            return [*form.lines([record for _, record in self.by_place().values()])]
        return None

    def _text(self):
        return self._section(4).decode()


def _texts(table):
    between = ""
    for start in range(0, len(table.runs), AT_ONCE):
        some = [record.text for _, record in table.runs[start : start + AT_ONCE]]
        yield (between + NEXT.join(some)).encode()
        between = NEXT


def _top(root):
    """What the root itself holds of the results. Its time says nothing: this cache lies in it."""
    told = []
    listed = listing(root, lambda path, why: told.append([os.path.basename(path), why]))
    names, directories, links = listed or ((), (), ())
    below = [[os.path.basename(path) for path in paths] for paths in (directories, links)]
    return [sorted(told), sorted(names), *below]


def _code():
    """Which version of the code made or reads a memory."""
    here = os.path.dirname(__file__)
    crc = 0
    for name in CODE.split():
        with open(os.path.join(here, name + ".py"), "rb") as file:
            crc = zlib.crc32(file.read(), crc)
    return f"{crc:08x}"
