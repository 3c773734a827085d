#!/usr/bin/env bash
# One benchmark run, from the arguments to the parsed result; or the result of an earlier run parsed again.
set -euo pipefail

command_name=io500_wrapper.sh
root=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
if [[ ! -d $root/lib ]]; then
  # Slurm runs a copy of a submitted script from its spool directory, but knows where the script was.
  origin=$(scontrol show job "${SLURM_JOB_ID:-}" 2>/dev/null | sed -n 's/^ *Command=//p') || true
  origin=${origin%%"$command_name"*}
  root=$(dirname -- "$(readlink -f -- "${origin:-${SLURM_SUBMIT_DIR:-.}/}$command_name")")
  [[ -d $root/lib ]] || {
    printf '%s: its clone is not at %s: submit the script by its path in the clone\n' "$command_name" "$root" >&2
    exit 2
  }
fi
. "$root/lib/common.bash"
. "$root/lib/names.bash"
. "$root/lib/launch.bash"
. "$root/lib/configuration.bash"

usage() {
  cat <<'HELP'
usage: io500_wrapper.sh [--check | --force] [--hang-timeout SECONDS] [--retries N] \
         [--quiet] <cluster> <node> <storage> <device> <test_dir> [volume]
       io500_wrapper.sh --reprocess [--dry-run] [--quiet] <results_directory>
       io500_wrapper.sh --explain <code | results_directory>
       io500_wrapper.sh --clean [--dry-run] [--force] [--quiet] <test_dir>

Runs IO500 on the storage behind test_dir and keeps everything under
io500_results/<cluster>/<node>/<storage>[/<volume>]/<device>/<YYYY.MM.DD-HH.MM.SS>/.

  cluster, node    names to file the results under: letters, digits, . _ -
  storage          what it is: local, nfs, lustre, powerscale, ...
  device           ssd, hdd, ...
  test_dir         a directory on the storage; made where it is missing. The run's data lies in a
                   directory of its own in it, which is removed at the end, also after Ctrl-C
  volume           which one, where a node has several of a kind (nfs4, md126)
  --check          only the checks before the launch: exit code 0, or 3 where a run would be refused
  --force          start nevertheless where an estimate (space, inodes, quota) speaks against it
  --hang-timeout   a run that makes no progress for so many seconds is ended and says where each
                   rank stood; 0: never. Also HANG_TIMEOUT in the environment, else 3600
  --explain        print what a code means (HDB012), or why the run in a directory failed
  --retries        after a failure that may pass by itself (an I/O error, a host that is silent,
                   a rank that died) try up to N times more, each in a directory of its own
  --reprocess      parse the result files of a run again, without running, and say what changed
  --clean          remove what runs that were ended by force left in test_dir: only what has their
                   marker, and nothing of a run that is alive. With --force also what belongs to a
                   run of which nothing can be seen from this node
  --dry-run        with --reprocess: write nothing; with --clean: only say what would go
  --quiet          only the result, and failures
  --help           this text

Environment:
  NUM_PROCS           ranks; else SLURM_CPUS_ON_NODE, over several nodes SLURM_NTASKS, else 1
  CONFIG_FILE         an INI template, as a path or the name of one in configs/ (config-quick.ini)
  IO500_RESULTS_DIR   root of the results (./io500_results)
  IO500_BIN           the benchmark; else io500 on PATH, else the embedded engine
  MPIRUN              the launcher and its flags
  PROBE_SECONDS       how long the storage is probed before a run; 0: not at all. Else 1 % of the
                      stonewall, 3 s at most
  STORAGE_TIMEOUT     seconds that the storage may take to answer the checks and --clean (30); a
                      removal is given up after four times that without a file less
  TELEMETRY           off: do not record each second what the nodes do meanwhile (telemetry.csv)
  TELEMETRY_TEXTFILE_DIR  directory of node_exporter's textfile collector: the same for Prometheus
  RETRY_DELAY         seconds before a further try of --retries (10)
  HANG_TIMEOUT        see --hang-timeout
  NO_COLOR            no colours on a terminal

Exit codes: 0 done, 2 usage, 3 refused before the launch, 4 the benchmark failed, 5 its result could
not be parsed or written, 129/130/143 ended by a signal.
HELP
}

