"""A Slurm for tests: cluster.sh in namespaces of its own, and commands as on its login node."""

import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path

SCRIPT = Path(__file__).with_name("cluster.sh")
PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "ip", "unshare", "nsenter")
PATIENCE = 120  # seconds for anything that takes one or two on an idle machine


class Cluster:
    """A running Slurm of the nodes n1 and n2. It ends with this process, however that ends."""

    def __init__(self, directory):
        self.directory = directory
        namespaces = ["--net", "--uts", "--mount", "--pid", "--mount-proc"]
        command = ["unshare", *namespaces, "--fork", "--kill-child", SCRIPT, directory]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        ready, _, _ = select.select([self._process.stdout], [], [], PATIENCE)
        if not ready or self._process.stdout.readline() != b"ready\n":
            self.stop()
            logs = [path.read_text("utf-8", "replace") for path in directory.glob("*.log")]
            raise RuntimeError("the test's Slurm does not start:\n" + "\n".join(logs))
        pid = self._process.pid
        self._inside = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0]

    def stop(self):
        self._process.kill()
        self._process.wait()

    def command(self, *words):
        """What runs these words on the login node."""
        spaces = ["--net", "--uts", "--mount", "--pid", "--wdns=" + os.getcwd()]
        return ["nsenter", f"--target={self._inside}", *spaces, *map(str, words)]
