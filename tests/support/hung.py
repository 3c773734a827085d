"""A mounted file system that never answers, as one whose server is gone."""

import contextlib
import ctypes
import os

import pytest

DETACH = 2  # MNT_DETACH of umount2(2)


@contextlib.contextmanager
def hung_mount(point):
    """Mount one on `point` (made here), or skip. A FUSE whose server reads no request."""
    point.mkdir()
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        handle = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        pytest.skip(f"no FUSE here: {error}")
    try:
        options = f"fd={handle},rootmode=40000,user_id=0,group_id=0"
        if libc.mount(b"hung", os.fsencode(point), b"fuse.hung", 0, options.encode()):
            pytest.skip(f"FUSE cannot be mounted: {os.strerror(ctypes.get_errno())}")
        try:
            yield point
        finally:
            libc.umount2(os.fsencode(point), DETACH)
    finally:
        os.close(handle)  # ends every request that waits
