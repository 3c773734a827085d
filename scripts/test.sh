#!/usr/bin/env bash
# Runs the tests, with what they need set up; arguments go to pytest (make test PYTEST_ARGS='-k "words"').
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
. "$root/scripts/common.bash"

"$root/scripts/setup.sh" report dev parquet engine
cd -- "$root"
exec "$(python_for report dev)" -m pytest "$@"
