# The clone's virtual environment: .venv, from the locked versions in requirements/.
# shellcheck shell=bash
#
# .venv/.hpc-disk-bench marks it as made here; .venv/.unfinished stands while it is being changed, so that a
# set-up that was killed is made again; .venv/.lock-NAME holds the checksum of the lock that was installed.

: "${root:?the clone}" "${venv:?its .venv}"

# venv_with NAME...: .venv exists and holds what requirements/NAME.lock lists.
venv_with() {
  local name made=""
  if [[ -e $venv && ! -e $venv/.hpc-disk-bench ]]; then
    fail "$venv exists and was not made by this set-up: move it away, or activate it if it has all of requirements/*.in"
  fi
  if [[ -e $venv/.unfinished ]] || ! "$venv/bin/python" -I -c 'import pip' 2>/dev/null; then
    make_venv
    made=yes
  fi
  for name in "$@"; do
    install_lock "$name" "$made"
  done
}

make_venv() {
  local python
  python=$(find_python)
  [[ ! -e $venv ]] || talk "making .venv again: it is unfinished or its Python is gone"
  rm -rf -- "$venv"
  mkdir -- "$venv"
  touch -- "$venv/.hpc-disk-bench" "$venv/.unfinished"
  talk "making .venv with $("$python" -I -V) ($python)"
  if ! "$python" -I -m venv "$venv" >&2; then
    rm -rf -- "$venv"
    fail "$python cannot make a virtual environment: name another with PYTHON=/path/to/python3"
  fi
  rm -f -- "$venv/.unfinished"
}

# install_lock NAME MADE: installs requirements/NAME.lock unless that very lock is in. A .venv MADE by this call
# does not outlive a failure.
install_lock() {
  local name=$1 made=$2 lock=$root/requirements/$1.lock stamp=$venv/.lock-$1 log=$venv/.pip.log want count
  want=$(sha256sum <"$lock")
  if [[ -e $stamp && $(<"$stamp") == "$want" ]]; then
    return
  fi
  count=$(grep -c '==' "$lock")
  talk "installing requirements/$name.lock ($count package$([[ $count == 1 ]] || printf s))"
  touch -- "$venv/.unfinished"
  # -I: a PYTHONPATH of an environment module is none of .venv's business. The index, proxy and certificate
  # that a site has set for pip hold; where to install does not. --no-compile: Python compiles what is imported when
  # it is; all beforehand is two thirds of the work, for modules that nobody asks for.
  if ! PIP_USER=0 PIP_TARGET='' PIP_PREFIX='' "$venv/bin/python" -I -m pip install --progress-bar off \
    --disable-pip-version-check --no-cache-dir --no-input --retries 2 --require-hashes --only-binary :all: \
    --no-compile -r "$lock" 2>&1 9<&- | tee -- "$log" | show_progress "$count"; then
    explain_pip "$log" "$made"
  fi
  rm -f -- "$log"
  printf '%s\n' "$want" >"$stamp"
  rm -f -- "$venv/.unfinished"
}

# show_progress COUNT: on a terminal, pip's output as one line that changes; else nothing.
show_progress() {
  local word package rest number=0
  while read -r word package rest; do
    [[ -t 2 ]] || continue
    case $word in
    Collecting) printf '\r\033[K          %s/%s %s' $((++number)) "$1" "${package%% *}" >&2 ;;
    Installing) printf '\r\033[K          unpacking' >&2 ;;
    Successfully) printf '\r\033[K' >&2 ;;
    esac
  done
}

# explain_pip LOG MADE: one line out of what pip said, and the end.
explain_pip() {
  local why
  why=$(grep 'ERROR: ' "$1" | tail -n 1) || why=$(tail -n 1 "$1")
  if grep -qE 'NewConnectionError|NameResolution|Connection|timed out|ProxyError|SSLError' "$1"; then
    why="the Python package index cannot be reached: mend the network or set HTTPS_PROXY, PIP_INDEX_URL or PIP_CERT ($why)"
  else
    why="pip could not install the locked packages: $why"
  fi
  rm -f -- "$1" "$venv/.unfinished"
  [[ -z $2 ]] || rm -rf -- "$venv"
  fail "$why"
}

# find_python: prints the newest Python from 3.11 on that can make virtual environments: $PYTHON if set, else from PATH.
find_python() {
  local candidate names=(python3 python3.14 python3.13 python3.12 python3.11) seen minor path venv_ok
  local best="" best_minor=0 old="" bare=""
  [[ -z ${PYTHON:-} ]] || names=("$PYTHON")
  for candidate in "${names[@]}"; do
    # A name on PATH may be a shim for a version that is not installed: what counts is whether it runs.
    seen=$("$candidate" -c 'import sys
try:
    import ensurepip, venv
    ok = "yes"
except ImportError:
    ok = ""
print("|".join([str(sys.version_info[0] * 100 + sys.version_info[1]), ok, sys.executable]))' 2>/dev/null) || continue
    IFS='|' read -r minor venv_ok path <<<"$seen"
    if ((minor < 311)); then
      old="$path is $((minor / 100)).$((minor % 100))"
    elif [[ -z $venv_ok ]]; then
      bare=$path
    elif ((minor > best_minor)); then
      best=$path best_minor=$minor
    fi
  done
  if [[ -n $best ]]; then
    printf '%s\n' "$best"
  elif [[ -n $bare ]]; then
    fail "$bare lacks venv or ensurepip: apt install python3-venv, or name another with PYTHON=/path/to/python3"
  else
    fail "Python 3.11 or newer is needed${old:+, $old}: install one, or name it with PYTHON=/path/to/python3"
  fi
}
