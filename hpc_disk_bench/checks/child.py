"""A function's answer from a process of its own, so that a storage that hangs hangs that one.

A process that waits for a dead file server cannot even be killed; it is left behind and ends when
the server answers.
"""

import contextlib
import os
import pickle
import select
import signal
import time

PATIENCE = 0.1  # seconds between two looks at whether a signal has come
LET_GO = 1.0  # seconds for the kernel to end a process that was killed; longer, and it hangs


class NoAnswer(Exception):
    """The function was not done in time, or its process was ended.

    gone: its process id, where the kernel has let it go: what it was making can be removed.
    """

    def __init__(self, why, gone):
        super().__init__(why)
        self.gone = gone


def answer(seconds, function, *arguments, stopped=lambda: False):
    """function(*arguments), or NoAnswer after so many seconds or when stopped() becomes true.

    What the function raises is raised here. What it starts belongs to a session of its own and is
    ended with it.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _work(reading, writing, function, arguments)
    os.close(writing)
    try:
        said, why = _read(reading, time.monotonic() + seconds, stopped)
    finally:
        os.close(reading)
        # It may not have come to its own session yet, and alone then.
        for kill in (os.kill, os.killpg):
            with contextlib.suppress(OSError):
                kill(child, signal.SIGKILL)
        gone = _reap(child)
    try:
        worked, result = pickle.loads(said)
    except Exception as error:
        why = why or f"its process {child} ended without an answer"
        raise NoAnswer(why, child if gone else None) from error
    if not worked:
        raise result
    return result


def _work(reading, writing, function, arguments):
    """The child: everything ends here."""
    code = 1
    try:
        os.setsid()
        os.close(reading)
        # Where it cannot be ended, nobody who reads what we say shall wait for its end.
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        try:
            said = True, function(*arguments)
        except Exception as error:
            said = False, error
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(pickle.dumps(said))
        code = 0
    finally:
        os._exit(code)


def _read(reading, deadline, stopped):
    """(all that comes from the pipe, None), or (b"", why that was not waited for)."""
    said = b""
    while True:
        if stopped():
            return b"", "stopped"
        if time.monotonic() > deadline:
            return b"", "no answer in time"
        if select.select([reading], [], [], PATIENCE)[0]:
            part = os.read(reading, 65536)
            if not part:
                return said, None
            said += part


def _reap(child):
    """Wait for a child that was killed, but not for one that the kernel does not let go. Whether
    it is gone.
    """
    deadline = time.monotonic() + LET_GO
    while time.monotonic() < deadline:
        with contextlib.suppress(ChildProcessError):
            if os.waitpid(child, os.WNOHANG)[0] == 0:
                time.sleep(0.005)
                continue
        return True
    return False
