#!/usr/bin/env bash
# Writes what hardware and software this node has to node_metadata.json in the results tree.
set -euo pipefail

command_name=gather_node_metadata.sh
root=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
[[ -d $root/lib ]] || root=${SLURM_SUBMIT_DIR:-$root}
. "$root/lib/common.bash"
. "$root/lib/names.bash"

usage() {
  cat <<'HELP'
usage: gather_node_metadata.sh [--storage-server HOST] <cluster> <node> [results_root]

Writes <results_root>/<cluster>/<node>/node_metadata.json, anew where there is one, and prints its
path. io500_wrapper.sh does that by itself for a node that has none.

  results_root             else IO500_RESULTS_DIR, else ./io500_results
  --storage-server HOST    tell the network interface towards this host instead of that of the
                           default route
  --help                   this text

What cannot be found out is null. Exit codes: 0 done, 2 usage, 3 it cannot be written there.
HELP
}

main() {
  local server="" arguments=()
  while (($#)); do
    case $1 in
    -h | --help) usage && return ;;
    --storage-server)
      (($# > 1)) || abort "$USAGE" "--storage-server needs a host"
      server=$2
      shift
      ;;
    --storage-server=*) server=${1#*=} ;;
    --) shift && arguments+=("$@") && break ;;
    -?*) abort "$USAGE" "unknown option $1 (see --help)" ;;
    *) arguments+=("$1") ;;
    esac
    shift
  done
  ((${#arguments[@]} == 2 || ${#arguments[@]} == 3)) ||
    abort "$USAGE" "2 or 3 arguments are needed, ${#arguments[@]} given: <cluster> <node> [results_root]"
  require_name cluster "${arguments[0]}"
  require_name node "${arguments[1]}"
  run_python node "${arguments[0]}" "${arguments[1]}" "${arguments[2]:-${IO500_RESULTS_DIR:-io500_results}}" \
    ${server:+"$server"}
}

main "$@"
