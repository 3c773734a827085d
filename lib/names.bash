# Which names and paths are taken from a user.
# shellcheck shell=bash

: "${USAGE:?lib/common.bash comes first}"

# require_name WHAT NAME: NAME becomes a directory of the results tree: letters, digits, . _ -, no dot in front.
require_name() {
  local LC_ALL=C
  [[ -n $2 ]] || abort "$USAGE" "$1 is empty"
  [[ $2 =~ ^[A-Za-z0-9_-][A-Za-z0-9._-]*$ ]] ||
    abort "$USAGE" "$1 '$2': only letters, digits, '.', '_' and '-' make a name, and no '.' in front"
  ((${#2} <= 200)) || abort "$USAGE" "$1 '${2:0:20}...': ${#2} characters are too many for a directory's name"
}

# require_path WHAT PATH: PATH goes into the benchmark's INI, which cannot hold '#', ';' and line ends.
require_path() {
  local LC_ALL=C
  [[ -n $2 ]] || abort "$USAGE" "$1 is empty"
  [[ $2 != *['#;']* ]] || abort "$USAGE" "$1 '$2': the benchmark's INI cannot hold a path with '#' or ';'"
  [[ $2 != *[[:cntrl:]]* ]] || abort "$USAGE" "$1 '$2': the benchmark's INI cannot hold a path with a line end"
}

# seconds_of WHAT TEXT: prints TEXT where it is a number of seconds.
seconds_of() {
  [[ $2 =~ ^[0-9]{1,5}(\.[0-9]{1,3})?$ ]] || abort "$USAGE" "$1 '$2': a number of seconds is needed"
  printf '%s' "$2"
}
