#!/usr/bin/env bash
# The table to the report: aggregates the results tree where there is one, then renders io500_analysis.qmd with
# quarto where it is on PATH, else with the package's own renderer. IO500_TABLE names another table, which is
# rendered as it is.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
. "$root/scripts/common.bash"

results=${IO500_RESULTS_DIR:-$root/io500_results}

"$root/scripts/setup.sh" report
cd -- "$root"
if [[ -n ${IO500_TABLE:-} ]]; then
  [[ -r $IO500_TABLE ]] || fail "IO500_TABLE=$IO500_TABLE cannot be read"
elif [[ -d $results ]]; then
  "$root/scripts/aggregate.sh" "$results" "$root/aggregated_results.csv"
elif [[ ! -e aggregated_results.csv ]]; then
  fail "neither results ($results) nor a table (aggregated_results.csv): run io500_wrapper.sh or make demo first"
fi

python=$(python_for report)
if command -v quarto >/dev/null; then
  QUARTO_PYTHON=$python quarto render io500_analysis.qmd "$@"
else
  "$python" -m hpc_disk_bench.render io500_analysis.qmd "$@"
fi
