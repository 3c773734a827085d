#!/usr/bin/env bash
# The first process of a second Linux kernel (User Mode Linux), whose root file system is this machine's: it mounts a
# directory by NFS 4.2 from its own kernel's server and runs a command with the caller's directory and environment.
#   init=DIRECTORY/init, which is this file; beside it: command, mount-point, and the disk as /dev/ubda
#   leaves beside it: out, err, code; guest.log where it does not come that far
set -euo pipefail

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
directory=${0%/*}
exec >"$directory/guest.log" 2>&1 </dev/null

power_off() {
  printf 'o' >/proc/sysrq-trigger
  sleep 60
}
trap power_off EXIT

mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs -o mode=755 run /run
mount -t devtmpfs dev /dev 2>/dev/null || true
mkdir -p /dev/shm /run/export /run/modules/lib
mount -t tmpfs shm /dev/shm
ln -s /usr/lib/uml/modules /run/modules/lib/modules
hostname nfsguest
ip link set lo up
for module in nfs nfsv4 nfsd sch_prio sch_netem cls_u32; do modprobe -d /run/modules "$module"; done

mkfs.ext4 -q -F /dev/ubda
mount /dev/ubda /run/export
chmod 1777 /run/export
# What the server keeps, and which directory it gives out, is this kernel's alone.
mount -t tmpfs state /var/lib/nfs
mkdir -p /var/lib/nfs/{v4recovery,rpc_pipefs,sm}
touch /var/lib/nfs/{etab,rmtab,state}
printf '/run/export 127.0.0.1(rw,async,no_root_squash,fsid=0,insecure,no_subtree_check)\n' >/run/exports
touch /run/hosts
printf '127.0.0.1 localhost nfsguest\n' >/run/hosts
mount --bind /run/hosts /etc/hosts
mount --bind /run/exports /etc/exports
mount -t nfsd nfsd /proc/fs/nfsd
exportfs -ra
rpc.nfsd -N 3 -V 4.2 --no-udp 4
rpc.mountd -N 2 -N 3
mount -t nfs -o vers=4.2 127.0.0.1:/ "$(<"$directory/mount-point")"

code=0
bash "$directory/command" >"$directory/out" 2>"$directory/err" </dev/null || code=$?
printf '%s\n' "$code" >"$directory/code"
