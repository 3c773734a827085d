#!/usr/bin/env bash
# Runs the tests, with what they need set up; arguments go to pytest (make test PYTEST_ARGS='-k "words"').
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
. "$root/scripts/common.bash"

"$root/scripts/setup.sh" report dev parquet engine
cd -- "$root"
# Two at a time: most tests wait for ranks, a batch system or a browser longer than they compute. -n 0: one by one.
exec "$(python_for report dev)" -m pytest -n 2 --dist loadfile --no-loadscope-reorder "$@"
