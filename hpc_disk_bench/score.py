"""Are the printed scores what the printed phases give? Doubts are said, figures never changed.

SCORE is sqrt(bandwidth * iops), where bandwidth is the geometric mean of the four ior phases and
iops that of the eight metadata phases, find among them; SCOREX takes every scored phase of an
extended run, and the concurrent phase of the extended mode of 2021 is a third mean of its own: the
total is then the third root of the three. Source: the rules of IO500, and runs of that mode.
"""

import math

from hpc_disk_bench.phases import BANDWIDTH, IOPS, SCORED

# Units of what a score is the mean of.
UNITS = ("GiB/s", "kIOPS")
CONCURRENT = "concurrent"


def doubts(phases, scores, partial=False):
    """Sentences on what is wrong with the figures of a run.

    phases, scores: name to PhaseResult, key to ScoreResult. Only what rounding cannot explain is
    doubted: every figure may be off by one unit of its last printed digit.
    """
    found = [] if partial else _missing(phases)
    found += _zero(phases)
    printed, extended = scores.get("score"), scores.get("score_extended")
    if printed:
        groups = [[phases.get(phase.name) for phase in group] for group in (BANDWIDTH, IOPS)]
        found += _disagreements("", groups, printed)
    if extended and not _missing(phases):
        third = phases.get(CONCURRENT)
        scored = [phase for phase in phases.values() if phase.scored and phase is not third]
        if all(phase.unit in UNITS for phase in scored):
            groups = [[phase for phase in scored if phase.unit == unit] for unit in UNITS]
            found += _disagreements("extended ", groups, extended, third)
    return found


def _disagreements(which, groups, printed, third=None):
    """Doubts about one score line.

    groups: the phases of its two means, None for one not there; third: a phase that is a mean of
    its own, or None.
    """
    means = (printed.bandwidth, printed.iops)
    found = []
    for what, members, mean, step in zip(("bandwidth", "iops"), groups, means, printed.steps):
        found += _mean(f"{which}{what}", members, mean, step)
    return found + _total(f"{which}total", printed, third)


def _missing(phases):
    missing = [phase.name for phase in SCORED if phase.name not in phases]
    if not missing:
        return []
    measured = len(SCORED) - len(missing)
    return [
        f"{measured} of the {len(SCORED)} scored phases: without {', '.join(missing)} the score "
        "does not compare with that of a whole run"
    ]


def _zero(phases):
    measured = {phase.name: phases[phase.name].value for phase in SCORED if phase.name in phases}
    zero = [name for name, value in measured.items() if value == 0]
    negative = [name for name, value in measured.items() if value is not None and value < 0]
    found = [f"a rate below 0 in {', '.join(negative)}"] if negative else []
    if zero:
        found.append(
            f"0 in {', '.join(zero)}: versions before August 2021 score such a run 0, later ones "
            "leave the phase out of the mean, which flatters the score"
        )
    return found


def _mean(what, members, printed, step):
    """Doubts about one of the two means. Nothing can be said where a phase of it is missing."""
    if printed is None or not members or any(m is None or m.value is None for m in members):
        return []
    low = _geometric_mean([max(member.value - member.step, 0) for member in members])
    high = _geometric_mean([member.value + member.step for member in members])
    positive = [member.value for member in members if member.value > 0]
    skipping_zeros = _geometric_mean(positive) if positive else 0
    if low - step <= printed <= high + step or abs(printed - skipping_zeros) <= 2 * step:
        return []
    middle = _geometric_mean([member.value for member in members])
    return [f"the printed {what} score is {printed:g}, its phases give {middle:g}"]


def _total(what, printed, third):
    bandwidth, iops, total = printed.bandwidth, printed.iops, printed.total
    means = [(bandwidth, printed.steps[0]), (iops, printed.steps[1])]
    if third and third.value:  # 0 is left out of the mean
        means.append((third.value, third.step))
    if None in (bandwidth, iops, total) or min(bandwidth, iops, total) < 0:
        return []
    step = printed.steps[2]
    low = _geometric_mean([max(value - off, 0) for value, off in means])
    high = _geometric_mean([value + off for value, off in means])
    if low - step <= total <= high + step:
        return []
    if math.isclose(total, bandwidth * iops, rel_tol=1e-4):
        return [f"the printed {what} {total:g} is bandwidth * iops without the square root"]
    root = _geometric_mean([value for value, _ in means])
    others = "bandwidth and iops" if len(means) == 2 else "bandwidth, iops and concurrent"
    return [f"the printed {what} is {total:g}, {others} give {root:g}"]


def _geometric_mean(values):
    # By logarithms: a product of eight large rates does not fit a float of every platform's range.
    if min(values) <= 0:
        return 0.0
    return math.exp(sum(math.log(value) for value in values) / len(values))
