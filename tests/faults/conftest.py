"""What the tests of faults share: a wrapper with the real engine, and storage that fails."""

import glob
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.spread import hosts, spread  # noqa: F401 - they are fixtures
from tests.node.conftest import Wrapper, ext4, mount, recorded  # noqa: F401 - they are fixtures
from tests.support.processes import wait_for

HERE = Path(__file__).parent


class Faults(Wrapper):
    """A wrapper for the real engine, and what a failed run must have left behind."""

    def __init__(self, directory, engine):
        super().__init__(directory)
        self.started = []
        self.environ.update(
            IO500_BIN=str(engine), NUM_PROCS="1", CONFIG_FILE=str(HERE / "config-faults.ini")
        )

    def start(self, *flags, **names):
        process = super().start(*flags, **names)
        self.started.append(process)
        return process

    def go_on_long(self, items=300000):
        """Give the run more to do than a test waits for: it goes on until its fault comes.

        items: files of a rank in mdtest-easy. Ranks that miss another one miss it after those only.
        """
        text = (HERE / "config-faults.ini").read_text()
        text = text.replace("stonewall-time = 30", "stonewall-time = 60")
        path = self.directory / "config-long.ini"
        path.write_text(text.replace("n = 1000\n", f"n = {items}\n"))
        self.environ["CONFIG_FILE"] = str(path)

    def wait_until_it_has_begun(self, workload, process):
        """Return once the run has made the directory of this workload, or has ended before it."""
        pattern = f"io500.*/data/{workload}"
        wait_for(lambda: process.poll() is not None or self.found(pattern), 180)

    def found(self, pattern):
        """The paths in test_dir, which may come and go meanwhile: Path.glob() would raise."""
        return glob.glob(pattern, root_dir=self.test_dir, recursive=True)

    def failed_with(self, code, process, *words):
        """The run failed with this diagnosis, said so with these words, and kept its figures."""
        out, err = process.communicate(timeout=120)
        assert process.returncode == 4, (out, err)
        assert f"failed {code} " in err, err
        assert "Traceback" not in err, err
        status = self.json("status.json")
        diagnosis = status["diagnosis"]
        assert (status["state"], diagnosis["code"]) == ("failed", code)
        lines = [line["text"] for line in diagnosis["evidence"]]
        said = "\n".join([*lines, *diagnosis["facts"]])
        for word in words:
            assert word in said, diagnosis
        assert f"remedy: {diagnosis['remedy']}" in err
        return err

    def kept(self, *phases):
        """The phases that came to their end are in results.json, which says that it is partial."""
        results = self.json("results.json")
        assert results["partial"] is True
        assert set(phases) <= set(results)

    def nothing_is_left(self):
        return not self.test_dir.exists() or not os.listdir(self.test_dir)

    def clean(self):
        done = subprocess.run(
            [self.arguments()[0], "--clean", self.test_dir],
            capture_output=True,
            text=True,
            check=False,
            env=self.environ,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def faults(tmp_path, engine):
    directory = tmp_path / "wrapper"
    directory.mkdir()
    faults = Faults(directory, engine)
    yield faults
    for process in faults.started:  # of a test that has failed
        process.kill()
        process.wait()


@pytest.fixture
def faulty(tmp_path, real_parts):
    """A function: mounts a storage whose operation fails: faulty("write", "*hard*", 5, "EIO")."""
    real_parts.root()
    if not os.path.exists("/dev/fuse"):
        real_parts.lack("no /dev/fuse")
    started = []

    def do(*fault):
        point = tmp_path / f"faulty-{len(started)}"
        point.mkdir()
        command = [sys.executable, HERE / "faulty_storage.py", point, *map(str, fault)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        started.append((point, process))
        if process.stdout.readline() != b"mounted\n":
            real_parts.lack(f"FUSE: {process.stderr.read().decode().strip()}")
        return point

    yield do
    for point, process in started:
        subprocess.run(["umount", "-l", point], check=False)
        # Whoever still waits for this storage gets an error then.
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
