"""Runs that may be compared: of one node and storage, one engine and configuration."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

import numpy as np

from hpc_disk_bench.comparison.differences import CONFIGURATION, ENGINE, FIELDS, shown

CHARACTERS = 12  # of a SHA-256: as many tell any two apart


def groups(sides, any_configuration):
    """Yields (target, what tells it apart, [runs of each side]) of each group of runs alike.

    `sides` are frames of runs. What tells a group from the others of its target is in words, no
    more of them than it takes: none where there are no others.
    """
    fields = [] if any_configuration else [field for field in FIELDS if _parts(field, sides)]
    found = [_by_key(side, fields) for side in sides]
    keys = sorted(set().union(*found))
    for target, those in groupby(keys, key=itemgetter(0)):
        those = list(those)
        telling = _telling(those)
        for key in those:
            words = ", ".join(_words(fields[k - 1], key[k]) for k in telling)
            runs = [by.get(key, side.iloc[:0]) for by, side in zip(found, sides, strict=True)]
            yield target, words, runs


def _parts(field, sides):
    known = all(field.column in side for side in sides)
    return known and field.kind in (ENGINE, CONFIGURATION)


def _by_key(runs, fields):
    """{(target, value of each field): those runs}."""
    columns = ["target", *(field.column for field in fields)]
    # As text, in which what is not known is alike: nan would be no key that is found again.
    texts = [np.array([*map(shown, runs[column])], dtype=object) for column in columns]
    return dict(list(runs.groupby(texts, sort=False)))


def _telling(keys):
    """The places in which `keys` differ, none that tells no more than those before it."""
    telling, told = [], 1
    for place in range(1, len(keys[0])):
        more = len({tuple(key[k] for k in (*telling, place)) for key in keys})
        if more > told:
            telling, told = [*telling, place], more
    return telling


def _words(field, value):
    title, value = field.title, value or "unknown"
    if field.column == "config_sha256":
        title, value = "configuration's SHA-256", value[:CHARACTERS]
    return f"{title} {value}"
