# The one way to render the report.
# shellcheck shell=bash

: "${root:?the clone}"

# render TABLE [DIRECTORY]: io500_analysis.qmd to io500_analysis.html in DIRECTORY, else beside it; with quarto where
# it is on PATH, else with the package's own renderer.
render() {
  local python
  python=$(python_for report)
  cd -- "$root" || return
  export IO500_TABLE=$1
  if command -v quarto >/dev/null; then
    QUARTO_PYTHON=$python quarto render io500_analysis.qmd ${2:+--output-dir "$2"}
  else
    "$python" -m hpc_disk_bench.render io500_analysis.qmd ${2:+--output "$2/io500_analysis.html"}
  fi
}
