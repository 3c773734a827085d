"""Samplers on the other nodes of a job: started from here, their rows read here.

In a Slurm job by srun beside the benchmark, else by ssh, as mpirun does. A node that cannot be
reached so is not sampled, and that is said.
"""

import contextlib
import os
import select
import shlex
import shutil
import subprocess
import sys
import time

from hpc_disk_bench.telemetry.clock import CLOCK, READY, Clock, answer_of, question
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
            sampler.kill()

    @property
    def outputs(self):
        return [sampler.output for sampler in self._samplers if sampler.output]

    def rows(self, ready):
        for sampler in self._samplers:
            if sampler.output in ready:
                yield from sampler.rows()

    def ended(self):
        """The last rows of all, which end now."""
        for sampler in self._samplers:
            sampler.end()
        deadline = time.monotonic() + PATIENCE
        while self.outputs:
            ready = select.select(self.outputs, [], [], max(deadline - time.monotonic(), 0))[0]
            if not ready:
                break
            yield from self.rows(ready)
        for sampler in self._samplers:
            yield from sampler.undated()


class _Remote:
    def __init__(self, node, options):
        self._node, self._rest = node, b""
        self._clock, self._undated = Clock(), []
        self._process = self.output = None
        command = command_on(node, options)
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except OSError as error:
            _say(node, f"{command[0]}: {error.strerror}")
            return
        self.output = self._process.stdout

    def rows(self):
        """What has come, whole lines only."""
        added = os.read(self.output.fileno(), 65536)
        now = time.time()
        if not added:
            self._ended()
            return
        *lines, self._rest = (self._rest + added).split(b"\n")
        for line in lines:
            yield from self._heard(line.decode("utf-8", "replace"), now)

    def _heard(self, line, now):
        kind, *words = line.split() or [""]
        if kind == READY:
            self._ask()
        elif kind == CLOCK:
            answer = answer_of(words)
            if answer:
                self._clock.answered(*answer, now)
            if self._clock.unsure:
                self._ask()
        else:
            row = row_of(line)
            if row is None:
                return
            self._undated.append(row)
            # One question a row, so that a connection that stands still is asked no more.
            self._ask()
        if not self._clock.unsure:
            yield from self.undated()

    def undated(self):
        """The rows that waited for the first answers."""
        rows, self._undated = self._undated, []
        for row in rows:
            row["time_epoch"] += self._clock.offset or 0.0
            row["clock_offset_s"], row["clock_error_s"] = self._clock.offset, self._clock.error
            row["ranks"] = int(row.get("ranks", 0))
            yield row

    def _ask(self):
        with contextlib.suppress(OSError, ValueError):  # it has ended, or is told to
            os.write(self._process.stdin.fileno(), question(time.time(), self._clock.offset))

    def _ended(self):
        self.output = None
        if self._process.stdin.closed:
            return
        errors = self._process.stderr.read().decode("utf-8", "replace").strip().splitlines()
        code = self._process.wait()
        _say(self._node, errors[-1] if errors else f"its sampler ended with exit code {code}")

    def end(self):
        if self._process:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def kill(self):
        """Whatever it does now: what came of it is kept."""
        self.end()
        if self._process and self._process.poll() is None:
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
