"""--retries N: after a failure that may pass by itself, the same run again in a new directory."""

import time

from hpc_disk_bench.diagnosis.of_run import written
from hpc_disk_bench.diagnosis.rules import WORTH_A_RETRY
from hpc_disk_bench.errors import BENCHMARK_FAILED
from hpc_disk_bench.status import read_status


def tries(attempt, retries, delay, signals, console):
    """The exit code of the last try.

    attempt(number, first): runs try `number`, from 1 on, and returns its exit code and its
    directory; first: the directory of the first one, or None. retries: how many may follow that
    one; delay: seconds before each of those. Not tried again are runs that were ended by a signal,
    refused, or failed for what somebody has to mend first.
    """
    number, first = 1, None
    while True:
        code, run = attempt(number, first)
        first = first or run
        if number > retries or code != BENCHMARK_FAILED or signals.caught:
            return code
        diagnosis = written(read_status(run))
        if not diagnosis or diagnosis.code not in WORTH_A_RETRY:
            told = diagnosis.code if diagnosis else "no diagnosis"
            console.talk("retry", f"not tried again: {told} does not pass by itself")
            return code
        number += 1
        text = (
            f"try {number} of {retries + 1} in {delay:.0f} s: {diagnosis.code} may pass by itself"
        )
        console.talk("retry", text)
        end = time.monotonic() + delay
        while time.monotonic() < end and not signals.caught:
            signals.wait(max(end - time.monotonic(), 0))
        if signals.caught:
            return code