main() {
  local quiet="" reprocess="" clean="" explain="" dry_run="" checking=() arguments=() hang_timeout=${HANG_TIMEOUT:-3600} retries=0
  while (($#)); do
    case $1 in
    -h | --help) usage && return ;;
    -q | --quiet) quiet=--quiet ;;
    --check | --force) checking+=("$1") ;;
    --reprocess) reprocess=yes ;;
    --clean) clean=yes ;;
    --explain) explain=yes ;;
    --hang-timeout)
      (($# > 1)) || abort "$USAGE" "--hang-timeout needs a number of seconds"
      hang_timeout=$2
      shift
      ;;
    --retries)
      (($# > 1)) || abort "$USAGE" "--retries needs a number"
      retries=$2
      shift
      ;;
    --retries=*) retries=${1#*=} ;;
    --hang-timeout=*) hang_timeout=${1#*=} ;;
    --dry-run) dry_run=--dry-run ;;
    --) shift && arguments+=("$@") && break ;;
    -?*) abort "$USAGE" "unknown option $1 (see --help)" ;;
    *) arguments+=("$1") ;;
    esac
    shift
  done
  [[ -z $reprocess || -z $clean ]] || abort "$USAGE" "--reprocess and --clean are two commands: one at a time"
  if [[ -n $reprocess ]]; then
    ((${#checking[@]} == 0)) || abort "$USAGE" "${checking[0]} does not belong to --reprocess"
    ((${#arguments[@]} == 1)) || abort "$USAGE" "--reprocess needs one results directory, ${#arguments[@]} given"
    run_python reprocess --directory="${arguments[0]}" ${dry_run:+"$dry_run"} ${quiet:+"$quiet"}
  fi
  if [[ -n $explain ]]; then
    ((${#arguments[@]} == 1)) || abort "$USAGE" "--explain needs a code or one results directory, ${#arguments[@]} given"
    run_python explain "${arguments[0]}"
  fi
  if [[ -n $clean ]]; then
    ((${#arguments[@]} == 1)) || abort "$USAGE" "--clean needs one test directory, ${#arguments[@]} given"
    [[ ${checking[*]} != *--check* ]] || abort "$USAGE" "--check does not belong to --clean"
    checking+=("--patience=$(seconds_of STORAGE_TIMEOUT "${STORAGE_TIMEOUT:-30}")")
    run_python clean --directory="${arguments[0]}" "${checking[@]}" ${dry_run:+"$dry_run"} ${quiet:+"$quiet"}
  fi
  [[ -z $dry_run ]] || abort "$USAGE" "--dry-run belongs to --reprocess and --clean"
  ((${#arguments[@]} == 5 || ${#arguments[@]} == 6)) ||
    abort "$USAGE" "5 or 6 arguments are needed, ${#arguments[@]} given: <cluster> <node> <storage> <device> <test_dir> [volume]"
  benchmark "${arguments[@]}"
}

# benchmark CLUSTER NODE STORAGE DEVICE TEST_DIR [VOLUME]: with the flags of main.
benchmark() {
  local cluster=$1 node=$2 storage=$3 device=$4 test_dir volume=${6:-} results config binary ranks launcher
  require_name cluster "$cluster"
  require_name node "$node"
  require_name storage "$storage"
  require_name device "$device"
  [[ -z $volume ]] || require_name volume "$volume"
  require_path "test directory" "$5"
  test_dir=$(absolute "$5")
  results=$(absolute "${IO500_RESULTS_DIR:-io500_results}")
  require_path "test directory" "$test_dir"
  require_path "results directory" "$results"
  ranks=$(count_ranks)
  config=$(choose_configuration "$storage" "$device")
  [[ -z ${PROBE_SECONDS:-} ]] || checking+=("--probe-seconds=$(seconds_of PROBE_SECONDS "$PROBE_SECONDS")")
  checking+=("--patience=$(seconds_of STORAGE_TIMEOUT "${STORAGE_TIMEOUT:-30}")")
  [[ $retries =~ ^[0-9]{1,3}$ ]] || abort "$USAGE" "--retries '$retries': a number from 0 to 999 is needed"
  checking+=("--retries=$((10#$retries))" "--retry-delay=$(seconds_of RETRY_DELAY "${RETRY_DELAY:-10}")")
  checking+=("--hang-timeout=$(seconds_of HANG_TIMEOUT "$hang_timeout")")
  binary=$(find_benchmark)
  choose_launcher "$ranks" "$binary"
  run_python run --cluster="$cluster" --node="$node" --storage="$storage" --device="$device" --volume="$volume" \
    --test-dir="$test_dir" --results="$results" --config="$config" --config-name="${config#"$root/"}" \
    --binary="$binary" --ranks="$ranks" "${checking[@]}" ${quiet:+"$quiet"} -- "${launcher[@]}"
}

main "$@"
