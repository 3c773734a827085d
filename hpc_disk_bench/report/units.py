"""Units and how numbers are written: GiB/s, kIOPS, line rates, durations, bytes."""

from __future__ import annotations

import math
import re

GIB = 2**30
TIMES = "\N{MULTIPLICATION SIGN}"
DASH = "\N{EN DASH}"
THIN_SPACE = "\N{NARROW NO-BREAK SPACE}"
BITS = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}


def line_rate(speed):
    """GiB/s that a link of `speed` ("10Gbps", "25 Gb/s", "1000Mb/s") carries; nan if unclear."""
    match = re.match(r"\s*(\d+(?:\.\d+)?)\s*([kmgt])(?:bps|b/s|bit/s|bits/s|b)\b", str(speed), re.I)
    if not match:
        return math.nan
    return float(match[1]) * BITS[match[2].lower()] / 8 / GIB or math.nan


def number(value, digits=3):
    """`value` without exponent and with `digits` significant digits, or all before the point."""
    if value is None or not math.isfinite(value):
        return DASH
    if value == 0:
        return "0"
    if abs(value) < 10**digits:
        value = float(f"{value:.{digits}g}")  # 0.9996 is 1.00, not 1.000
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{places}f}".replace(",", THIN_SPACE)


def whole(value):
    """A count: 1, 53, 1 000."""
    return f"{value:,.0f}".replace(",", THIN_SPACE)


def factor(value):
    """`value` as a factor: x3.2, x0.041, x120, with the sign for times."""
    return DASH if value is None or not math.isfinite(value) else f"{TIMES}{number(value, 2)}"


def percent(share):
    if share is None or not math.isfinite(share):
        return DASH
    return f"{100 * share:.0f} %" if share >= 0.095 else f"{100 * share:.2g} %"


def duration(seconds):
    """`seconds` in the two units that matter: 42 s, 5 min 57 s, 1 h 12 min."""
    if seconds is None or not math.isfinite(seconds):
        return DASH
    if seconds < 90:
        return f"{number(seconds, 2 if seconds < 10 else 3) if seconds < 100 else round(seconds)} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 90:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def size(count):
    """`count` bytes in binary units: 3.64 TiB."""
    if count is None or not math.isfinite(count):
        return DASH
    power = 0 if count < 1 else min(6, int(math.log2(count) // 10))
    return f"{number(count / 1024**power)} {('B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB')[power]}"


def count(amount, one, many=None):
    """ "1 run", "53 runs", "no runs": an amount with its noun."""
    noun = one if amount == 1 else (many or one + "s")
    return f"no {noun}" if amount == 0 else f"{amount:,} {noun}".replace(",", THIN_SPACE)
