"""Two hosts for tests: hosts.sh in namespaces of its own, and commands on them."""

import os
import select
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = ("ssh", "ssh-keygen", "ip", "unshare", "nsenter")
PATIENCE = 60  # seconds until the hosts answer, which takes one on an idle machine


class Hosts:
    """h1 and h2, running. They end with this process, however that ends."""

    def __init__(self, directory, h2_environment=""):
        """h2_environment: variables of all that is started on h2, "NAME=VALUE ..."."""
        self.directory = directory
        namespaces = ["--net", "--uts", "--mount", "--pid", "--mount-proc"]
        self._process = subprocess.Popen(
            ["unshare", *namespaces, "--fork", "--kill-child", HERE / "hosts.sh", directory],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "H2_ENVIRONMENT": h2_environment},
        )
        ready, _, _ = select.select([self._process.stdout], [], [], PATIENCE)
        if not ready or self._process.stdout.readline() != b"ready\n":
            self.stop()
            log = (directory / "hosts.log").read_text("utf-8", "replace")
            raise RuntimeError(f"the test's hosts do not start:\n{log}")
        pid = self._process.pid
        self._first = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0]

    def stop(self):
        self._process.kill()
        self._process.communicate()

    def command(self, *words, host=None):
        """The command that runs these words on a host, or between them."""
        spaces = ["--net", "--uts", "--mount", "--pid"]
        command = ["nsenter", f"--target={self._first}", *spaces, "--"]
        if host:
            pid = (self.directory / f"{host}.pid").read_text().strip()
            command += ["nsenter", f"--target={pid}", *spaces, "--"]
        return [*command, *map(str, words)]

    def unplug(self, host):
        """Take the link of a host down, as when its cable is pulled."""
        subprocess.run(self.command("ip", "link", "set", f"to-{host}", "down"), check=True)

    def ranks_on(self, host, program):
        """Process ids, as they are here, of those that run this program on a host."""
        place = subprocess.run(
            self.command("readlink", "/proc/self/ns/uts", host=host),
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                here = os.readlink(f"/proc/{pid}/ns/uts") == place
                if here and os.readlink(f"/proc/{pid}/exe") == os.fspath(program):
                    found.append(int(pid))
            except OSError:  # ended meanwhile, or a process of the kernel
                continue
        return found
