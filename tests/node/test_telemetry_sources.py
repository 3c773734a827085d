"""The counters of NFS and Lustre clients, from files as their kernels write them."""

import pytest

from hpc_disk_bench.telemetry.disk import Disk
from hpc_disk_bench.telemetry.lustre import Lustre
from hpc_disk_bench.telemetry.nfs import Nfs

MOUNTSTATS = """\
device /dev/vda mounted on / with fstype ext4
device nas:/other mounted on /other with fstype nfs4 statvers=1.1
\tbytes:\t9 9 9 9 9 9 9 9
\tper-op statistics
\t       WRITE: 9 9 9 9 9 9 9 9 9
device nas7:/scratch mounted on /nfs7/with\\040blank with fstype nfs4 statvers=1.1
\topts:\trw,vers=4.2,rsize=1048576,wsize=1048576
\tage:\t1234
\tbytes:\t1000 2000 0 0 {read} {written} 10 20
\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)
\txprt:\ttcp 704 0 2 0 9 100 100 0 100 0 16 0 0
\tper-op statistics
\t        NULL: 1 1 0 44 24 0 0 0 0
\t        READ: {reads} {reads} 0 100 200 7 {read_ms} {read_ms} 0
\t       WRITE: {writes} {sent} 0 100 200 7 {write_ms} {execution_ms} 0
"""


def test_an_nfs_mount_s_calls_become_rates_and_mean_times(tmp_path):
    (tmp_path / "self").mkdir()
    file = tmp_path / "self/mountstats"
    file.write_text(
        MOUNTSTATS.format(
            read=0, written=0, reads=10, read_ms=5, writes=20, sent=20, write_ms=30, execution_ms=30
        )
    )
    nfs = Nfs("/nfs7/with blank", tmp_path)
    assert nfs.sample(1) == {}
    after = MOUNTSTATS.format(
        **{"read": 4096, "written": 8192, "reads": 20, "read_ms": 15},
        **{"writes": 60, "sent": 63, "write_ms": 130, "execution_ms": 230},
    )
    # In place, as /proc does it: the file stays open between two readings.
    with open(file, "r+") as changed:
        changed.write(after)
        changed.truncate()
    row = nfs.sample(2)
    assert row == {
        "nfs_read_bytes_per_s": 2048,
        "nfs_written_bytes_per_s": 4096,
        "nfs_operations_per_s": 25,
        "nfs_retransmissions_per_s": 1.5,
        "nfs_round_trip_ms": pytest.approx((10 + 100) / 50),
        "nfs_execution_ms": pytest.approx((10 + 200) / 50),
        "nfs_busiest": "WRITE 20/s 5.0 ms; READ 5/s 1.0 ms",
    }


def test_a_lustre_client_s_counters_become_rates(tmp_path):
    directory = tmp_path / "proc/fs/lustre/llite/scratch-ffff9c0d"
    directory.mkdir(parents=True)
    (tmp_path / "proc/fs/lustre/llite/home-ffff0000").mkdir()
    text = (
        "snapshot_time             1700000000.123456789 secs.nsecs\n"
        "read_bytes                {reads} samples [bytes] 4096 1048576 {read}\n"
        "write_bytes               {writes} samples [bytes] 47008 1048576 {written}\n"
        "open                      {opens} samples [regs]\n"
    )
    file = directory / "stats"
    file.write_text(text.format(reads=100, read=409600, writes=10, written=10000, opens=1000))
    lustre = Lustre("10.0.0.1@o2ib:10.0.0.2@o2ib:/scratch", tmp_path)
    assert lustre.sample(1) == {}
    with open(file, "r+") as changed:
        changed.write(text.format(reads=200, read=819200, writes=30, written=30000, opens=1100))
    assert lustre.sample(2) == {
        "lustre_operations_per_s": 110,
        "lustre_read_bytes_per_s": 204800,
        "lustre_written_bytes_per_s": 10000,
    }
    assert Lustre("mgs@tcp:/nowhere", tmp_path).sample(1) == {}


def test_a_disk_s_counters_become_rates_and_a_mean_wait(tmp_path):
    directory = tmp_path / "dev/block/8:1"
    directory.mkdir(parents=True)
    file = directory / "stat"
    file.write_text("100 0 800 50 200 0 1600 400 0 300 450 0 0 0 0 0 0\n")
    disk = Disk((8, 1), tmp_path)
    assert disk.sample(1) == {}
    with open(file, "r+") as changed:
        changed.write("120 0 960 90 280 0 2240 760 3 900 1850 0 0 0 0 0 0\n")
    assert disk.sample(2) == {
        "disk_reads_per_s": 10,
        "disk_writes_per_s": 40,
        "disk_read_bytes_per_s": 40960,
        "disk_written_bytes_per_s": 163840,
        "disk_busy": 0.3,
        "disk_queue": 0.7,
        "disk_await_ms": 4,
    }
