# What the scripts of this directory share.
# shellcheck shell=bash

: "${root:?the clone}"
venv=$root/.venv

# talk TEXT: one line about what is being done, to stderr.
talk() { printf 'set-up    %s\n' "$*" >&2; }

# fail TEXT: ends with one line that says what to do.
fail() {
  printf 'set-up: %s\n' "$*" >&2
  exit 2
}

# The clone's own .venv is looked for by name; left on PATH it would pass for the machine's.
own_venv_off_path() {
  local entry entries kept=()
  IFS=: read -ra entries <<<"$PATH"
  for entry in "${entries[@]}"; do
    [[ $entry -ef $venv/bin ]] || kept+=("$entry")
  done
  PATH=$(
    IFS=:
    printf '%s' "${kept[*]}"
  )
  [[ ! ${VIRTUAL_ENV:-} -ef $venv ]] || unset VIRTUAL_ENV
}
own_venv_off_path

# Environment modules set these for another Python.
unset PYTHONHOME PYTHONPATH

# active_python PART...: prints the Python of the active environment (venv, conda, pixi) where it has all that
# requirements/PART.in name; fails where there is none or something is missing.
active_python() {
  local prefix
  for prefix in "${VIRTUAL_ENV:-}" "${CONDA_PREFIX:-}"; do
    [[ -n $prefix && -x $prefix/bin/python ]] || continue
    if "$prefix/bin/python" -I "$root/scripts/has_packages.py" "${@/#/$root/requirements/}"; then
      printf '%s\n' "$prefix/bin/python"
      return
    fi
  done
  return 1
}

# python_for PART...: prints the Python that runs what needs these parts, once set-up has been through.
python_for() { active_python "$@" || printf '%s\n' "$venv/bin/python"; }
