# What every command at the top of the repository starts with: how it ends, and which Python it calls.
# shellcheck shell=bash

: "${root:?the clone}" "${command_name:?as the user typed it}"

# shellcheck disable=SC2034  # for those who source this
readonly USAGE=2 REFUSED=3

# abort CODE MESSAGE: ends with one line on stderr, whatever the user typed that stands in it.
abort() {
  printf '%s: %s\n' "$command_name" "${2//[[:cntrl:]]/?}" >&2
  exit "$1"
}

if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)); then
  abort "$USAGE" "needs bash 4.4 or newer, this is $BASH_VERSION"
fi
shopt -s inherit_errexit

# find_python: prints the Python for what runs on a node: the active environment's, else the clone's, else the
# first one on PATH that is new enough.
find_python() {
  local candidate
  for candidate in ${VIRTUAL_ENV:+"$VIRTUAL_ENV/bin/python3"} ${CONDA_PREFIX:+"$CONDA_PREFIX/bin/python3"} \
    "$root/.venv/bin/python3" python3 python3.{13..9}; do
    if "$candidate" -I -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  abort "$USAGE" "Python 3.9 or newer is needed and none is on PATH: load its module or install python3"
}

# run_python TASK ARGUMENT...: becomes that task of hpc_disk_bench/__main__.py, so that signals reach it alone.
run_python() {
  local python
  python=$(find_python)
  export HPC_DISK_BENCH_COMMAND=$command_name
  exec "$python" -I "$root/hpc_disk_bench/__main__.py" "$@"
}

# absolute PATH: prints it from / on, without asking whether it is there.
absolute() {
  case $1 in
  /*) printf '%s' "$1" ;;
  *) printf '%s/%s' "${PWD%/}" "${1#./}" ;;
  esac
}
