# Which MPI the engine is compiled with: the active environment's or the machine's own where mpicc and mpirun both
# work, else the wheel in .venv.
# shellcheck shell=bash

: "${root:?the clone}" "${venv:?its .venv}"
choice=$root/engine/build/mpi.choice

# require_compiler: something compiles C here. Open MPI's mpicc is told where that is not cc.
require_compiler() {
  local name names=(cc gcc clang) found broken=""
  local remedy="install gcc and the C library's headers (apt install gcc libc6-dev, dnf install gcc), or set CC"
  [[ -z ${CC:-} ]] || names=("${CC%% *}" "${names[@]}")
  found=$(find_mpicc)
  for name in "${names[@]}" ${found:+"$found"}; do
    command -v "$name" >/dev/null || continue
    if printf '#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n' |
      "$name" -x c -o /dev/null - >/dev/null 2>&1; then
      [[ $name == cc || $name == "$found" ]] || export OMPI_CC=${OMPI_CC:-$name}
      return
    fi
    broken=${broken:-$(command -v "$name")}
  done
  [[ -z $broken ]] || fail "the C compiler $broken cannot compile: $remedy"
  fail "no C compiler (cc, gcc or clang) on PATH: $remedy"
}

# choose_mpi: prints the path of the mpicc to use. What was looked at and what was chosen are kept, so that an MPI
# is tried out once, and again when another one comes to PATH.
choose_mpi() {
  local found seen="" chosen=""
  mkdir -p -- "$root/engine/build"
  found=$(find_mpicc)
  if [[ -r $choice ]]; then
    { IFS= read -r seen && IFS= read -r chosen; } <"$choice" || chosen=""
  fi
  if [[ $seen == "$found" && $chosen == "$venv/bin/mpicc" ]]; then
    venv_with mpi
  elif [[ $seen != "$found" || ! -x $chosen ]]; then
    chosen=$(try_mpi "$found")
  fi
  printf '%s\n' "$found" "$chosen" >"$choice"
  printf '%s\n' "$chosen"
}

# try_mpi MPICC: prints MPICC where it works, else the wheel's, installed.
try_mpi() {
  if [[ -n $1 ]]; then
    if mpi_works "$1"; then
      printf '%s\n' "$1"
      return
    fi
    talk "$1 and its mpirun do not start 2 ranks: taking Open MPI from requirements/mpi.lock"
  fi
  venv_with mpi
  mpi_works "$venv/bin/mpicc" ||
    fail "Open MPI from requirements/mpi.lock does not start 2 ranks here: install the machine's own (mpicc and mpirun)"
  printf '%s\n' "$venv/bin/mpicc"
}

find_mpicc() {
  local prefix
  for prefix in "${VIRTUAL_ENV:-}" "${CONDA_PREFIX:-}"; do
    if [[ -n $prefix && -x $prefix/bin/mpicc ]]; then
      printf '%s\n' "$prefix/bin/mpicc"
      return
    fi
  done
  command -v mpicc || true
}

# mpi_works MPICC: a program compiled with it, started by its mpirun, is one job of two ranks.
mpi_works() {
  local mpirun work=$root/engine/build/mpi-trial sizes=""
  mpirun=$(dirname -- "$1")/mpirun
  [[ -x $mpirun ]] || mpirun=$(command -v mpirun) || return 1
  mkdir -p -- "$work"
  printf '%s\n' '#include <mpi.h>' '#include <stdio.h>' 'int main(int argc, char **argv) {' '  int size;' \
    '  MPI_Init(&argc, &argv); MPI_Comm_size(MPI_COMM_WORLD, &size); printf("%d\n", size);' \
    '  return MPI_Finalize(); }' >"$work/probe.c"
  if "$1" -o "$work/probe" "$work/probe.c" >/dev/null 2>&1; then
    # Two ranks on one core and root are both fine for a trial; Open MPI has to be told, 4 and 5 each in its own way.
    sizes=$(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
      PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none \
      timeout 60 "$mpirun" -np 2 "$work/probe" 2>/dev/null </dev/null 9<&-) || sizes=""
  fi
  rm -rf -- "$work"
  [[ $sizes == $'2\n2' ]]
}
