#!/usr/bin/env bash
# Makes requirements/*.lock from requirements/*.in, for Python 3.11 and newer on Linux, with hashes.
# Pins stay where they still fit; --upgrade takes the newest. For developers: needs the network.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
. "$root/scripts/common.bash"
. "$root/scripts/venv.bash"

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
"$(find_python)" -I -m venv "$work/venv"
"$work/venv/bin/python" -I -m pip install --quiet --no-cache-dir --disable-pip-version-check uv

cd -- "$root/requirements"
# dev and parquet are resolved against report, so report comes first.
for name in report dev parquet mpi; do
  "$work/venv/bin/uv" pip compile "$@" --quiet --no-cache --universal --python-version 3.11 --generate-hashes \
    --only-binary :all: --no-header --no-emit-index-url --no-emit-find-links "$name.in" -o "$name.lock"
  printf 'locked    requirements/%s.lock\n' "$name"
done
