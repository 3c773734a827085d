"""A real NFS 4.2 mount whose server is taken away in mid-run, or comes to be far away. The kernel
for it is User Mode Linux: few machines that run tests have an NFS server in their own.
"""

import contextlib
import os
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.conftest import scratch
from tests.faults.inspected import begin_of, found_in
from tests.support.needs import night
from tests.support.processes import prefer, wait_for

HERE = Path(__file__).resolve().parent
PATIENCE = 400  # seconds for what takes 30 on an idle machine

# hard, as mounts are: what touches it waits for the server, for ever.
SERVER_GOES = """
set -u
"$@" >"$dir/run.out" 2>"$dir/run.err" &
until compgen -G "$mount_point/scratch/io500.*/data/mdtest-easy" >/dev/null || ! kill -0 $!; do
  sleep 0.2
done
rpc.nfsd 0
wait $!
printf '%s\\n' "$?" >"$dir/run.code"
rpc.nfsd -N 3 -V 4.2 --no-udp 4
# It would wait a minute for what clients have open; nobody has anything open now.
printf 'Y' >/proc/fs/nfsd/v4_end_grace
"$wrapper" --clean "$mount_point/scratch"
ls -A "$mount_point" >"$dir/left"
"""

# What goes to the server takes 1 ms, and in mid-phase it comes to be 6 ms. A probe measures the
# truth meanwhile, which on a busy machine is more than that.
NETWORK_SLOWS_DOWN = """
set -u
until_it_has() {
  until grep -qs -- "$1" "$results"/*/*/*/*/*/result.txt || ! kill -0 "$run"; do sleep 0.2; done
}
takes() { tc qdisc replace dev lo parent 1:3 netem delay "$1"; }
tc qdisc add dev lo root handle 1: prio
takes 1ms
tc filter add dev lo parent 1: protocol ip u32 match ip dport 2049 0xffff flowid 1:3
"$python" "$probe" >"$dir/probed" &
probing=$!
"$@" >"$dir/run.out" 2>"$dir/run.err" &
run=$!
until_it_has '\\[mdtest-easy-write]'
sleep 15
date +%s.%N >"$dir/slower"
takes 6ms
until_it_has '\\[mdtest-easy-stat]'
date +%s.%N >"$dir/faster"
takes 1ms
kill "$probing"
wait "$run"
printf '%s\\n' "$?" >"$dir/run.code"
"""
# Epoch s, and ms that the server needs to answer a call that does nothing (RFC 5531, NFS's NULL).
PROBE = """import socket, struct, time
call = struct.pack(">11I", 0x80000000 | 40, 1, 0, 2, 100003, 4, 0, 0, 0, 0, 0)
server = socket.create_connection(("127.0.0.1", 2049))
server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
while True:
    begun = time.perf_counter()
    server.sendall(call)
    assert server.recv(4096)
    print(time.time(), 1e3 * (time.perf_counter() - begun), flush=True)
    time.sleep(0.1)
"""
ADDED = 5.0  # ms
# One phase of creating files, 30 s long, and what removes them.
CREATING = """[global]
datadir = $TEST_DIR
timestamp-datadir = FALSE
resultdir = $OUTPUT_DIR
timestamp-resultdir = FALSE
[debug]
stonewall-time = 30
[ior-easy]
run = FALSE
[ior-hard]
run = FALSE
[mdtest-hard]
run = FALSE
[find]
run = FALSE
[mdtest-easy]
n = 1000000
"""


