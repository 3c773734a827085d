#!/usr/bin/env bash
# Is a benchmark there, and does its mpirun start N ranks of it as one job? A dry run: nothing is measured.
# N is NUM_PROCS, else what a job has, else 2; benchmark and launcher are chosen as a run chooses them.
set -euo pipefail

command_name=test_io500.sh
root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
. "$root/lib/common.bash"
. "$root/lib/launch.bash"

main() {
  local ranks binary launcher command started
  [[ -n ${SLURM_JOB_ID:-} ]] || NUM_PROCS=${NUM_PROCS-2}
  ranks=$(count_ranks)
  binary=$(find_benchmark)
  choose_launcher "$ranks" "$binary"
  work=$(mktemp -d)
  trap 'rm -rf -- "$work"' EXIT
  printf '[global]\ndatadir = %s\nresultdir = %s\ntimestamp-datadir = FALSE\ntimestamp-resultdir = FALSE\n' \
    "$work/data" "$work/result" >"$work/dry.ini"

  command=("${launcher[@]}" "$binary" "$work/dry.ini" --dry-run)
  printf 'benchmark %s\n' "$binary"
  printf 'launch    %s\n' "${command[*]}"
  if ! timeout 120 "${command[@]}" >"$work/out" 2>&1 </dev/null; then
    cat -- "$work/out" >&2
    abort 4 "the benchmark does not start: see its messages above"
  fi
  started=$(sed -n 's/^procs *= *//p' "$work/result/result.txt" 2>/dev/null) || true
  [[ $started == "$ranks" ]] ||
    abort 4 "asked for $ranks ranks, the benchmark saw ${started:-none}: this mpirun belongs to another MPI; set MPIRUN"
  printf 'ok        %s rank%s, one job\n' "$ranks" "$([[ $ranks == 1 ]] || printf s)"
}

main
