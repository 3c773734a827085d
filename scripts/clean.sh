#!/usr/bin/env bash
# Removes what was compiled and cached. Results, tables, reports and .venv stay.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
cd -- "$root"

rm -rf -- engine/build .pytest_cache .ruff_cache .hypothesis .quarto
find . -maxdepth 1 -name __pycache__ -exec rm -rf -- {} +
find hpc_disk_bench scripts tests -name __pycache__ -prune -exec rm -rf -- {} +
printf 'removed   engine/build and caches\n'
for kept in .venv io500_results demo_results aggregated_results.csv io500_analysis.html; do
  [[ ! -e $kept ]] || printf 'kept      %s\n' "$kept"
done
