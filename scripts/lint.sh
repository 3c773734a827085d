#!/usr/bin/env bash
# Runs every linter and formatter over the project, each to its end, and names those that found something.
# --fix lets the formatters write.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
. "$root/scripts/common.bash"

fix=""
[[ ${1:-} != --fix ]] || fix=yes

# files PATTERN...: the project's files of these names, without what is built, installed or measured.
files() {
  local names=() pattern
  for pattern in "$@"; do
    names+=(-o -name "$pattern")
  done
  find . \( -name .git -o -name .venv -o -name .pixi -o -path ./engine/build -o -path '*_results' \) -prune -o \
    -type f \( "${names[@]:1}" \) -print0
}

failed=()
# lint NAME COMMAND...: runs it; a failure is remembered and the rest goes on.
lint() {
  local name=$1
  shift
  if ! command -v "$1" >/dev/null; then
    printf 'lint: %s is not there: install it, or run this on x86_64 where .venv brings it\n' "$1" >&2
    failed+=("$name")
  elif "$@"; then
    printf 'lint      %-13s ok\n' "$name"
  else
    failed+=("$name")
  fi
}

"$root/scripts/setup.sh" dev
cd -- "$root"
PATH=$(dirname -- "$(python_for dev)"):$PATH
mapfile -d '' -t shell < <(files '*.sh' '*.bash')
shell+=(.ci/run)
mapfile -d '' -t c < <(files '*.c' '*.h')

lint ruff ruff check --quiet ${fix:+--fix} .
if [[ -n $fix ]]; then
  lint ruff-format ruff format --quiet .
  lint shfmt shfmt -w -i 2 "${shell[@]}"
  lint clang-format clang-format -i "${c[@]}"
else
  lint ruff-format ruff format --quiet --diff .
  lint shfmt shfmt -d -i 2 "${shell[@]}"
  lint clang-format clang-format --dry-run -Werror "${c[@]}"
fi
lint shellcheck shellcheck -x "${shell[@]}"

if [[ ${#failed[@]} -gt 0 ]]; then
  printf 'lint: failed: %s\n' "${failed[*]}" >&2
  exit 1
fi
