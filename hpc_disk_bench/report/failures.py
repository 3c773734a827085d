"""The runs that do not count, by the code of their diagnosis."""

from __future__ import annotations

import plotly.graph_objects as go

from hpc_disk_bench.diagnosis import catalogue
from hpc_disk_bench.errors import UserError
from hpc_disk_bench.report import style, text, units
from hpc_disk_bench.report.charts import Chart, Missing


def by_code(runs):
    """How many runs of each storage do not count, by the code of their diagnosis."""
    heading = "Runs that do not count, by diagnosis (number of runs)"
    if runs.empty:
        return text.no_runs(heading)
    hidden = runs[~runs["counts"]]
    if hidden.empty:
        return Missing(
            heading,
            f"All {units.count(len(runs), 'run')} of the table count: none is invalid or failed.",
        )
    codes = list(hidden["failure"].value_counts().index)
    figure = go.Figure()
    for storage, part in hidden.groupby("storage", sort=True):
        counts = [int((part["failure"] == code).sum()) for code in codes]
        figure.add_trace(
            go.Bar(
                orientation="h",
                name=storage,
                x=counts,
                y=list(range(len(codes))),
                text=[str(count) if count else "" for count in counts],
                textposition="inside",
                hovertemplate=f"{style.label(storage, 60)}: %{{x}}<extra></extra>",
                marker={
                    "color": part["colour"].iloc[0],
                    "line": {"width": 1, "color": style.BACKGROUND[0]},
                },
                meta="failures",
            )
        )
    legend_rows = -(-len(figure.data) // 4)
    figure.update_layout(
        barmode="stack",
        xaxis=style.axis_of_counts(int(hidden["failure"].value_counts().max()), "runs"),
        yaxis={
            "tickvals": list(range(len(codes))),
            "ticktext": [style.label(title(code), 60) for code in codes],
            "range": [len(codes) - 0.5, -0.5],
            "fixedrange": True,
        },
        showlegend=True,
        margin={"t": 20 + 22 * legend_rows, "l": 10, "r": 16, "b": 44},
    )
    return Chart(
        "failures",
        heading,
        figure,
        "One bar for each diagnosis, or the state of runs without one, parted by storage. What a"
        " code means and what to do: io500_wrapper.sh --explain CODE, or docs/diagnoses/.",
        "Bar chart. " + "; ".join(
            f"{title(code)}: {int((hidden['failure'] == code).sum())}" for code in codes
        ) + ".",
        90 + 34 * len(codes) + 22 * legend_rows,
        derive={"kind": "failures", "codes": codes},
    )  # fmt: skip


def title(code):
    """HDB012 no space left on device; a state as it is."""
    if not code.startswith("HDB"):
        return f"{code}, without a diagnosis"
    try:
        return f"{code} {catalogue.entry(code).title}"
    except UserError:  # of a newer version
        return code
