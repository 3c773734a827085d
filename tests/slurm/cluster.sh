#!/usr/bin/env bash
# A real Slurm: one controller, two nodes with names, addresses and shared memory of their own, which pretend to have
# 16 CPUs each. Started by cluster.py as the first process of new namespaces, so that nothing of it is seen from
# outside, ports cannot be taken, and all of it ends, jobs included, when this process ends.
#   cluster.sh DIRECTORY         says "ready" once jobs can be submitted, and ends with its standard input
#   cluster.sh DIRECTORY NODE    one of its nodes, which it starts itself
set -euo pipefail

directory=$1
nodes=(n1 n2)
export SLURM_CONF=$directory/slurm.conf

write_configuration() {
  local number
  head -c 256 /dev/urandom >"$directory/munge.key"
  chmod 400 "$directory/munge.key"
  cat >"$SLURM_CONF" <<CONF
ClusterName=test
SlurmctldHost=ctl(10.1.1.254)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$directory/munge.socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=2,sched_min_interval=0,bf_interval=2
SlurmdParameters=config_overrides
ReturnToService=2
InactiveLimit=0
KillWait=30
MinJobAge=3600
StateSaveLocation=$directory/state
SlurmdSpoolDir=$directory/spool.%n
SlurmctldPidFile=$directory/slurmctld.pid
SlurmdPidFile=$directory/slurmd.%n.pid
SlurmctldLogFile=$directory/slurmctld.log
SlurmdLogFile=$directory/slurmd.%n.log
PlugStackConfig=$directory/plugstack.conf
CONF
  for number in "${!nodes[@]}"; do
    printf 'NodeName=%s NodeAddr=10.1.1.%d CPUs=16 Boards=1 SocketsPerBoard=1 CoresPerSocket=16 ThreadsPerCore=1 RealMemory=1000\n' \
      "${nodes[number]}" $((number + 1)) >>"$SLURM_CONF"
  done
  printf 'PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n' >>"$SLURM_CONF"
  : >"$directory/plugstack.conf"
  # No cgroup is used; without this line slurmd wants to find them mounted.
  printf 'CgroupPlugin=cgroup/v1\n' >"$directory/cgroup.conf"
  # Where PMIx keeps its sockets has to be each node's own.
  printf 'PMIxCliTmpDirBase=/dev/shm\n' >"$directory/mpi.conf"
  mkdir -p "$directory/state"
}

# start_node NUMBER: a node, in a network of its own that is plugged into the bridge.
start_node() {
  local name=${nodes[$1]} pid
  mkfifo "$directory/plugged.$name"
  unshare --net --uts --mount "${BASH_SOURCE[0]}" "$directory" "$name" </dev/null 3>&- &
  pid=$!
  while [[ /proc/$pid/ns/net -ef /proc/self/ns/net ]]; do sleep 0.01; done
  ip link add "to-$name" type veth peer name eth0 netns "$pid"
  ip link set "to-$name" master bridge up
  nsenter --net --target "$pid" ip addr add "10.1.1.$(($1 + 1))/24" dev eth0
  nsenter --net --target "$pid" ip link set eth0 up
  printf 'yes\n' >"$directory/plugged.$name"
}

# become_node NAME: what start_node has started becomes slurmd on a host of that name, with shared memory of its own.
become_node() {
  read -r _ <"$directory/plugged.$1"
  ip link set lo up
  hostname "$1"
  mount --bind "$directory/hosts" /etc/hosts
  mount -t tmpfs tmpfs /dev/shm
  exec slurmd -D -N "$1"
}

main() {
  local number
  {
    printf '127.0.0.1 localhost\n10.1.1.254 ctl\n'
    for number in "${!nodes[@]}"; do printf '10.1.1.%d %s\n' $((number + 1)) "${nodes[number]}"; done
  } >"$directory/hosts"
  write_configuration
  ip link set lo up
  ip link add bridge type bridge
  ip addr add 10.1.1.254/24 dev bridge
  ip link set bridge up
  hostname ctl
  mount --bind "$directory/hosts" /etc/hosts
  munged --force --key-file="$directory/munge.key" --socket="$directory/munge.socket" \
    --pid-file="$directory/munged.pid" --log-file="$directory/munged.log" --seed-file="$directory/munge.seed" 3>&-
  slurmctld -D </dev/null 3>&- &
  for number in "${!nodes[@]}"; do
    start_node "$number"
  done
  until [[ $(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l) == "${#nodes[@]}" ]]; do sleep 0.1; done
  printf 'ready\n' >&3
}

[[ $# -eq 1 ]] || become_node "$2"
exec 3>&1 >>"$directory/cluster.log" 2>&1
main
# The first process of a namespace: everything else in it is killed with it.
read -r _ || true
