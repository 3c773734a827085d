#!/usr/bin/env bash
# The results tree to one table, with what that needs set up; arguments go to aggregate_results.py.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
. "$root/scripts/common.bash"

parts=(report)
[[ " $* " != *" --parquet "* ]] || parts+=(parquet)
"$root/scripts/setup.sh" "${parts[@]}"
exec "$(python_for "${parts[@]}")" "$root/aggregate_results.py" "$@"
