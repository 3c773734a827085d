"""Figures as a person reads them in a line of the checks."""


def size(number):
    """11.2 TiB, 40.0 GiB, 3.5 MiB."""
    for unit, name in ((2**50, "PiB"), (2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB")):
        if number >= unit:
            return f"{number / unit:.1f} {name}"
    return f"{number / 1024:.0f} KiB"


def count(number):
    """402 M, 31 k, 512: of files and inodes."""
    for unit, name in ((10**9, " G"), (10**6, " M"), (10**3, " k")):
        if number >= unit:
            shown = number / unit
            return f"{shown:.0f}{name}" if shown >= 10 else f"{shown:.1f}{name}"
    return f"{number:.0f}"


def span(seconds):
    """55 min, 40 s, 3.5 h, 2.1 days."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86400:.1f} days"


def number_of(amount, what):
    """1 rank, 16 ranks."""
    return f"{amount} {what}{'s' * (amount != 1)}"
