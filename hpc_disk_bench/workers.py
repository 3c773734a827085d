"""Calls of one function over many tasks, in several processes, the answers in the tasks' order."""

import multiprocessing
import multiprocessing.util
import os
import signal
import sys
import threading
import time

from hpc_disk_bench.files import remove_own_parts


def in_order(function, tasks, jobs):
    """Yield function(task) of each task. jobs: how many processes; 1 is this one alone.

    However it ends, the processes are ended with it, and clean up after themselves.
    """
    jobs = min(jobs, len(tasks))
    before = signal.signal(signal.SIGTERM, _leave)
    try:
        if jobs <= 1:
            yield from map(function, tasks)
            return
        # Enough at a time that handing over costs little, few enough that all have work to the end.
        share = max(1, min(32, len(tasks) // (4 * jobs)))
        with multiprocessing.Pool(jobs, _begin, (os.getpid(),)) as pool:
            yield from pool.imap(function, tasks, share)
    finally:
        signal.signal(signal.SIGTERM, before)


def _begin(parent):
    # Ctrl-C reaches the whole group; the one that the user started ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    # atexit's functions are not called in these processes.
    multiprocessing.util.Finalize(None, remove_own_parts, exitpriority=0)
    # What goes wrong in a task is raised where its answer is awaited; here it would be said twice.
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()


def _leave(number, _frame):
    # By way of an exception, so that a file that is being written is not left half-written;
    # once, so that what cleans up is not interrupted.
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def _leave_with(parent):
    """End this process when its parent is gone, however that ended."""
    while os.getppid() == parent:
        time.sleep(1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(5)
    os._exit(1)
