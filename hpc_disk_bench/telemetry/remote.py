"""Samplers on the other nodes of a job: started from here, their rows read here.

In a Slurm job by srun beside the benchmark, else by ssh, as mpirun does. A node that cannot be
reached so is not sampled, and that is said.
"""

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import time

from hpc_disk_bench.telemetry.recorder import ENTRY
from hpc_disk_bench.telemetry.rows import line_of, row_of

PATIENCE = 3  # seconds for the samplers to end after their stdin


class Unbuffered:
    """Rows on a stream, each at once."""

    def __init__(self, stream):
        self._stream = stream

    def add(self, row):
        self._stream.write(line_of(row))
        self._stream.flush()


class Remotes:
    """The samplers on options.node; rows(ready) are theirs, by this node's clock."""

    def __init__(self, options):
        self._samplers = [_Remote(node, options) for node in options.node]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for sampler in self._samplers:
            sampler.close()

    @property
    def outputs(self):
        return [sampler.output for sampler in self._samplers if sampler.output]

    def rows(self, ready):
        for sampler in self._samplers:
            if sampler.output in ready:
                yield from sampler.rows()


class _Remote:
    def __init__(self, node, options):
        self._node, self._rest = node, b""
        self._offset = None
        self.output = None
        command = command_on(node, options)
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except OSError as error:
            self._process = None
            _say(node, f"{command[0]}: {error.strerror}")
            return
        self.output = self._process.stdout

    def rows(self):
        """What has come, whole lines only."""
        added = os.read(self.output.fileno(), 65536)
        if not added:
            self._ended()
            return
        *lines, self._rest = (self._rest + added).split(b"\n")
        for line in lines:
            row = row_of(line.decode("utf-8", "replace"))
            if row:
                yield self._by_our_clock(row)

    def _by_our_clock(self, row):
        # A row is on its way for a moment: the quickest one tells the clocks' difference best.
        late = time.time() - row["time_epoch"]
        self._offset = late if self._offset is None else min(self._offset, late)
        # Below what the way itself takes, the clocks agree as far as can be told.
        offset = 0.0 if abs(self._offset) < 0.05 else self._offset
        row["time_epoch"] += offset
        row["clock_offset_s"] = offset
        row["ranks"] = int(row.get("ranks", 0))
        return row

    def _ended(self):
        self.output = None
        errors = self._process.stderr.read().decode("utf-8", "replace").strip().splitlines()
        code = self._process.wait()
        _say(self._node, errors[-1] if errors else f"its sampler ended with exit code {code}")

    def close(self):
        if self._process is None:
            return
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()


def command_on(node, options, environ=None):
    """The command that starts a sampler on another node."""
    environ = os.environ if environ is None else environ
    sampler = [sys.executable, "-I", ENTRY, "telemetry", "--to-stdout"]
    sampler += [f"--directory={options.directory}", f"--ini={options.ini}"]
    if environ.get("SLURM_JOB_ID") and shutil.which("srun"):
        place = ["--overlap", "--nodes=1", "--ntasks=1", f"--nodelist={node}", "--quiet"]
        return ["srun", *place, *sampler]
    flags = ["-o", "BatchMode=yes", "-o", "ConnectTimeout=5", "-o", "LogLevel=ERROR"]
    return ["ssh", *flags, "--", node, shlex.join(sampler)]


def _say(node, why):
    print(f"telemetry: {node} is not sampled: {why}", file=sys.stderr, flush=True)
