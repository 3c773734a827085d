"""What the cells of io500_analysis.qmd call, under the names that they use."""

from hpc_disk_bench.report import (
    figures_devices,
    figures_network,
    figures_nodes,
    figures_rates,
    figures_score,
    figures_time,
    header,
    load,
    recommendations,
    summary,
    tables,
    tables_rates,
    tidy,
)
from hpc_disk_bench.report.emit import show

__all__ = [
    "figures_devices",
    "figures_network",
    "figures_nodes",
    "figures_rates",
    "figures_score",
    "figures_time",
    "header",
    "load",
    "recommendations",
    "show",
    "summary",
    "tables",
    "tables_rates",
    "tidy",
]
