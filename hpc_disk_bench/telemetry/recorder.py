"""The telemetry of one run: the sampler started before its benchmark and ended after it."""

import contextlib
import os
import socket
import subprocess
import sys

from hpc_disk_bench.files import try_to_write
from hpc_disk_bench.telemetry.prometheus import refused

ENTRY = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "__main__.py")
OFF = ("off", "0", "no", "false")
SWITCH, TEXTFILES = "TELEMETRY", "TELEMETRY_TEXTFILE_DIR"
SAID = "telemetry.err"
PATIENCE = 5  # seconds for the sampler to end


def textfile_problem(environ=None):
    """Why the directory for Prometheus would get nothing, a sentence, or None."""
    environ = os.environ if environ is None else environ
    directory = environ.get(TEXTFILES)
    if not directory or not _is_on(environ):
        return None
    try:
        try_to_write(directory)
    except OSError as error:
        return refused(directory, error)
    return None


def _is_on(environ):
    return environ.get(SWITCH, "").lower() not in OFF


class Recorder:
    """with Recorder(run, ini, directory, nodes): each second a row of each node in telemetry.csv.

    directory: of the benchmark's data, behind which the storage is. nodes: host names of the job's,
    None where that is not known: then this one alone. Nothing that goes wrong here ends a run;
    warnings() says what was not sampled.
    """

    def __init__(self, run, ini, directory, nodes, environ=None):
        environ = os.environ if environ is None else environ
        self._run, self._sampler = os.fspath(run), None
        self._problem = None
        self._command = [sys.executable, "-I", ENTRY, "telemetry"]
        self._command += [f"--directory={os.fspath(directory)}", f"--ini={os.fspath(ini)}"]
        self._command += [f"--textfile={environ.get(TEXTFILES, '')}"]
        here = socket.gethostname()
        self._command += [f"--node={node}" for node in nodes or () if node != here]
        self._on = _is_on(environ)

    def __enter__(self):
        if not self._on:
            return self
        try:
            # A session of its own: Ctrl-C ends the run, and the run ends this.
            with open(os.path.join(self._run, SAID), "wb") as errors:
                self._sampler = subprocess.Popen(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    start_new_session=True,
                )
        except OSError as error:
            self._problem = f"telemetry cannot be started: {error.strerror}"
        return self

    def __exit__(self, *_):
        if self._sampler is None:
            return
        with contextlib.suppress(OSError):
            self._sampler.stdin.close()
        try:
            self._sampler.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            # On storage that does not answer it may not even die; the run does not wait for that.
            self._sampler.kill()

    def warnings(self):
        """What was not sampled and why, a sentence each; after the end."""
        if self._problem:
            return [self._problem]
        path = os.path.join(self._run, SAID)
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                said = file.read(65536).splitlines()
            os.unlink(path)
        except OSError:
            return []
        if said and said[0].startswith("Traceback"):
            return [f"telemetry ended early: {said[-1]}"]
        return said
