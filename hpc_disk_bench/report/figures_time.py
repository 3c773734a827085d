"""How long the phases took, and the stonewall that write phases have to outlast."""

from __future__ import annotations

import math

from hpc_disk_bench.phases import BY_NAME, SCORED
from hpc_disk_bench.report import panels, style, text, units
from hpc_disk_bench.report.charts import Chart

MOST_LINES = 4  # stonewalls that are drawn


def phase_times(long):
    """How long each phase took in each run, with the stonewall of the write phases."""
    title = "Duration of each phase (seconds)"
    long = long.assign(value=long["time"], panel="")
    if panels.unusable(long):
        return text.no_phases(long, title, "how long its phases took")
    names = [phase.name for phase in SCORED if phase.name in set(long["phase"])]
    stonewalls = list(long.drop_duplicates("run")["stonewall"].value_counts().index[:MOST_LINES])
    axis = style.axis_for(long["value"], "seconds", include=stonewalls, log=True)
    labels = [f"<b>{n}</b>" if BY_NAME[n].stonewalled else n for n in names]
    drawn = panels.dots(long, [""], names, axis, unit="s", labels=labels, key="phase", columns=1,
                        row_height=34, ranking=False)  # fmt: skip
    figure, narrow = drawn.figure, drawn.rest["narrow"]
    lines, given = _stonewalls(names, stonewalls)
    figure.update_layout(
        shapes=lines, annotations=[*figure.layout.annotations, *given], margin_t=24
    )
    narrow["shapes"], narrow["margin"]["t"] = lines, 24
    narrow["annotations"] = [*narrow.get("annotations", []), *given]
    for height in ("height", "narrow_height"):
        drawn.rest[height] += 24
    short, total = _short(long), long.groupby("run")["time"].sum()
    return Chart(
        "time-by-test",
        title,
        figure,
        "Phases in the order of a run, one dot for each run. The write phases (bold) have to"
        " last as long as the stonewall of their run (dashed; 300 s by the rules, and only that"
        " makes a run valid): left of it they are too short. The others take as long as"
        f" what was written takes to read, stat or delete. {short} A run took"
        f" {units.duration(total.median())} in the median.{panels.dots_note(long)}",
        f"Dot plot of the durations of {units.count(len(names), 'phase')} in"
        f" {units.count(long['run'].nunique(), 'run')} on a logarithmic axis. {short}",
        **drawn.rest,
    )


def _stonewalls(names, stonewalls):
    """The lines that write phases have to cross, drawn in their rows, each with its name above."""
    rows = [len(names) - 1 - k for k, name in enumerate(names) if BY_NAME[name].stonewalled]
    stroke = {"width": 2, "color": style.WARNING[0], "dash": "dash"}
    lines, named = [], []
    for seconds in stonewalls:
        at = {"type": "line", "x0": seconds, "x1": seconds, "layer": "below", "line": stroke}
        lines += [{**at, "y0": row - 0.5, "y1": row + 0.5} for row in rows]
        named.append(
            {
                "text": f"stonewall, {seconds:g} s",
                "x": math.log10(seconds),
                "y": len(names) - 0.5,
                "showarrow": False,
                "yanchor": "bottom",
                "xanchor": "right",
                "font": {"color": style.WARNING[0], "size": 12},
            }
        )
    return lines, named


def _short(long):
    writes = long[long["phase"].map(lambda name: BY_NAME[name].stonewalled)]
    early = writes.loc[writes["value"] < writes["stonewall"], "run"].nunique()
    return f"{units.count(early, 'run')} had a write phase below its stonewall.".capitalize()
