"""Whether what the run writes fits: space, inodes and quotas against the estimate."""

from typing import NamedTuple

from hpc_disk_bench.checks.finding import OK, REFUSAL, WARNING, Finding
from hpc_disk_bench.checks.words import count, size
from hpc_disk_bench.checks.workload import MARGIN, amount

FEW_INODES = 1000  # with so few left, no room for a file means no inode


class Store(NamedTuple):
    """Something that a run uses up."""

    code: str
    free: int
    what: str  # "free", "inodes free", "of the user quota left"
    files: bool  # counted in files, else in bytes

    def shown(self, number):
        return count(number) if self.files else size(number)

    def of(self, amount):
        return amount.files if self.files else amount.bytes


def space(place, writers, rates):
    """The Findings on space. rates: of the whole run, None where there was no probe of worth."""
    if place.probe and place.probe.full:
        return [_full(place)]
    stores = list(_stores(place))
    most = amount(writers, place.block)
    if rates is None:
        found = [_without_probe(store, most) for store in stores if store.of(most) > store.free]
    else:
        likely = amount(writers, place.block, rates)
        ample = amount(writers, place.block, rates, MARGIN)
        found = [_judge(store, most, likely, ample) for store in stores]
    found = [finding for finding in found if finding]
    if found:
        return found
    free = ", ".join(f"{store.shown(store.free)} {store.what}" for store in stores)
    text = f"{free}; at most {size(most.bytes)} and {count(most.files)} files are written"
    if rates is not None:
        text = f"{free}; about {size(likely.bytes)} and {count(likely.files)} files are written"
    return [Finding("space", OK, text)]


def _stores(place):
    facts = place.facts
    if facts["free_bytes"] is not None:
        yield Store("HDB034", facts["free_bytes"], "free", False)
    if facts["inodes_free"] is not None:
        yield Store("HDB035", facts["inodes_free"], "inodes free", True)
    for limit in place.limits:
        if limit.bytes_left is not None:
            yield Store("HDB036", limit.bytes_left, f"of the {limit.kind} quota left", False)
        if limit.files_left is not None:
            yield Store("HDB036", limit.files_left, f"files of the {limit.kind} quota left", True)


def _judge(store, most, likely, ample):
    """A Finding where a Store does not suffice for sure, or None."""
    if store.of(ample) <= store.free:
        return None
    verdict = REFUSAL if store.of(likely) > store.free else WARNING
    files = " files" if store.files else ""
    text = (
        f"{store.shown(store.free)} {store.what}, but about {store.shown(store.of(likely))}{files} "
        f"are written, at most {store.shown(max(store.of(most), store.of(ample)))}"
    )
    return Finding("space", verdict, text, store.code)


def _without_probe(store, most):
    files = " files" if store.files else ""
    text = (
        f"{store.shown(store.free)} {store.what}, at most {store.shown(store.of(most))}{files} are "
        "written; how much it will be was not probed"
    )
    return Finding("space", WARNING, text, "HDB047")


def _full(place):
    """Not even the probe found room."""
    facts, name = place.facts, place.probe.full
    code = "HDB036"
    if name == "ENOSPC":
        few = facts["inodes_free"] is not None and facts["inodes_free"] < FEW_INODES
        code = "HDB035" if few else "HDB034"
    free = [f"{store.shown(store.free)} {store.what}" for store in _stores(place)]
    text = f"not even the probe finds room ({name}): {', '.join(free) or 'nothing more is known'}"
    return Finding("space", REFUSAL, text, code)
