"""A real NFS 4.2 mount whose server is taken away in mid-run. The kernel for it is User Mode Linux:
few machines that run tests have an NFS server in their own.
"""

import os
import shlex
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.support.processes import wait_for

HERE = Path(__file__).resolve().parent
FILES = {"init": "init", "ubda": "disk", "uml_dir": ""}  # which the second kernel is given
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


@pytest.fixture
def guest(tmp_path, real_parts):
    """A function: runs shell text in a second kernel with an NFS mount; its standard output."""
    real_parts.root()
    real_parts.programs("linux.uml", "modprobe", "rpc.nfsd", "mount.nfs", "mkfs.ext4")
    directory = tmp_path / "guest"
    directory.mkdir()
    started = []

    def run(text, mount_point, environ):
        (directory / "mount-point").write_text(str(mount_point))
        settings = [f"export {name}={shlex.quote(value)}" for name, value in environ.items()]
        (directory / "command").write_text("\n".join([*settings, text]))
        shutil.copy(HERE / "guest.sh", directory / "init")
        with open(directory / "disk", "wb") as disk:
            disk.truncate(2**30)
        command = [
            "linux.uml",
            "mem=1G",
            "root=/dev/root",
            "rootfstype=hostfs",
            "rootflags=/",
            "rw",
        ]
        command += [
            "rw",
            f"init={directory}/init",
            f"ubda={directory}/disk",
            f"uml_dir={directory}",
        ]
        with open(directory / "console", "wb") as console:
            process = subprocess.Popen(
                [*command, "con=null", "con0=null,fd:1", "quiet"],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        started.append(process)
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
