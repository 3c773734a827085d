"""Which of the runs that are meant count, and what became of the others."""

from __future__ import annotations

from hpc_disk_bench.errors import UserError

TOO_FEW = 4  # the exit code of both commands where nothing could be decided


def counting(runs, text, with_invalid):
    """Those of the `runs` that `text` names which count, `with_invalid` those as well that the
    benchmark marked; UserError where there is none."""
    marked = runs["state"].eq("invalid")
    found = runs[runs["counts"] | marked] if with_invalid else runs[runs["counts"]]
    if not found.empty:
        return found
    why = f" ({reasons(runs, found)})"
    if marked.any():
        why = "; --invalid takes those in that were marked invalid"
    raise UserError(f"{text}: none of its runs counts{why}", TOO_FEW)


def reasons(runs, found):
    """3 HDB025, 1 failed: those of `runs` that are not in `found`; empty where all are."""
    states = runs[~runs.index.isin(found.index)]["failure"].value_counts()
    return ", ".join(f"{count} {state}" for state, count in states.items())
