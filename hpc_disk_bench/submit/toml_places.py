"""Where the keys of a TOML file stand, which tomllib does not tell."""

import re
from collections import Counter

HEADER = re.compile(r"\s*\[\[?\s*([\w.-]+)\s*\]\]?\s*(?:#.*)?$")
KEY = re.compile(r"\s*([\w-]+)\s*[=.]")


class Places:
    """The line of each table and key. A table is named by its header and its number among those."""

    def __init__(self, text):
        self._lines, seen, table = {}, Counter(), ("", 0)
        for number, line in enumerate(text.splitlines(), start=1):
            if header := HEADER.match(line):
                table = (header[1], seen[header[1]])
                seen[header[1]] += 1
                self._lines[table] = number
            elif key := KEY.match(line):
                self._lines.setdefault((*table, key[1]), number)

    def line(self, table="", number=0, key=None):
        """The line of a key, else of its table, else 1."""
        return self._lines.get((table, number, key)) or self._lines.get((table, number), 1)
