"""Calls of one function over many tasks, in several processes, the answers in the tasks' order.

Each process has a pipe of its own and shares nothing with the others: whichever is killed, and
whatever it was at, nobody waits for a lock or for the rest of a message that it took along.
"""

import multiprocessing
import os
import signal
import sys
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait

from hpc_disk_bench.errors import UNPARSED, UserError
from hpc_disk_bench.files import remove_own_parts

GRACE = 5.0  # seconds for a process to end


@contextmanager
def in_order(function, tasks, jobs):
    """With it, function(task) of each task, as they are asked for. jobs: how many processes; 1 is
    this one alone.

    However the block ends, the processes are ended with it, and clean up after themselves. Asking
    for an answer raises UserError where a process was killed.
    """
    jobs = min(jobs, len(tasks))
    before = signal.signal(signal.SIGTERM, _exit_at_once)
    workers = {}
    try:
        if jobs <= 1:
            yield map(function, tasks)
        else:
            for _ in range(jobs):
                _start(function, workers)
            yield _answers(workers, tasks)
    finally:
        _end(workers)
        signal.signal(signal.SIGTERM, before)


def _exit_at_once(number, _frame):
    # By way of an exception, so that a file that is being written is not left half-written;
    # once, so that what cleans up is not interrupted.
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def _start(function, workers):
    """A further process, in `workers`: {pipe to it: process}."""
    pipe, its_end = multiprocessing.Pipe()
    arguments = (function, its_end, [*workers, pipe])
    process = multiprocessing.get_context("fork").Process(target=_work, args=arguments)
    process.start()
    its_end.close()
    workers[pipe] = process


def _answers(workers, tasks):
    # Enough at a time that handing over costs little, few enough that all have work to the end.
    size = max(1, min(32, len(tasks) // (4 * len(workers))))
    shares = [tasks[at : at + size] for at in range(0, len(tasks), size)]
    idle, handed_on = [*workers], 0
    places, answered = {}, {}  # place of the share that a pipe's process is at; answers by place
    for place in range(len(shares)):
        while place not in answered:
            try:
                while idle and handed_on < len(shares):
                    pipe = idle.pop()
                    pipe.send(shares[handed_on])
                    places[pipe] = handed_on
                    handed_on += 1
                for pipe in wait(places):
                    answered[places.pop(pipe)] = pipe.recv()
                    idle.append(pipe)
            except (EOFError, OSError):
                raise _failure(workers[pipe], len(workers)) from None
        yield from answered.pop(place)


def _failure(process, jobs):
    """What to raise where this process ended before its time."""
    process.join(GRACE)
    if process.exitcode is not None and process.exitcode > 0:
        return RuntimeError(f"a task failed as said above (exit code {process.exitcode})")
    return UserError(
        f"one of {jobs} processes was killed, most often for want of memory: what was done stays;"
        " call again for the rest, with a smaller --jobs",
        UNPARSED,
    )


def _end(workers):
    for pipe, process in workers.items():
        pipe.close()  # whoever waits for a task and heard no signal hears that
        process.terminate()
    for process in workers.values():
        process.join(GRACE)
        process.kill()
        process.join()


def _work(function, pipe, parents_ends):
    # Ctrl-C reaches the whole group; the one that the user started ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    for end in parents_ends:  # or the pipe would stay open when the parent is gone
        end.close()
    while True:
        try:
            share = pipe.recv()
        except (EOFError, ConnectionError):
            return  # the parent has all that it wanted, or is gone
        answers = [function(task) for task in share]
        with suppress(ConnectionError):
            pipe.send(answers)


def _leave(number, _frame):
    remove_own_parts()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
