"""What is behind a directory: real mounts where they can be had, else trees of /proc and /sys."""

import os
from pathlib import Path

import pytest

from hpc_disk_bench.checks.declared import contradictions
from hpc_disk_bench.devices import find_device
from hpc_disk_bench.mounts import mount_of, read_mounts
from hpc_disk_bench.storage import KEYS, inspect

MOUNTINFO = r"""
22 1 254:0 / / rw,relatime - ext4 /dev/vda1 rw,discard
23 22 0:21 / /proc rw,relatime - proc proc rw
30 22 0:40 / /nfs7/scratch rw,relatime - nfs4 nas7:/scratch rw,vers=4.2,rsize=1048576,wsize=5242
31 22 0:41 / /nfs3 rw - nfs nas3:/vol/old\040one rw,vers=3,rsize=65536
32 22 0:42 / /lustre rw - lustre 10.1.0.1@o2ib:/scratch rw,flock
33 22 0:43 / /home/a\040b ro,noatime - fuse.sshfs me@far:/home/me rw,user_id=0
34 22 9:126 / /raid rw - xfs /dev/md126 rw,attr2
35 22 259:3 / /nvme rw - ext4 /dev/nvme0n1p2 rw
36 22 253:1 / /volume rw - xfs /dev/mapper/vg-data rw
37 22 8:1 / /stacked rw - ext4 /dev/sda1 rw
38 37 0:44 / /stacked rw - tmpfs tmpfs rw,size=1g
39 22 0:45 / /mfs rw - fuse mfs#master:9421 rw
40 22 0:46 / /merged rw - overlay overlay rw,lowerdir=/a,upperdir=/b,workdir=/c
41 22 0:47 / /beegfs rw - beegfs beegfs_nodev rw
42 22 0:48 / /bind rw - fuse.bindfs /srv rw
this line is none
43 22 x:y / /broken rw - ext4 /dev/x rw
"""


@pytest.fixture
def proc(tmp_path):
    path = tmp_path / "proc/self"
    path.mkdir(parents=True)
    (path / "mountinfo").write_text(MOUNTINFO.lstrip("\n"))
    return str(tmp_path / "proc")


@pytest.fixture
def sys(tmp_path):
    """Disks: sda1 (rotates), nvme0n1p2, md126 over two SSDs, dm-1 over sda1 (through md)."""
    top = tmp_path / "sys"

    def device(place, numbers, *, rotational=None, model=None, partition=False, slaves=()):
        path = top / "devices" / place
        path.mkdir(parents=True)
        if rotational is not None:
            (path / "queue").mkdir()
            (path / "queue/rotational").write_text(f"{rotational}\n")
        if model:
            (path / "device").mkdir()
            (path / "device/model").write_text(f"{model}      \n")
        if partition:
            (path / "partition").write_text("1\n")
        for slave in slaves:
            (path / "slaves").mkdir(exist_ok=True)
            (path / "slaves" / slave.name).symlink_to(slave)
        link = top / "dev/block" / numbers
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(path)
        return path

    device("ata1/block/sda", "8:0", rotational=1, model="ST4000NM0035-1V4")
    sda1 = device("ata1/block/sda/sda1", "8:1", partition=True)
    device("pci/nvme0/nvme0n1", "259:1", rotational=0, model="SAMSUNG MZQL23T8")
    device("pci/nvme0/nvme0n1/nvme0n1p2", "259:3", partition=True)
    sdb = device("ata2/block/sdb", "8:16", rotational=0, model="INTEL SSDSC2KB96")
    sdc = device("ata3/block/sdc", "8:32", rotational=0, model="INTEL SSDSC2KB96")
    device("virtual/block/md126", "9:126", rotational=0, slaves=[sdb, sdc])
    device("virtual/block/dm-1", "253:1", slaves=[sda1])
    device("virtual/block/vda", "254:1", rotational=1)
    return str(top)


