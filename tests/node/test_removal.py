"""Removal of benchmark data by several threads, and how long it may take."""

import os
import signal
import subprocess
import threading

import pytest

from hpc_disk_bench import clearing
from hpc_disk_bench.benchmark import Signals
from hpc_disk_bench.clearing import Patience
from hpc_disk_bench.console import Console
from hpc_disk_bench.removal import Removal


def empty(directory, give_up=lambda files: False):
    handle = os.open(directory, os.O_RDONLY)
    try:
        removal = Removal(handle, str(directory), spare="marker")
        return removal, removal.run(give_up)
    finally:
        os.close(handle)


def test_a_tree_of_any_shape_goes_but_for_what_is_spared(tmp_path):
    deep = tmp_path.joinpath(*(f"deep{level}" for level in range(100)))
    deep.mkdir(parents=True)
    (deep / "marker").touch()  # of the same name, but not at the top
    for number in range(300):
        (tmp_path / f"wide{number}").mkdir()
        (tmp_path / f"wide{number}/file").touch()
        (tmp_path / f"link{number}").symlink_to("/")
    flat = tmp_path / "flat"
    flat.mkdir()
    for number in range(3000):
        (flat / str(number)).touch()
    (tmp_path / "marker").touch()
    handles = len(os.listdir("/proc/self/fd"))
    removal, whole = empty(tmp_path)
    assert (whole, removal.files, removal.problems) == (True, 3000 + 300 + 300 + 1, [])
    assert os.listdir(tmp_path) == ["marker"]
    assert len(os.listdir("/proc/self/fd")) == handles


def test_what_will_not_go_is_named_a_few_times_and_counted(tmp_path, mount):
    point = mount("-t", "tmpfs", "tmpfs")
    for number in range(20):
        (point / f"{number}/below").mkdir(parents=True)
        subprocess.run(["mount", "--bind", tmp_path, point / f"{number}/below"], check=True)
    try:
        removal, whole = empty(point)
    finally:
        for number in range(20):
            subprocess.run(["umount", point / f"{number}/below"], check=True)
    assert whole
    assert len(removal.problems) == 6
    assert all("another file system is mounted there" in text for text in removal.problems[:5])
    assert removal.problems[5] == "15 more that would not go"


@pytest.fixture
def quickly(monkeypatch):
    monkeypatch.setattr(clearing, "GRACE", 0.2)
    monkeypatch.setattr(clearing, "LIMIT", 0)


def until_told(give_up):
    """A removal that goes on until it is to be given up."""
    files = 0
    while not give_up(files):
        files += 1
    return files


def test_a_removal_after_a_signal_has_a_limit(quickly):
    with Signals() as signals:
        os.kill(os.getpid(), signal.SIGTERM)
        patience = Patience(signals, Console(quiet=True), stalled=3600)
        assert patience.run(until_told) > 0
    assert patience.reason == "not done 0 s after SIGTERM"


def test_a_removal_that_does_not_even_come_back_is_left_behind(quickly):
    with Signals() as signals:
        patience = Patience(signals, Console(quiet=True), stalled=0.1)
        released = threading.Event()
        assert patience.run(lambda give_up: released.wait()) is None
        released.set()
    assert patience.reason.startswith("the storage has not answered for ")


def test_what_goes_wrong_in_a_removal_is_raised_where_it_is_waited_for():
    def fails(give_up):
        raise OSError(5, "Input/output error")

    with Signals() as signals, pytest.raises(OSError, match="Input/output error"):
        Patience(signals, Console(quiet=True), stalled=3600).run(fails)
