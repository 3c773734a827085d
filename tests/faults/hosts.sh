#!/usr/bin/env bash
# Two hosts, h1 and h2: names, addresses, processes, shared memory and an sshd of their own, on one bridge. Started by hosts.py as
# the first process of new namespaces, so that nothing of them is seen from outside, and all of it ends with this process.
#   hosts.sh DIRECTORY         says "ready" once both answer, and ends with its standard input
#   hosts.sh DIRECTORY HOST    one of the hosts, which it starts itself
# What is started on h2 has the variables of $H2_ENVIRONMENT, "NAME=VALUE ...": a clock of its own, for instance.
set -euo pipefail

directory=$1

write_configuration() {
  ssh-keygen -q -t ed25519 -N '' -f "$directory/key"
  ssh-keygen -q -t ed25519 -N '' -f "$directory/host-key"
  cat >"$directory/sshd_config" <<CONF
HostKey $directory/host-key
AuthorizedKeysFile $directory/key.pub
UsePAM no
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
CONF
  cat >"$directory/ssh_config" <<CONF
IdentityFile $directory/key
IdentitiesOnly yes
StrictHostKeyChecking no
UserKnownHostsFile /dev/null
LogLevel ERROR
CONF
  printf '127.0.0.1 localhost\n10.1.1.1 h1\n10.1.1.2 h2\n' >"$directory/hosts"
}

# start_host NUMBER: a host, in a network of its own that is plugged into the bridge.
start_host() {
  local name=h$1 pid
  mkfifo "$directory/plugged.$name"
  unshare --net --uts --mount --pid --mount-proc --fork --kill-child \
    "${BASH_SOURCE[0]}" "$directory" "$name" </dev/null 3>&- &
  # The host's first process is the child of the one that made its namespaces.
  until pid=$(cat "/proc/$!/task/$!/children" 2>/dev/null) && [[ $pid ]]; do sleep 0.01; done
  pid=${pid% }
  printf '%s\n' "$pid" >"$directory/$name.pid"
  ip link add "to-$name" type veth peer name eth0 netns "$pid"
  ip link set "to-$name" master bridge up
  nsenter --net --target "$pid" ip addr add "10.1.1.$1/24" dev eth0
  nsenter --net --target "$pid" ip link set eth0 up
  printf 'yes\n' >"$directory/plugged.$name"
}

become_host() {
  read -r _ <"$directory/plugged.$1"
  ip link set lo up
  hostname "$1"
  mount --bind "$directory/hosts" /etc/hosts
  mount -t tmpfs tmpfs /dev/shm
  # Where MPI's daemons keep directories that are named by process and host.
  mount -t tmpfs tmpfs /var/tmp
  # So that ssh needs no arguments, whoever calls it.
  mount --bind "$directory/ssh_config" /etc/ssh/ssh_config
  local flags=()
  [[ $1 != h2 || -z ${H2_ENVIRONMENT:-} ]] || flags=(-o "SetEnv=$H2_ENVIRONMENT")
  exec /usr/sbin/sshd -D -e -f "$directory/sshd_config" "${flags[@]}"
}

main() {
  local host
  write_configuration
  ip link set lo up
  ip link add bridge type bridge
  ip addr add 10.1.1.254/24 dev bridge
  ip link set bridge up
  mount --bind "$directory/hosts" /etc/hosts
  # sshd wants its directory; that of the machine is not to be touched.
  mount -t tmpfs tmpfs /run
  mkdir -p /run/sshd
  for host in 1 2; do
    start_host "$host"
  done
  for host in h1 h2; do
    until ssh -F "$directory/ssh_config" "$host" true; do sleep 0.1; done
  done
  printf 'ready\n' >&3
}

[[ $# -eq 1 ]] || become_host "$2"
exec 3>&1 >>"$directory/hosts.log" 2>&1
main
# The first process of a namespace: everything else in it is killed with it.
read -r _ || true