def test_the_mount_with_the_longest_path_counts(proc):
    assert mount_of("/nfs7/scratch/me/test", proc).source == "nas7:/scratch"
    assert mount_of("/nfs7/scratchy", proc).mount_point == "/"
    assert mount_of("/", proc).filesystem == "ext4"


def test_of_mounts_on_one_point_the_last_one_counts(proc):
    assert mount_of("/stacked/x", proc).filesystem == "tmpfs"


def test_blanks_in_names_are_read_and_lines_that_are_none_left_out(proc):
    mounts = {mount.mount_point: mount for mount in read_mounts(proc)}
    assert mounts["/home/a b"].source == "me@far:/home/me"
    assert mounts["/nfs3"].source == "nas3:/vol/old one"
    assert "/broken" not in mounts
    assert len(mounts) == 14


def test_nfs_says_its_version_and_its_transfer_sizes(proc, sys):
    facts = inspect("/nfs7/scratch/test", proc, sys)
    assert (facts["nfs_version"], facts["nfs_rsize"], facts["nfs_wsize"]) == ("4.2", 1048576, 5242)
    assert facts["options"].startswith("rw,relatime,vers=4.2,rsize=1048576")
    assert facts["block_device"] is None
    assert inspect("/nfs3", proc, sys)["nfs_version"] == "3"


@pytest.mark.parametrize(
    ("path", "device", "model", "rotational"),
    [
        ("/stacked/../nvme/x", "nvme0n1p2", "SAMSUNG MZQL23T8", False),
        ("/raid", "md126", "INTEL SSDSC2KB96", False),
        ("/volume", "dm-1", "ST4000NM0035-1V4", True),
    ],
)
def test_the_device_behind_is_found_through_partitions_and_stacks(
    proc, sys, path, device, model, rotational
):
    facts = inspect(path, proc, sys)
    assert facts["block_device"] == device
    assert (facts["device_model"], facts["rotational"]) == (model, rotational)


def test_what_the_system_does_not_tell_is_none(proc, sys):
    facts = inspect("/lustre/nowhere", proc, sys)
    assert tuple(facts) == KEYS
    assert facts["filesystem"] == "lustre"
    assert {facts[key] for key in ("block_device", "size_bytes", "nfs_version")} == {None}
    assert find_device((7, 99), sys) is None


@pytest.mark.parametrize(
    ("path", "storage", "device", "warning"),
    [
        ("/nfs7/scratch", "local", "hdd", "declared local, but /nfs7/scratch is nfs4 from nas7:"),
        ("/lustre", "local", "ssd", "is lustre from 10.1.0.1@o2ib:/scratch, over the network"),
        ("/home/a b", "local", "ssd", "is fuse.sshfs from me@far:/home/me, over the network"),
        ("/mfs", "local", "ssd", "is fuse from mfs#master:9421, over the network"),
        ("/beegfs", "local", "hdd", "declared local, but /beegfs is beegfs"),
        ("/raid", "nfs", "ssd", "declared nfs, but /raid is xfs from /dev/md126"),
        ("/nfs3", "lustre", "hdd", "declared lustre, but /nfs3 is nfs"),
        ("/lustre", "powerscale", "hdd", "declared powerscale, but /lustre is lustre"),
        ("/stacked", "local", "ssd", "declared local ssd, but /stacked is memory (tmpfs)"),
        ("/stacked", "vast", "ssd", "declared vast ssd, but /stacked is memory (tmpfs)"),
        ("/volume", "local", "ssd", "the kernel says that dm-1 (ST4000NM0035-1V4) rotates"),
        ("/volume", "local", "nvme", "declared nvme, but the kernel says that dm-1"),
        ("/nvme", "local", "hdd", "nvme0n1p2 (SAMSUNG MZQL23T8) does not rotate"),
        ("/merged", "local", "ssd", "a container's overlay"),
    ],
)
def test_a_contradiction_to_the_declaration_is_one_warning(
    proc, sys, path, storage, device, warning
):
    (found,) = contradictions(storage, device, inspect(path, proc, sys))
    assert warning in found


