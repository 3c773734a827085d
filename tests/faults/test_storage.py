"""Storage that fails in mid-run: each failure is named, what was measured is kept, and nothing
is left on it where it lets that happen.
"""

import fcntl
import os
import struct
import subprocess

import pytest

SHUTDOWN = 0x8004587D  # EXT4_IOC_SHUTDOWN
GET_FLAGS, SET_FLAGS, IMMUTABLE = 0x80086601, 0x40086602, 0x10  # of ioctl_iflags(2)
NO_LOG_FLUSH = b"\x02\0\0\0"
ROOMY = ("-N", "1000000")  # inodes that last until the fault comes


def device_of(directory):
    number = os.stat(directory).st_dev
    return os.path.basename(
        os.path.realpath(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    )


def set_immutable(directory, immutable):
    """chattr +i of a directory and then of those in it: nothing more can be made in them."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        flags = struct.unpack("i", fcntl.ioctl(handle, GET_FLAGS, bytes(4)))[0] & ~IMMUTABLE
        fcntl.ioctl(handle, SET_FLAGS, struct.pack("i", flags | IMMUTABLE * immutable))
    finally:
        os.close(handle)
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir():
                set_immutable(entry.path, immutable)


def test_a_full_disk_is_no_space_and_keeps_what_was_measured(faults, ext4):
    faults.test_dir = ext4(30) / "scratch"
    process = faults.start("--force")
    faults.failed_with("HDB012", process, "ENOSPC", "phase ior-hard-write")
    faults.kept("ior-easy-write", "mdtest-easy-write")
    assert faults.nothing_is_left()


def test_a_disk_without_inodes_is_told_apart_from_a_full_one(faults, ext4):
    faults.test_dir = ext4(64, "-N", "600") / "scratch"
    process = faults.start("--force")
    faults.failed_with("HDB013", process, "ENOSPC", "phase mdtest-easy-write", "inodes")
    faults.kept("ior-easy-write")
    assert faults.nothing_is_left()


def test_a_file_system_that_turns_read_only_is_named_and_cleaned_when_it_is_mended(
    faults, ext4, tmp_path
):
    point = ext4(1000, *ROOMY, "-e", "remount-ro")
    faults.test_dir = point / "scratch"
    faults.go_on_long()
    process = faults.start("--force")
    faults.wait_until_it_has_begun("mdtest-easy", process)
    trigger = f"/sys/fs/ext4/{device_of(point)}/trigger_fs_error"
    with open(trigger, "w") as file:
        file.write("a test")
    err = faults.failed_with("HDB016", process, "EROFS")
    faults.kept("ior-easy-write")
    assert "Read-only file system" in err
    assert f"it goes with: io500_wrapper.sh --clean {faults.test_dir}" in err
    assert faults.json("status.json")["left_behind"] == str(next(faults.test_dir.iterdir()))
    image = tmp_path / "ext4.image"
    subprocess.run(["umount", point], check=True)
    subprocess.run(["e2fsck", "-fy", image], capture_output=True, check=False)
    subprocess.run(["mount", "-o", "loop", image, point], check=True)
    assert faults.clean().startswith("removed ")
    assert faults.nothing_is_left()


def test_a_disk_that_goes_away_is_an_io_error(faults, ext4):
    point = ext4(1000, *ROOMY)
    faults.test_dir = point / "scratch"
    faults.go_on_long()
    process = faults.start("--force")
    faults.wait_until_it_has_begun("mdtest-easy", process)
    handle = os.open(point, os.O_RDONLY)
    try:
        fcntl.ioctl(handle, SHUTDOWN, NO_LOG_FLUSH)
    finally:
        os.close(handle)
    faults.failed_with("HDB020", process, "EIO")
    faults.kept("ior-easy-write")


def test_a_directory_that_is_closed_to_the_run_is_a_matter_of_permission(faults, ext4):
    faults.test_dir = ext4(1000, *ROOMY) / "scratch"
    faults.go_on_long()
    process = faults.start("--force")
    faults.wait_until_it_has_begun("mdtest-easy", process)
    (data,) = faults.test_dir.glob("io500.*/data")
    set_immutable(data, True)
    try:
        err = faults.failed_with("HDB015", process, "EPERM")
    finally:
        set_immutable(data, False)
    faults.kept("ior-easy-write")
    assert "Operation not permitted" in err
    assert faults.clean().startswith("removed ")
    assert faults.nothing_is_left()


@pytest.mark.parametrize(
    ("fault", "code", "phase"),
    [
        (("write", "ior_file_easy*", 5, "EIO"), "HDB020", "ior-easy-write"),
        (("fsync", "ior_file_easy*", 1, "EIO"), "HDB020", "ior-easy-write"),
        (("create", "file.mdtest*", 300, "EDQUOT"), "HDB014", "mdtest-easy-write"),
        (("write", "*", 300, "ESTALE"), "HDB021", "write"),
        (("create", "file.mdtest*", 700, "EMLINK"), "HDB017", "mdtest-easy-write"),
        (("read", "ior_file_easy*", 3, "EIO"), "HDB020", "ior-easy-read"),
        (("unlink", "file.mdtest*", 20, "EIO"), "HDB020", "delete"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else value,
)
def test_an_error_of_the_storage_is_named_by_what_it_is(faults, faulty, fault, code, phase):
    faults.test_dir = faulty(*fault) / "scratch"
    faults.failed_with(code, faults.start(), fault[3], phase)
