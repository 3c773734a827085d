#!/usr/bin/env bash
# Parses the result files of every run below a results root again, without running anything.
set -euo pipefail

command_name=reprocess_all_results.sh
root=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
[[ -d $root/lib ]] || root=${SLURM_SUBMIT_DIR:-$root}
. "$root/lib/common.bash"

usage() {
  cat <<'HELP'
usage: reprocess_all_results.sh [--dry-run] [--force] [--jobs N] [--quiet] [results_root]

Parses every run below results_root again from the benchmark's own files, which are never touched,
and writes results.json where its content differs. One line a run that is new or has changed, with
each value (old -> new), then a count; what was skipped, left alone or failed is named on stderr.
Runs where neither the parser nor a file has changed since are not parsed; runs that are still going
on are left alone.

  results_root    else IO500_RESULTS_DIR, else ./io500_results; the directory of one run will do
  --dry-run       say what would change, and write nothing
  --force         parse also what has not changed
  --jobs N        in N processes
  --quiet         only the count, and what was skipped, left alone or failed
  --help          this text

Exit codes: 0 all is up to date, 2 usage, 5 some could not be parsed or written (the others are
done).
HELP
}

main() {
  local options=() arguments=() jobs=1
  while (($#)); do
    case $1 in
    -h | --help) usage && return ;;
    -q | --quiet) options+=(--quiet) ;;
    --dry-run | --force) options+=("$1") ;;
    --jobs)
      (($# > 1)) || abort "$USAGE" "--jobs needs a number"
      jobs=$2
      shift
      ;;
    --jobs=*) jobs=${1#*=} ;;
    --) shift && arguments+=("$@") && break ;;
    -?*) abort "$USAGE" "unknown option $1 (see --help)" ;;
    *) arguments+=("$1") ;;
    esac
    shift
  done
  [[ $jobs =~ ^[1-9][0-9]{0,3}$ ]] || abort "$USAGE" "--jobs '$jobs': the number of processes is needed, 1 or more"
  ((${#arguments[@]} <= 1)) || abort "$USAGE" "one results root is needed, ${#arguments[@]} given"
  run_python reprocess-all --directory="${arguments[0]:-${IO500_RESULTS_DIR:-io500_results}}" --jobs="$jobs" \
    "${options[@]}"
}

main "$@"
