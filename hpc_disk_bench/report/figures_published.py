"""Where the runs stand among published ones."""

from __future__ import annotations

from hpc_disk_bench import placement
from hpc_disk_bench.report import panels, style, text, tidy, units
from hpc_disk_bench.report.charts import Chart

BASES = {"": "as it is", "_per_node": "per client node", "_per_process": "per process"}


def among_published(runs):
    """Where each run that counts stands among published ones, in per cent."""
    title = "Total score among published IO500 runs (percentile)"
    if runs.empty:
        return text.no_runs(title)
    places = placement.placements(runs.to_dict("records"))
    columns = {f"placed{basis}": words for basis, words in BASES.items()}
    placed = runs.assign(
        **{f"placed{basis}": [_percentile(place, basis) for place in places] for basis in BASES}
    )
    long = tidy.scores(placed, columns)
    if panels.unusable(long):
        return text.none_count(title, "place among published runs")
    rows, shown, cut = tidy.rows(long)
    axis = {**style.axis_for([100], "percentile"), "range": [0, 102]}
    drawn = panels.dots(long, list(columns.values()), rows, axis, unit="%", columns=3, shown=shown)
    kinds = ", ".join(
        f"{kind} ({n})" for kind, n in sorted({(p.kind, p.runs) for p in places if p})
    )
    return Chart(
        "placement",
        title,
        drawn.figure,
        "50 is the middle of the published runs compared with, 90 better than nine of ten; as it"
        " is, divided by client nodes, and by processes: read the three together. Most published"
        " runs are parallel file systems under many nodes, so a single node stands low as it is"
        f" (docs/placement.md). Compared with: {kinds}. {panels.HOW_TO_READ}"
        f"{panels.dots_note(long)}{cut}",
        f"Dot plots of percentiles among published runs in 3 panels,"
        f" {units.count(len(rows), 'row')}.",
        **drawn.rest,
    )


def _percentile(place, basis):
    value = place.scores[f"total{basis}"] if place else None
    # 0 is a place, too: below all others.
    return float("nan") if value is None else max(value, 0.1)
