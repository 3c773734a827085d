"""Findings as sentences: the number before the adjective, the unit with the number."""

from __future__ import annotations

import numpy as np


def rate(value, unit):
    """12.3 MiB/s, 4.56 kIOPS."""
    if not np.isfinite(value):
        return "?"
    if unit == "bytes/s":
        scale, name = (2**30, "GiB/s") if value >= 2**30 else (2**20, "MiB/s")
    else:
        scale, name = (1e3, "kIOPS") if value >= 1e3 else (1, "IOPS")
    return f"{_digits(value / scale)} {name}"


def _digits(value):
    """Three digits that count, without an exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def percent(share):
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1f} %"


def verdict(form, unit, seconds):
    """The form of a phase in words."""
    if form.kind == "short":
        return f"{rate(form.level, unit)}; {seconds} s are too short to tell its course"
    if form.kind == "steady":
        return f"steady at {rate(form.level, unit)}, seconds differ by {percent(form.spread)}"
    return of_form(form.kind, form, unit, {})


def of_form(kind, form, unit, figures):
    levels = f"from {rate(form.level, unit)} to {rate(form.after, unit)}"
    if kind == "cache-fill":
        written = figures["bytes_before"]
        amount = f" with {written / 2**30:.3g} GiB written" if unit == "bytes/s" else ""
        return (
            f"after {form.at:.0f} s{amount} the page cache was full: {levels},"
            f" {percent(form.lost)} less, which is what the storage itself takes"
        )
    if kind == "drop":
        return f"sudden drop after {form.at:.0f} s {levels}, {percent(form.lost)} lost"
    if kind == "decay":
        return f"decay {levels} over the phase, {percent(form.lost)} lost"
    if kind == "swell":
        return (
            f"from {form.at:.0f} to {form.until:.0f} s operations took longer: {levels},"
            f" {percent(form.lost)} less for {form.until - form.at:.0f} s"
        )
    gained = percent(form.after / form.level - 1) if form.level > 0 else "?"
    where = "" if np.isnan(form.at) else f" after {form.at:.0f} s"
    return f"faster{where}: {levels}, {gained} more"


def meanwhile(changes):
    """A clause on node.Changes, "" where there are none."""
    if not changes:
        return ""
    parts = [f"{one.what} went {_from_to(one)}" for one in changes[:1]]
    parts += [f"{one.what} {_from_to(one)}" for one in changes[1:]]
    *first, last = parts
    return f"; meanwhile {', '.join(first)}{' and ' if first else ''}{last}"


def _from_to(change):
    (before, unit), (after, last) = (
        _amount(value, change.unit) for value in (change.before, change.after)
    )
    return f"from {before}{unit if unit != last else ''} to {after}{last}"


def _amount(value, unit):
    """(digits, unit after them)."""
    if unit == "share":
        return percent(value).removesuffix(" %"), " %"
    if unit in ("bytes", "bytes/s"):
        scale, name = (2**30, " GiB") if value >= 2**30 else (2**20, " MiB")
        return _digits(value / scale), name + unit.removeprefix("bytes")
    return _digits(value), {"1/s": "/s", "requests": ""}.get(unit, f" {unit}")


def straggler(late, ranks):
    others = "the other rank" if ranks == 2 else f"the other {ranks - 1} ranks"
    text = (
        f"{others} waited {late.seconds:.1f} s, {percent(late.waited)} of the phase,"
        f" for rank {late.rank} on {late.host}"
    )
    if np.isfinite(late.slower) and late.slower < 1:
        text += f", which had {percent(late.slower)} of their rate"
    return text


def tail(rest):
    return (
        f"{percent(rest.share)} of the phase, {rest.seconds:.1f} s, came after the stonewall:"
        f" the slowest rank had then done {percent(rest.slowest)} of the fastest's operations"
    )
