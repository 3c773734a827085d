# Which INI template a run takes.
# shellcheck shell=bash

: "${root:?the clone}" "${USAGE:?lib/common.bash comes first}"

# choose_configuration STORAGE DEVICE: prints the template's path: CONFIG_FILE, a path or a name in configs/, else the
# one for this storage.
choose_configuration() {
  local name problem
  if [[ -n ${CONFIG_FILE:-} ]]; then
    if [[ -f $CONFIG_FILE ]]; then
      absolute "$CONFIG_FILE"
    elif [[ $CONFIG_FILE != */* && -f $root/configs/$CONFIG_FILE ]]; then
      printf '%s/configs/%s' "$root" "$CONFIG_FILE"
    else
      problem=$(LC_ALL=C stat -L -- "$CONFIG_FILE" 2>&1 >/dev/null || true)
      [[ $problem != *": Permission denied" ]] ||
        abort "$USAGE" "CONFIG_FILE '$CONFIG_FILE': cannot be read: Permission denied"
      abort "$USAGE" "CONFIG_FILE '$CONFIG_FILE': no such file, here or in $root/configs"
    fi
    return
  fi
  case $1/$2 in
  local/ssd) name=config-ssd.ini ;;
  nfs/hdd) name=config-nfs.ini ;;
  *) name=config.ini ;;
  esac
  printf '%s/configs/%s' "$root" "$name"
}
