#!/usr/bin/env bash
# The results tree to one table, with what that needs set up; arguments go to aggregate_results.py.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
. "$root/scripts/common.bash"

"$root/scripts/setup.sh" report
exec "$(python_for report)" "$root/aggregate_results.py" "$@"
