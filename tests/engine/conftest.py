"""Runs of the real engine: a configuration, ranks, a directory; what they printed and wrote."""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

SMALL = {
    "ior-easy": {"blockSize": "4m"},
    "ior-hard": {"segmentCount": "20"},
    "mdtest-easy": {"n": "150"},
    "mdtest-hard": {"n": "150"},
    "debug": {"stonewall-time": "1"},
    "ior-rnd4K-easy-read": {"run": "FALSE"},
}


@dataclass
class Engine:
    """Starts the engine in `directory`, with its data in `data`."""

    binary: Path
    mpirun: Path
    environ: dict
    directory: Path
    data: Path
    launcher: list = field(default_factory=list)

    @property
    def results(self):
        return self.directory / "results"

    def write_ini(self, *changes, base=SMALL):
        """An INI file of `base` and the changes, one dictionary of sections after the other."""
        sections = {
            "global": {
                "datadir": self.data,
                "timestamp-datadir": "FALSE",
                "resultdir": "./results",
                "timestamp-resultdir": "FALSE",
            }
        }
        for change in (base, *changes):
            for name, options in change.items():
                sections[name] = {**sections.get(name, {}), **options}
        lines = []
        for name, options in sections.items():
            lines += [f"[{name}]", *(f"{key} = {value}" for key, value in options.items()), ""]
        path = self.directory / "run.ini"
        path.write_text("\n".join(lines))
        return path

    def command(self, *arguments, ranks=2, before=()):
        return [self.mpirun, "-np", str(ranks), *before, self.binary, *arguments]

    def start(self, *arguments, ranks=2, before=()):
        return subprocess.Popen(
            self.command(*arguments, ranks=ranks, before=before),
            cwd=self.directory,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )

    def run(self, *arguments, ranks=2, before=(), **more):
        """The finished run. What it printed stands below the test where that fails."""
        done = subprocess.run(
            self.command(*arguments, ranks=ranks, before=before),
            cwd=self.directory,
            env={**self.environ, **more.pop("environ", {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=120,
            **more,
        )
        done.stderr = done.stderr.replace("\0", "")  # Open MPI ends its words with one
        print(f"exit code {done.returncode}\n{done.stdout}")
        print(done.stderr, file=sys.stderr)
        return done

    def alone(self, *arguments):
        """Without mpirun, for what needs no ranks."""
        return subprocess.run(
            [self.binary, *arguments],
            cwd=self.directory,
            env={key: value for key, value in self.environ.items() if key != "OMPI_MCA_btl"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    @contextlib.contextmanager
    def paused(self, ini, phase, *options, ranks=2):
        """The run, waiting before `phase` until the block ends. Yields its process."""
        pauses = self.directory / "pauses"
        pauses.mkdir(exist_ok=True)
        (pauses / phase).touch()
        shutil.rmtree(self.results, ignore_errors=True)
        process = self.start(ini, *options, ranks=ranks)
        try:
            wait_for(lambda: f"[{phase}]" in read(self.results / "result.txt"), process)
            yield process
        finally:
            (pauses / phase).unlink()
            process.output, process.errors = process.communicate(timeout=60)

    def summary(self):
        return (self.results / "result_summary.txt").read_text()

    def result(self):
        return (self.results / "result.txt").read_text()


PAUSING = {"debug": {"pause-dir": "./pauses"}}


def read(path):
    return path.read_text() if path.exists() else ""


def ranks_of(bench):
    """The process ids of this run's ranks."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except (OSError, ValueError):
            continue
        if words[0] == bytes(bench.binary) and os.readlink(f"/proc/{entry}/cwd") == str(
            bench.directory
        ):
            found.append(int(entry))
    return found


def wait_for(condition, process, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if process.poll() is not None or time.monotonic() > end:
            raise AssertionError(f"the run did not get there: {process.communicate()}")
        time.sleep(0.02)


@contextlib.contextmanager
def scratch(directory):
    """A path for data, not made: in memory where there is /dev/shm, else below `directory`."""
    memory = Path("/dev/shm")
    base = memory if os.access(memory, os.W_OK) else directory
    data = base / f"hdb-test-{os.getpid()}-{time.monotonic_ns()}"
    try:
        yield data
    finally:
        shutil.rmtree(data, ignore_errors=True)


@pytest.fixture
def bench(engine, mpirun, mpi_environ, tmp_path):
    """An engine with a directory of its own and a place for its data."""
    with scratch(tmp_path) as data:
        yield Engine(engine, mpirun, mpi_environ, tmp_path, data)


@contextlib.contextmanager
def mounted_ext4(directory, megabytes):
    """A new ext4 of so many MiB on a loop device, mounted on `directory`, or a skip."""
    mkfs = shutil.which("mkfs.ext4", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    if not mkfs:
        pytest.skip("mkfs.ext4 is not installed")
    image = directory.with_suffix(".image")
    with open(image, "wb") as file:
        file.truncate(megabytes << 20)
    subprocess.run([mkfs, "-q", image], check=True)
    with mounted(directory, "-o", "loop", str(image)):
        yield directory


@contextlib.contextmanager
def mounted(directory, *arguments):
    """A file system mounted on `directory`, or a skip where this user may not mount."""
    directory.mkdir(exist_ok=True)
    done = subprocess.run(["mount", *arguments, directory], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"cannot mount here: {done.stderr.strip()}")
    try:
        yield directory
    finally:
        subprocess.run(["umount", "-l", directory], check=True)


@pytest.fixture(scope="session")
def racing(mpirun, tmp_path_factory):
    """A function: what to put before the engine for a clock that goes so many times as fast."""
    library = tmp_path_factory.mktemp("native") / "racing_clock.so"
    source = Path(__file__).parent / "native/racing_clock.c"
    command = [mpirun.parent / "mpicc", "-O1", "-shared", "-fPIC", source, "-o", library]
    subprocess.run(command, check=True)
    return lambda rate: ["env", f"LD_PRELOAD={library}", f"HDB_CLOCK_RATE={rate}"]
