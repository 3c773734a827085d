"""Calls of one function over many tasks, in several processes, the answers in the tasks' order."""

import multiprocessing
import os
import signal
import threading
import time


def in_order(function, tasks, jobs):
    """Yield function(task) of each task. jobs: how many processes; 1 is this one alone."""
    jobs = min(jobs, len(tasks))
    if jobs <= 1:
        yield from map(function, tasks)
        return
    # Enough at a time that handing over costs little, and few enough that all have work to the end.
    share = max(1, min(32, len(tasks) // (4 * jobs)))
    with multiprocessing.Pool(jobs, _begin, (os.getpid(),)) as pool:
        yield from pool.imap(function, tasks, share)


def _begin(parent):
    # Ctrl-C reaches the whole group; the one that the user started ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()


def _leave_with(parent):
    """End this process when its parent is gone, however that ended."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
