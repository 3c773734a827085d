"""What differs between two states of a results.json, value by value: old -> new."""

import json
from typing import NamedTuple

from hpc_disk_bench.summary import shorten


class Change(NamedTuple):
    place: str  # ior-easy-write.value, score.total, partial
    old: str
    new: str

    def __str__(self):
        return f"{self.place}: {self.old} -> {self.new}"


def changes(old, new):
    """The Changes from one results.json to another, in the order of the new one.

    old, new: JSON objects. A phase that only one of them has is one change.
    """
    found = []
    for key in [*new, *(key for key in old if key not in new)]:
        if key in old and key in new and _both(dict, old[key], new[key]):
            fields = [*new[key], *(field for field in old[key] if field not in new[key])]
            pairs = [(f"{key}.{field}", field, old[key], new[key]) for field in fields]
        else:
            pairs = [(key, key, old, new)]
        for place, field, before, after in pairs:
            if not _same(before.get(field, _NONE), after.get(field, _NONE)):
                values = (_spoken(before.get(field, _NONE)), _spoken(after.get(field, _NONE)))
                found.append(Change(shorten(place), *values))
    if not found and list(old) != list(new):
        found.append(Change("order of the phases", "another", "that of the run"))
    return found


_NONE = object()  # what is not there


def _same(one, other):
    # A number that was a truth value before is no number; JSON knows the difference, == does not.
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _both(kind, one, other):
    return isinstance(one, kind) and isinstance(other, kind)


def _spoken(value):
    return "none" if value is _NONE else shorten(json.dumps(value, ensure_ascii=False), 160)
