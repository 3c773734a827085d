#!/usr/bin/env bash
# Makes what is missing, and nothing twice, for the parts named: report (packages of the table and the report),
# dev (tests and linters), engine (MPI and the benchmark). Everything stays inside the clone; no root.
set -euo pipefail
shopt -s inherit_errexit

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
. "$root/scripts/common.bash"
. "$root/scripts/venv.bash"
. "$root/scripts/mpi.bash"

usage() {
  printf 'usage: scripts/setup.sh [report] [dev] [parquet] [engine]\n'
  printf 'Makes .venv and the engine where they are missing or out of date; without a name: report and engine.\n'
}

main() {
  local part packages=() engine=""
  [[ $# -gt 0 ]] || set -- report engine
  for part in "$@"; do
    case $part in
    report | dev | parquet) packages+=("$part") ;;
    engine) engine=yes ;;
    -h | --help) usage && return ;;
    *) fail "no such part: $part (report, dev, parquet, engine)" ;;
    esac
  done

  [[ $(uname -s) == Linux ]] || fail "only Linux is supported, this is $(uname -s)"
  one_at_a_time
  # Everything that can be refused is refused before anything is made.
  [[ -z $engine ]] || require_compiler
  if [[ ${#packages[@]} -gt 0 ]] && ! active_python "${packages[@]}" >/dev/null; then
    venv_with "${packages[@]}"
  fi
  [[ -z $engine ]] || build_engine
}

# one_at_a_time: a second set-up in the same clone waits for the first. Where directories cannot be locked
# (some network file systems) it goes on unlocked.
one_at_a_time() {
  local status=0
  exec 9<"$root"
  flock -n -E 75 9 2>/dev/null || status=$?
  if [[ $status -eq 75 ]]; then
    talk "waiting for another set-up of this clone"
    flock 9
  fi
}

# build_engine: compiles engine/ with the MPI that choose_mpi settles on; make itself knows what is up to date.
build_engine() {
  local mpicc log=$root/engine/build/make.log before after jobs
  mpicc=$(choose_mpi)
  jobs=$(getconf _NPROCESSORS_ONLN)
  before=$(engine_stamp)
  # make hands MPICC to a shell as it is; quoted, a path with a blank stays one word.
  if ! make -j "$jobs" --output-sync --no-print-directory -C "$root/engine" MPICC="$(printf '%q' "$mpicc")" >"$log" 2>&1 9<&-; then
    cat -- "$log" >&2
    fail "the engine does not compile with $mpicc: see the compiler's messages above"
  fi
  after=$(engine_stamp)
  [[ $after == "$before" ]] || talk "compiled the engine with $mpicc"
}

engine_stamp() { stat -c %y -- "$root/engine/build/io500-embedded" 2>/dev/null || true; }

main "$@"
