"""The course of a run: its phases told as they go, status.json kept fresh, a standstill noticed."""

import contextlib
import math
import time
from pathlib import Path

from hpc_disk_bench import processes, status
from hpc_disk_bench.diagnosis.facts import Watch
from hpc_disk_bench.progress.estimate import Estimate
from hpc_disk_bench.progress.hang import HangWatch
from hpc_disk_bench.progress.plan import UNTOLD, plan
from hpc_disk_bench.progress.rate import LiveRate
from hpc_disk_bench.progress.reader import PhaseReader

LOOK = 0.5  # seconds between two looks
LOOK_AT_RANKS = 5  # seconds between two searches for the ranks among all processes
STONEWALL = "300"


class Course:
    """What is known of a run while it goes on. `hung` says why it was ended, where that was it."""

    def __init__(self, run, ini, template, place, nodes, hang_timeout, console):
        """place: (test_dir, its file system); nodes: how many, or None; hang_timeout: seconds."""
        self.hung = None
        self.done = 0  # phases
        self._run, self._template, self._console = Path(run), template, console
        self._watch = Watch(*place, run)
        self._ini, self._ranks, self._ranks_at = ini, [], -math.inf
        self._nodes = nodes
        self._phase, self._begun = None, None
        self._names, self._whole_plan, self._finished = plan(template), False, set()
        self._estimate = Estimate(_seconds(template), self._names)
        self._rate = LiveRate()
        self._hang = HangWatch(run, hang_timeout, time.monotonic())
        self._noted = self._told = time.monotonic()

    def facts(self):
        """The diagnosis.facts.Facts by now."""
        return self._watch.facts()

    def follow(self, benchmark, signals):
        """Until the benchmark ends, a signal comes or nothing moves any more."""
        reader, running = PhaseReader(self._run, self._run / status.OUTPUT), True
        try:
            while running and not signals.caught and not self.hung:
                signals.wait(LOOK)
                # Asked before the news are read, so that the last ones are not missed.
                running = benchmark.running
                for result in reader.news():
                    self._finish(result)
                self._begin(reader)
                if running:
                    self._look(time.monotonic())
        finally:
            self._console.live(None)

    def _begin(self, reader):
        if reader.directory and not self._whole_plan:
            # The benchmark's own list, which it writes before its first phase.
            self._names = self._estimate.names = plan(self._template, reader.directory)
            self._whole_plan = True
        if reader.begun != self._phase:
            self._phase, self._begun = reader.begun, time.monotonic()
            self._told = self._begun
            self._rate.restart()

    def _finish(self, result):
        self.done += 1
        self._finished.add(result.name)
        self._estimate.done(result.name, result.time or 0)
        self._console.phase(self.done, self._total(), result)
        self._noted = -math.inf

    def _total(self):
        return max(len(self._names), self.done)

    def _look(self, now):
        if now - self._ranks_at >= LOOK_AT_RANKS or not self._ranks:
            self._ranks, self._ranks_at = processes.ranks(self._ini), now
        self._rate.sample(now, self._ranks)
        waited = self._hang.hung(now, self._ranks)
        if waited:
            self.hung = self._hang.record(self._phase or "the start", waited)
            return
        self._tell(now)
        if now - self._noted >= status.HEARTBEAT:
            self._noted = now
            # A results tree that is full for a moment must not end a run that goes on elsewhere.
            with contextlib.suppress(OSError):
                status.write_status(self._run, status.RUNNING, **self.state())

    def state(self):
        """The fields of status.json that say how far the run is."""
        return {
            "last_phase": self._phase,
            "phases_done": self.done,
            "phases_total": self._total(),
        }

    def _tell(self, now):
        if self._phase in (None, UNTOLD) or self._phase in self._finished:
            self._console.live(None)
            return
        if not self._console.terminal:
            if now - self._told < status.HEARTBEAT:
                return
            self._told = now
        elapsed = now - self._begun
        rate = self._rate.rate(self._phase)
        number = self.done + 1
        place = f"{number}/{max(self._total(), number)}"
        self._console.running(
            place,
            self._phase,
            elapsed,
            self._estimate.expected(self._phase),
            self._estimate.left(self._phase, elapsed),
            rate and (*rate, " on this node" if self._nodes != 1 else ""),
        )


def _seconds(template):
    value = template.setting("debug", "stonewall-time", STONEWALL)
    return int(value) if value.isdigit() and len(value) < 8 else int(STONEWALL)
