#!/usr/bin/env bash
# Submits benchmark runs to Slurm: one, or a campaign of nodes x storages. See --help and docs/slurm.md.
set -euo pipefail

command_name=submit.sh
root=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
. "$root/lib/common.bash"

run_python submit "$@"
