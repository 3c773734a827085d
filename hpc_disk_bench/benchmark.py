"""The benchmark as a process: started, followed and, where need be, stopped with its ranks."""

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import time

# The last two are what batch systems are asked to send a while before they kill.
CAUGHT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
# How a benchmark is ended: after so many seconds, this signal to each process that is still there.
# A launcher that waits for a host that is gone ends when it is told again.
STEPS = ((2, signal.SIGTERM), (2, signal.SIGTERM), (6, signal.SIGKILL))
LAST_PATIENCE = 15  # seconds for the kernel to let go of what was killed


class Signals:
    """Notes the signals that end a run, so that nothing is torn apart by them.

    Within the `with` block, `caught` is the first of them or None, `since` when that came
    (time.monotonic()), `last` the last one, `count` how many have come, and wait() returns at once
    when one comes or a child ends. Signals that are ignored from outside (nohup) stay ignored.
    """

    def __init__(self):
        self.caught = self.since = self.last = None
        self.count = 0
        self._before = {}

    def __enter__(self):
        self._read, self._write = os.pipe()
        for end in (self._read, self._write):
            os.set_blocking(end, False)
        self._wakeup = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        for number in CAUGHT:
            if signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._note)
        self._before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        return self

    def __exit__(self, *_):
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        os.close(self._read)
        os.close(self._write)

    def wait(self, seconds):
        if select.select([self._read], [], [], seconds)[0]:
            with contextlib.suppress(BlockingIOError):
                os.read(self._read, 512)

    def _note(self, number, _frame):
        self.count += 1
        self.last = signal.Signals(number)
        if not self.caught:
            self.caught, self.since = self.last, time.monotonic()


# Taken before a child is made: between fork and exec nothing may be loaded.
_prctl = getattr(ctypes.CDLL(None), "prctl", None)
SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


def _end_with_this_process():
    """In the child: SIGTERM when the wrapper is killed, which cannot say a word to it then."""
    if _prctl:
        _prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)


class Benchmark:
    """A started benchmark in a session of its own, its output in files."""

    def __init__(self, command, output, errors):
        """Start `command`; OSError where it cannot be started."""
        # Output goes to the file without anybody between: whatever happens here, it is not lost.
        with open(output, "wb") as out, open(errors, "wb") as err:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
                preexec_fn=_end_with_this_process,
            )

    @property
    def running(self):
        return self._process.poll() is None

    @property
    def exit_code(self):
        """The exit code, or None where it runs or a signal ended it."""
        code = self._process.poll()
        return code if code is not None and code >= 0 else None

    @property
    def signal(self):
        """The name of the signal that ended it, or None."""
        code = self._process.poll()
        return signal.Signals(-code).name if code is not None and code < 0 else None

    def stop(self):
        """End it and every process it has started on this node. Whether all are gone.

        The launcher is asked first, which knows its ranks on other nodes as well.
        """
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGTERM)
        for seconds, number in STEPS:
            if self._gone_within(seconds):
                return True
            for process in self._session():
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(process, number)
        return self._gone_within(LAST_PATIENCE)

    def _gone_within(self, seconds):
        end = time.monotonic() + seconds
        while self.running or self._session():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def _session(self):
        """Process ids of what runs in the benchmark's session; launchers give ranks own groups."""
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{name}/stat", "rb") as file:
                    # The name of the program, in brackets, may hold blanks and brackets.
                    fields = file.read().rpartition(b")")[2].split()
                state, session = fields[0], int(fields[3])
                if session == self._process.pid and state not in (b"Z", b"X"):
                    found.append(int(name))
        return found


class Follower:
    """Reads the lines that are added to a file, as far as they are whole."""

    def __init__(self, path):
        self._path = path
        self._read = 0

    def lines(self):
        with open(self._path, "rb") as file:
            file.seek(self._read)
            *whole, rest = file.read().split(b"\n")
            self._read = file.tell() - len(rest)
        return [line.decode("utf-8", "replace") for line in whole]
