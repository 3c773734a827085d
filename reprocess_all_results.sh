#!/usr/bin/env bash
# Parses the result files of every run below a results root again, without running anything.
set -euo pipefail

command_name=reprocess_all_results.sh
root=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
[[ -d $root/lib ]] || root=${SLURM_SUBMIT_DIR:-$root}
. "$root/lib/common.bash"

usage() {
  cat <<'HELP'
usage: reprocess_all_results.sh [--quiet] [results_root]

Writes results.json of every run below results_root anew from the benchmark's own files, which are
never touched. One line a run, then a count; what was skipped or failed is named on stderr.

  results_root    else IO500_RESULTS_DIR, else ./io500_results
  --quiet         only the count, and what failed
  --help          this text

Exit codes: 0 all parsed, 2 usage, 5 some could not be parsed (the others are done).
HELP
}

main() {
  local quiet="" arguments=()
  while (($#)); do
    case $1 in
    -h | --help) usage && return ;;
    -q | --quiet) quiet=--quiet ;;
    --) shift && arguments+=("$@") && break ;;
    -?*) abort "$USAGE" "unknown option $1 (see --help)" ;;
    *) arguments+=("$1") ;;
    esac
    shift
  done
  ((${#arguments[@]} <= 1)) || abort "$USAGE" "one results root is needed, ${#arguments[@]} given"
  run_python reprocess-all "${arguments[0]:-${IO500_RESULTS_DIR:-io500_results}}" ${quiet:+"$quiet"}
}

main "$@"
