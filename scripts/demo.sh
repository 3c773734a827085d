#!/usr/bin/env bash
# The whole pipeline on this machine in a minute or two: the quick configuration on two directories, the table and the
# report. Everything goes to demo_results/, apart from a user's own results. NUM_PROCS and CONFIG_FILE may be set.
set -euo pipefail
shopt -s inherit_errexit

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
. "$root/scripts/common.bash"
. "$root/scripts/render.bash"

results=$root/demo_results

step() { printf '\ndemo      %s\n' "$*" >&2; }

main() {
  local node storages storage device volume directory run=0
  "$root/scripts/setup.sh" report engine
  storages=$(PYTHONPATH=$root "$(python_for report)" "$root/scripts/demo_storages.py")
  node=$(node_name)

  export IO500_RESULTS_DIR=$results NUM_PROCS=${NUM_PROCS:-2} CONFIG_FILE=${CONFIG_FILE:-config-quick.ini}
  while IFS=$'\t' read -r -u 3 storage device volume directory; do
    run=$((run + 1))
    step "$run/4 benchmark $storage $device $volume: $directory"
    "$root/io500_wrapper.sh" demo "$node" "$storage" "$device" "$directory" "$volume" </dev/null 3<&-
  done 3<<<"$storages"
  step "3/4 table"
  "$root/scripts/aggregate.sh" "$results" "$results/aggregated_results.csv"
  step "4/4 report"
  render "$results/aggregated_results.csv" "$results"

  step "done: phases of a few seconds measure caches, so these runs are marked INVALID; a real one takes an hour"
  printf 'report    %s\n' "$results/io500_analysis.html"
}

# This host's name in the letters that a results tree allows.
node_name() {
  local name
  name=$(uname -n)
  name=${name%%.*}
  name=${name//[^A-Za-z0-9._-]/-}
  printf '%s\n' "${name:-node}"
}

main
