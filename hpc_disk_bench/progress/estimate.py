"""How long the phases of a run will take, by its stonewall and by the phases that are done.

A write phase lasts the stonewall and its wear-out: the time in which the slower ranks catch up with
the fastest. A later phase goes over what its write phase has made, so it takes a share of that
phase's time; the share is learned from the first phase of its kind.
"""

from hpc_disk_bench.phases import BY_NAME

# Medians of recorded runs on disks: time of a phase to that of its write phase.
SHARES = {"read": 0.6, "stat": 0.3, "delete": 0.6}
FIND_SHARE = 0.1  # of the time of both mdtest write phases
# Phases with a time of their own: as a multiple of the stonewall.
OWN = {
    "ior-rnd4K-easy-read": 1.0,
    "mdworkbench-create": 1.2,
    "mdworkbench-bench": 5.0,
    "mdworkbench-delete": 1.0,
}


class Estimate:
    """stonewall: seconds; names: of the phases to come, in order."""

    def __init__(self, stonewall, names):
        self.stonewall = stonewall
        self.names = list(names)
        self._done = {}  # name to seconds

    def done(self, name, seconds):
        self._done[name] = seconds

    def expected(self, name):
        """Seconds that a phase is expected to take."""
        phase = BY_NAME.get(name)
        if phase and phase.stonewalled:
            return self.stonewall * (1 + self._wear_out())
        if name in OWN or phase is None:
            return self.stonewall * OWN.get(name, FIND_SHARE)
        if phase.operation == "find":
            return FIND_SHARE * (self._time("mdtest-easy-write") + self._time("mdtest-hard-write"))
        share = self._learned(phase) or SHARES.get(phase.operation, 1.0)
        return share * self._time(_write_of(name))

    def left(self, name, elapsed):
        """Seconds until the end of the run, `elapsed` seconds after phase `name` was begun."""
        # Past its time, a phase goes on for nobody knows how long: some more is always left.
        now = max(self.expected(name) - elapsed, 0.1 * elapsed)
        after = self.names[self.names.index(name) + 1 :] if name in self.names else []
        return now + sum(self.expected(each) for each in after if each not in self._done)

    def _time(self, write):
        return self._done.get(write) or self.expected(write)

    def _wear_out(self):
        """By which share of the stonewall the write phases done have gone beyond it, at most."""
        if not self.stonewall:
            return 0
        seen = [
            time / self.stonewall - 1
            for name, time in self._done.items()
            if name in BY_NAME and BY_NAME[name].stonewalled
        ]
        return max([0, *seen])

    def _learned(self, phase):
        """The share that phases of this kind of test and operation had in this run, or None."""
        test = phase.name.partition("-")[0]
        for name, time in self._done.items():
            other = BY_NAME.get(name)
            write = self._done.get(_write_of(name))
            if (
                other
                and write
                and (other.operation, name.partition("-")[0])
                == (
                    phase.operation,
                    test,
                )
            ):
                return time / write
        return None


def _write_of(name):
    """The write phase whose files a phase goes over: ior-easy-write for ior-easy-read."""
    return f"{name.rpartition('-')[0]}-write"
