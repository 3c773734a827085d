"""A Slurm for tests: cluster.sh in namespaces of its own, and commands as on its login node."""

import os
import select
import subprocess
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "ip", "unshare", "nsenter")
PATIENCE = 120  # seconds for anything that takes a few on an idle machine
KEPT = ("PATH", "HOME", "TMPDIR", "LANG", "VIRTUAL_ENV", "CONDA_PREFIX")


class Cluster:
    """A running Slurm of the nodes n1 and n2. It ends with this process, however that ends."""

    def __init__(self, directory):
        self.directory = directory
        namespaces = ["--net", "--uts", "--mount", "--pid", "--mount-proc"]
        script = [HERE / "cluster.sh", directory]
        self._process = subprocess.Popen(
            ["unshare", *namespaces, "--fork", "--kill-child", *script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        ready, _, _ = select.select([self._process.stdout], [], [], PATIENCE)
        if not ready or self._process.stdout.readline() != b"ready\n":
            self.stop()
            logs = [path.read_text("utf-8", "replace") for path in directory.glob("*.log")]
            raise RuntimeError("the test's Slurm does not start:\n" + "\n".join(logs))
        pid = self._process.pid
        self._first = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0]
        self.environ = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.environ["SLURM_CONF"] = os.fspath(directory / "slurm.conf")
        # Ranks of both nodes share this machine's CPUs, and would turn in circles on them.
        self.environ["OMPI_MCA_mpi_yield_when_idle"] = "1"
        self.environ["CONFIG_FILE"] = os.fspath(HERE / "config-slurm.ini")

    def stop(self):
        self._process.kill()
        self._process.communicate()

    def run(self, *words, cwd=None, **environ):
        """A command on the login node, as a CompletedProcess."""
        cwd = cwd or self.directory
        spaces = ["--net", "--uts", "--mount", "--pid", f"--wdns={cwd}"]
        return subprocess.run(
            ["nsenter", f"--target={self._first}", *spaces, "--", *map(str, words)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env={**self.environ, **environ},
            timeout=PATIENCE,
            check=False,
        )

    def submit(self, *words, **options):
        """The id of the job that a command on the login node submits: the last word it says."""
        done = self.run(*words, **options)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()[-1]

    def cancel(self, directory):
        """End what was submitted from a directory and still waits or runs."""
        for line in self.run("squeue", "-h", "-o", "%i %Z").stdout.splitlines():
            job_id, _, place = line.partition(" ")
            if place == str(directory):
                self.run("scancel", job_id)

    def facts(self, job_id):
        """What `scontrol show job` says of a job: {"JobState": "RUNNING", ...}."""
        said = self.run("scontrol", "--oneliner", "show", "job", job_id).stdout
        return dict(word.split("=", 1) for word in said.split() if "=" in word)

    def ended(self, job_id):
        """The facts of a job, once it has ended with all its processes."""
        wait_until(lambda: not self.run("squeue", "-h", "-j", job_id).stdout, f"end of {job_id}")
        return self.facts(job_id)


class Runs:
    """A directory to submit from, with the results tree that jobs make in it."""

    def __init__(self, directory):
        directory.mkdir(parents=True)
        self.directory = directory
        self.test_dir = directory / "test dir"

    @property
    def runs(self):
        """The run directories there are, oldest first."""
        found = self.directory.glob("io500_results/**/run_metadata.json")
        return sorted((path.parent for path in found), key=lambda run: run.name)

    def output(self):
        """What the jobs have said, for a test that fails."""
        return "\n".join(path.read_text() for path in self.directory.rglob("*.out"))


def wait_until(condition, what):
    """What condition() returns once that is true; AssertionError after a time out of all bounds."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, f"waited {PATIENCE} s for {what}"
        time.sleep(0.1)
    return found