@pytest.fixture
def guest(tmp_path, real_parts):
    """A function: runs shell text in a second kernel with an NFS mount; its standard output."""
    real_parts.root()
    real_parts.programs("linux.uml", "modprobe", "rpc.nfsd", "mount.nfs", "mkfs.ext4")
    directory = tmp_path / "guest"
    directory.mkdir()
    started, held = [], contextlib.ExitStack()

    def run(text, mount_point, environ):
        (directory / "mount-point").write_text(str(mount_point))
        settings = [f"export {name}={shlex.quote(value)}" for name, value in environ.items()]
        (directory / "command").write_text("\n".join([*settings, text]))
        shutil.copy(HERE / "guest.sh", directory / "init")
        disk = held.enter_context(scratch(directory))
        disk.mkdir()
        with open(disk / "image", "wb") as image:
            image.truncate(2**30)
        command = [
            "linux.uml",
            "mem=1G",
            "root=/dev/root",
            "rootfstype=hostfs",
            "rootflags=/",
            "rw",
        ]
        command += [f"init={directory}/init", f"ubda={disk}/image", f"uml_dir={directory}"]
        with open(directory / "console", "wb") as console:
            process = subprocess.Popen(
                [*command, "con=null", "con0=null,fd:1", "quiet"],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        started.append(process)
        # Other tests, at work at the same time, would be a network that slows down now and then.
        prefer(process.pid)
        wait_for(lambda: process.poll() is not None, PATIENCE)
        log = (directory / "guest.log").read_text("utf-8", "replace")
        assert (directory / "code").exists(), log
        assert (directory / "code").read_text() == "0\n", (directory / "err").read_text()
        return (directory / "out").read_text()

    yield run
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    held.close()


def test_an_nfs_server_that_goes_away_ends_the_run_and_what_is_left_goes_when_it_is_back(
    faults, guest, tmp_path
):
    mount_point = tmp_path / "nfs"
    mount_point.mkdir()
    faults.test_dir = mount_point / "scratch"
    faults.go_on_long()
    faults.environ.update(HANG_TIMEOUT="5", STORAGE_TIMEOUT="1.5")
    wrapper, *arguments = map(str, faults.arguments("--force"))
    settings = {"dir": str(tmp_path), "mount_point": str(mount_point), "wrapper": wrapper}
    text = f"cd {shlex.quote(str(faults.directory))}\nset -- {shlex.join([wrapper, *arguments])}\n"
    cleaned = guest(text + SERVER_GOES, mount_point, {**faults.environ, **settings})
    err = (tmp_path / "run.err").read_text()
    assert (tmp_path / "run.code").read_text() == "4\n", err
    status = faults.json("status.json")
    assert (status["state"], status["diagnosis"]["code"]) == ("failed", "HDB024"), err
    assert faults.json("run_metadata.json")["storage"]["nfs_version"] == "4.2"
    faults.kept("ior-easy-write")
    assert "what is left is in " in err
    assert cleaned.startswith("removed ")
    assert (tmp_path / "left").read_text() == "lost+found\n"  # ext4's own


@pytest.mark.alone
@night("has the machine for itself for a minute")
def test_a_network_that_slows_down_in_mid_phase_is_a_drop_with_the_round_trip_that_was_added(
    faults, guest, root, tmp_path, real_parts
):
    real_parts.programs("tc")
    mount_point = tmp_path / "nfs"
    mount_point.mkdir()
    (tmp_path / "creating.ini").write_text(CREATING)
    (tmp_path / "probe.py").write_text(PROBE)
    faults.test_dir = mount_point / "scratch"
    faults.environ["CONFIG_FILE"] = str(tmp_path / "creating.ini")
    arguments = shlex.join(map(str, faults.arguments("--force", storage="nfs")))
    settings = {
        "dir": str(tmp_path),
        "results": str(faults.results),
        "python": sys.executable,
        "probe": str(tmp_path / "probe.py"),
    }
    text = f"cd {shlex.quote(str(faults.directory))}\nset -- {arguments}\n"
    guest(text + NETWORK_SLOWS_DOWN, mount_point, {**faults.environ, **settings})
    assert (tmp_path / "run.code").read_text() == "0\n", (tmp_path / "run.err").read_text()
    (run,) = faults.runs
    drop, said = found_in(root, run, "mdtest-easy-write")
    assert drop["kind"] == "drop"
    slower, faster = (float((tmp_path / name).read_text()) for name in ("slower", "faster"))
    begun = begin_of(run, "mdtest-easy-write")
    assert drop["at_s"] == pytest.approx(slower - begun, abs=2)

    truth = added_by(tmp_path / "probed", slower, faster)
    print(f"added: {truth:.2f} ms by the probe, {ADDED} ms by tc")
    assert truth > 0.9 * ADDED
    round_trip, call = drop["meanwhile"][:2]
    assert round_trip["column"] == "nfs_round_trip_ms"
    assert round_trip["after"] - round_trip["before"] == pytest.approx(truth, rel=0.2)
    # Creating an empty file are two calls, one after the other: OPEN and CLOSE.
    assert call["what"] in ("an NFS OPEN", "an NFS CLOSE")
    longer = 1000 / drop["after"] - 1000 / drop["level"]
    assert longer / 2 == pytest.approx(truth, rel=0.2)
    assert "; meanwhile NFS round trips went from " in said


def added_by(probed, slower, faster):
    """ms that an answer took longer while the network was slower than until then, by medians."""
    rows = [tuple(map(float, line.split())) for line in probed.read_text().splitlines()]
    before = [took for at, took in rows if slower - 14 < at < slower]
    after = [took for at, took in rows if slower + 0.5 < at < faster]
    return statistics.median(after) - statistics.median(before)
