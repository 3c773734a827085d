#!/usr/bin/env bash
# The table to the report: aggregates the results tree where there is one, then renders. IO500_TABLE names another
# table, which is rendered as it is.
set -euo pipefail
shopt -s inherit_errexit

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
. "$root/scripts/common.bash"
. "$root/scripts/render.bash"

main() {
  local results=${IO500_RESULTS_DIR:-$root/io500_results} table=$root/aggregated_results.csv
  "$root/scripts/setup.sh" report
  if [[ -n ${IO500_TABLE:-} ]]; then
    table=$(realpath -- "$IO500_TABLE") && [[ -r $table ]] || fail "IO500_TABLE=$IO500_TABLE cannot be read"
  elif [[ -d $results ]]; then
    "$root/scripts/aggregate.sh" "$results" "$table"
  elif [[ ! -e $table ]]; then
    fail "there are neither results ($results) nor a table ($table): run io500_wrapper.sh or make demo first"
  fi
  render "$table"
}

main
