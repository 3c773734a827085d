#!/usr/bin/env bash
# One benchmark run, from the arguments to the parsed result; or the result of an earlier run parsed again.
set -euo pipefail

command_name=io500_wrapper.sh
root=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# Slurm runs a copy of a submitted script from its spool directory.
[[ -d $root/lib ]] || root=${SLURM_SUBMIT_DIR:-$root}
. "$root/lib/common.bash"
. "$root/lib/names.bash"
. "$root/lib/launch.bash"
. "$root/lib/configuration.bash"

usage() {
  cat <<'HELP'
usage: io500_wrapper.sh [--quiet] <cluster> <node> <storage> <device> <test_dir> [volume]
       io500_wrapper.sh --reprocess [--dry-run] [--quiet] <results_directory>

Runs IO500 on the storage behind test_dir and keeps everything under
io500_results/<cluster>/<node>/<storage>[/<volume>]/<device>/<YYYY.MM.DD-HH.MM.SS>/.

  cluster, node    names to file the results under: letters, digits, . _ -
  storage          what it is: local, nfs, lustre, powerscale, ...
  device           ssd, hdd, ...
  test_dir         a directory on the storage; made where it is missing. The run's data lies in a
                   directory of its own in it, which is removed at the end, also after Ctrl-C
  volume           which one, where a node has several of a kind (nfs4, md126)
  --reprocess      parse the result files of a run again, without running, and say what changed
  --dry-run        with --reprocess: write nothing
  --quiet          only the result, and failures
  --help           this text

Environment:
  NUM_PROCS           ranks; else SLURM_CPUS_ON_NODE, over several nodes SLURM_NTASKS, else 1
  CONFIG_FILE         an INI template, as a path or the name of one in configs/ (config-quick.ini)
  IO500_RESULTS_DIR   root of the results (./io500_results)
  IO500_BIN           the benchmark; else io500 on PATH, else the embedded engine
  MPIRUN              the launcher and its flags
  NO_COLOR            no colours on a terminal

Exit codes: 0 done, 2 usage, 3 refused before the launch, 4 the benchmark failed, 5 its result could
not be parsed, 129/130/143 ended by a signal.
HELP
}

# require_test_dir PATH: it is a directory that can be written, or can be made.
require_test_dir() {
  [[ ! -e $1 || -d $1 ]] || abort "$REFUSED" "test directory '$1' is a file: name a directory"
  [[ ! -d $1 || -w $1 && -x $1 ]] || abort "$REFUSED" "test directory '$1' cannot be written to by $(id -un)"
}

main() {
  local quiet="" reprocess="" dry_run="" arguments=()
  while (($#)); do
    case $1 in
    -h | --help) usage && return ;;
    -q | --quiet) quiet=--quiet ;;
    --reprocess) reprocess=yes ;;
    --dry-run) dry_run=--dry-run ;;
    --) shift && arguments+=("$@") && break ;;
    -?*) abort "$USAGE" "unknown option $1 (see --help)" ;;
    *) arguments+=("$1") ;;
    esac
    shift
  done
  if [[ -n $reprocess ]]; then
    ((${#arguments[@]} == 1)) || abort "$USAGE" "--reprocess needs one results directory, ${#arguments[@]} given"
    run_python reprocess --directory="${arguments[0]}" ${dry_run:+"$dry_run"} ${quiet:+"$quiet"}
  fi
  [[ -z $dry_run ]] || abort "$USAGE" "--dry-run belongs to --reprocess"
  ((${#arguments[@]} == 5 || ${#arguments[@]} == 6)) ||
    abort "$USAGE" "5 or 6 arguments are needed, ${#arguments[@]} given: <cluster> <node> <storage> <device> <test_dir> [volume]"
  benchmark "$quiet" "${arguments[@]}"
}

# benchmark QUIET CLUSTER NODE STORAGE DEVICE TEST_DIR [VOLUME]
benchmark() {
  local quiet=$1 cluster=$2 node=$3 storage=$4 device=$5 test_dir volume=${7:-} results config binary ranks launcher
  require_name cluster "$cluster"
  require_name node "$node"
  require_name storage "$storage"
  require_name device "$device"
  [[ -z $volume ]] || require_name volume "$volume"
  require_path "test directory" "$6"
  test_dir=$(absolute "$6")
  results=$(absolute "${IO500_RESULTS_DIR:-io500_results}")
  require_path "test directory" "$test_dir"
  require_path "results directory" "$results"
  ranks=$(count_ranks)
  config=$(choose_configuration "$storage" "$device")
  require_test_dir "$test_dir"
  binary=$(find_benchmark)
  choose_launcher "$ranks" "$binary"
  run_python run --cluster="$cluster" --node="$node" --storage="$storage" --device="$device" --volume="$volume" \
    --test-dir="$test_dir" --results="$results" --config="$config" --config-name="${config#"$root/"}" \
    --binary="$binary" --ranks="$ranks" ${quiet:+"$quiet"} -- "${launcher[@]}"
}

main "$@"
