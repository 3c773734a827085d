"""The table of a campaign: a line a node, a column a storage."""

import shlex

from hpc_disk_bench.submit import standing


def table(campaign, standings):
    """Lines of text. standings: {(node, place): Standing}."""
    rows = [("node", *campaign.places)]
    for node in campaign.nodes:
        cells = [standings.get((node, place)) for place in campaign.places]
        rows.append((node, *(one.words if one else "-" for one in cells)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def remarks(campaign, standings):
    """Lines below the table: where to look for what failed, and the command to go on with."""
    lines = [
        f"{node} {place}: {one.why or one.words}: {one.where}"
        for (node, place), one in standings.items()
        if one.state in (standing.FAILED, standing.UNKNOWN)
    ]
    again = _counts(standings.values(), (standing.FAILED, standing.MISSING))
    if again:
        counts = " and ".join(f"{count} {state}" for state, count in again.items())
        command = f"{_command(campaign)} --resubmit {','.join(again)}"
        lines.append(f"{counts} of {len(standings)}: {command}")
    return lines


def closing(submitted, left, campaign, dry_run):
    """The last line of a submission. left: the Standings of what was left alone."""
    what = "would submit" if dry_run else "submitted"
    counts = _counts(left, (*standing.STATES, standing.UNKNOWN))
    others = ", ".join(f"{count} {state}" for state, count in counts.items())
    line = f"{what} {submitted} of {len(campaign.jobs)} runs"
    return f"{line}{f' ({others})' if others else ''}: {_command(campaign)} --status"


def _counts(standings, states):
    """{state: how many}, without those that no run is in."""
    found = [one.state for one in standings]
    return {state: found.count(state) for state in states if state in found}


def _command(campaign):
    return f"./submit.sh {shlex.quote(str(campaign.path))}"
