"""What one step of a diagnosis gives: a code, and what speaks for it."""

from typing import NamedTuple

UNKNOWN = "HDB001"


class Finding(NamedTuple):
    code: str
    facts: tuple = ()  # sentences on what was watched
    lines: tuple = ()  # lines.Line that were said
