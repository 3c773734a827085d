#!/usr/bin/env bash
# Prints the mpicc to build with, quoted for a shell: the active environment's, else the one on PATH, else the clone's own.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
for candidate in "${VIRTUAL_ENV:+$VIRTUAL_ENV/bin/mpicc}" "${CONDA_PREFIX:+$CONDA_PREFIX/bin/mpicc}" \
  "$(command -v mpicc || true)" "$here/../.venv/bin/mpicc"; do
  if [[ -n $candidate && -x $candidate && -x ${candidate%/mpicc}/mpirun ]] && "$candidate" -show >/dev/null 2>&1; then
    printf '%q\n' "$candidate"
    exit 0
  fi
done