@pytest.mark.parametrize(
    ("path", "storage", "device"),
    [
        ("/nfs7/scratch", "nfs", "hdd"),
        ("/nfs7/scratch", "powerscale", "hdd"),
        ("/nfs7/scratch", "NFS", "ssd"),
        ("/nfs7/scratch", "vast", "ssd"),
        ("/lustre", "lustre", "hdd"),
        ("/raid", "local", "ssd"),
        ("/nvme", "local", "nvme"),
        ("/volume", "local", "hdd"),
        ("/bind", "local", "ssd"),
        ("/stacked", "local", "tmpfs"),
    ],
)
def test_what_fits_the_declaration_is_no_warning(proc, sys, path, storage, device):
    assert contradictions(storage, device, inspect(path, proc, sys)) == []


def test_without_any_mount_the_warning_says_so(tmp_path):
    (tmp_path / "self").mkdir()
    (tmp_path / "self/mountinfo").write_text("")
    (found,) = contradictions("local", "ssd", inspect("/", str(tmp_path)))
    assert "no mount was found" in found


def test_lustre_tells_its_stripe_through_its_own_tool(proc, sys, tmp_path, monkeypatch):
    tool = tmp_path / "bin/lfs"
    tool.parent.mkdir()
    tool.write_text(
        '#!/bin/sh\n[ "$1 $2 $3" = "getstripe -d --" ] || exit 1\n'
        'echo "stripe_count:  4 stripe_size:   1048576 pattern:       0 stripe_offset: -1"\n'
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    facts = inspect("/lustre/x", proc, sys)
    assert (facts["lustre_stripe_count"], facts["lustre_stripe_size"]) == (4, 1048576)


def test_this_machine_s_own_root_is_told(tmp_path):
    facts = inspect("/")
    assert facts["mount_point"] == "/"
    assert facts["size_bytes"] > facts["free_bytes"] > 0
    assert inspect(tmp_path)["filesystem"]


def test_a_real_tmpfs_over_another_is_the_one_that_is_told(mount):
    mount("-t", "tmpfs", "-o", "size=4m", "tmpfs")
    point = mount("-t", "tmpfs", "-o", "size=8m", "tmpfs")
    facts = inspect(point)
    assert (facts["filesystem"], facts["size_bytes"]) == ("tmpfs", 8 * 2**20)


def test_a_real_mount_hidden_by_one_above_it_is_not_told(mount, tmp_path):
    mount("-t", "tmpfs", "-o", "size=4m", "tmpfs")
    (tmp_path / "mnt/below").mkdir()
    mount("-t", "tmpfs", "-o", "size=8m", "tmpfs", on="mnt/below")
    mount("-t", "tmpfs", "-o", "size=16m", "tmpfs")
    (tmp_path / "mnt/below").mkdir()
    assert mount_of(tmp_path / "mnt/below").options["size"] == "16384k"


def test_a_real_loop_device_is_told_with_its_file_system(ext4):
    point = ext4(32, on="a blank")
    facts = inspect(point / ".")
    assert facts["filesystem"] == "ext4"
    assert facts["mount_point"] == str(point)
    assert facts["block_device"].startswith("loop")
    assert isinstance(facts["rotational"], bool)
    assert facts["inodes"] > facts["inodes_free"] > 0


def test_a_real_overlay_is_a_warning(mount, tmp_path):
    above = mount("-t", "tmpfs", "tmpfs", on="upper")
    for name in ("lower", "up", "work"):
        Path(above, name).mkdir()
    options = f"lowerdir={above}/lower,upperdir={above}/up,workdir={above}/work"
    point = mount("-t", "overlay", "overlay", "-o", options)
    (warning,) = contradictions("local", "ssd", inspect(point))
    assert "overlay" in warning
