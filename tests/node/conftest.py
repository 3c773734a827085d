"""What the tests of the node side share: the oldest Python to support, and recorded runs."""

import glob
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from hpc_disk_bench import tools
from hpc_disk_bench.errors import UserError

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def python39():
    """Path of a Python 3.9, the oldest that the node side has to run on."""
    pyenv = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    candidates = [
        shutil.which("python3.9"),
        *sorted(glob.glob(f"{pyenv}/versions/3.9.*/bin/python3.9")),
        "/usr/libexec/platform-python",
    ]
    for candidate in filter(None, candidates):
        if os.access(candidate, os.X_OK) and _version(candidate) == "3.9":
            return candidate
    if sys.version_info[:2] == (3, 9):
        return sys.executable
    pytest.skip("no Python 3.9 on PATH or in pyenv")


@pytest.fixture(scope="session")
def recorded():
    """A function: the directory of a recorded run of the upstream benchmark."""
    return lambda *names: ROOT.joinpath("tests/fixtures/upstream", *names)


def _version(python):
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip()


class Wrapper:
    """io500_wrapper.sh with a results root, a test directory and an environment of its own."""

    def __init__(self, directory):
        self.directory = directory
        self.results = directory / "io500_results"
        self.test_dir = directory / "test dir"
        keep = ("PATH", "HOME", "TMPDIR", "LANG", "VIRTUAL_ENV", "CONDA_PREFIX")
        self.environ = {name: os.environ[name] for name in keep if name in os.environ}
        # Each test would wait for a probe of 3 s.
        self.environ["PROBE_SECONDS"] = "0"
        self.use_stand_in()

    def use_stand_in(self, **settings):
        self.environ["IO500_BIN"] = str(ROOT / "tests/node/support/stand-in-io500")
        self.environ.update({f"STAND_IN_{key.upper()}": str(v) for key, v in settings.items()})

    def use(self, engine):
        """The real engine with two ranks and very little to do."""
        self.environ["IO500_BIN"] = str(engine)
        self.environ.update(NUM_PROCS="2", CONFIG_FILE=str(ROOT / "tests/support/config-tiny.ini"))
        # One machine needs no fabric; looking for one costs a second at every start.
        self.environ["OMPI_MCA_btl"] = "^ofi"

    def arguments(self, *flags, **names):
        target = {"cluster": "c", "node": "n1", "storage": "local", "device": "ssd", **names}
        target.setdefault("test_dir", self.test_dir)
        volume = [target.pop("volume")] if "volume" in target else []
        return [ROOT / "io500_wrapper.sh", *flags, *map(str, target.values()), *volume]

    def start(self, *flags, command=None, **names):
        return subprocess.Popen(
            command or self.arguments(*flags, **names),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.directory,
            env=self.environ,
        )

    def run(self, *flags, **names):
        process = self.start(*flags, **names)
        out, err = process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def hangs(self):
        """Whether the stand-in has come to where it writes data for ever."""
        outputs = self.results.glob("**/io500.out")
        return any("hanging" in path.read_text() for path in outputs)

    @property
    def runs(self):
        """The run directories there are, oldest first."""
        return sorted(path.parent for path in self.results.glob("**/run_metadata.json"))

    def json(self, name, run=-1):
        return json.loads((self.runs[run] / name).read_text())

    def made(self):
        """Everything below the wrapper's directory, but what a test put there itself."""
        return sorted(str(path.relative_to(self.directory)) for path in self.directory.rglob("*"))


@pytest.fixture
def wrapper(tmp_path):
    directory = tmp_path / "wrapper"
    directory.mkdir()
    return Wrapper(directory)


@pytest.fixture
def hanging(wrapper, recorded):
    """A wrapper whose benchmark writes data for ever, after some phases."""
    wrapper.use_stand_in(hang=1, run=recorded("aborted"))
    return wrapper


@pytest.fixture
def mount(tmp_path, real_parts):
    """A function: mounts with these arguments on a new directory, or skips; unmounted again."""
    real_parts.root()
    mounted = []

    def do(*arguments, on="mnt"):
        point = tmp_path / on
        point.mkdir(exist_ok=True)
        done = subprocess.run(
            ["mount", *arguments, point], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            real_parts.lack(f"cannot mount {' '.join(map(str, arguments))}: {done.stderr.strip()}")
        mounted.append(point)
        return point

    yield do
    for point in reversed(mounted):
        subprocess.run(["umount", "-l", point], check=True)


@pytest.fixture
def ext4(mount, tmp_path, real_parts):
    """A function: an ext4 file system of so many MiB on a loop device."""
    real_parts.programs("mkfs.ext4")

    def make(megabytes, *options, on="ext4"):
        image = tmp_path / f"{on}.image"
        with open(image, "wb") as file:
            file.truncate(megabytes * 2**20)
        subprocess.run(["mkfs.ext4", "-q", *options, image], check=True)
        return mount("-o", "loop", image, on=on)

    return make


@pytest.fixture(scope="session")
def tool_outputs():
    """Where recorded outputs of tools lie."""
    return ROOT / "tests/fixtures/tools"


@pytest.fixture(scope="session")
def check_tool_output(root):
    """check_tool_output(path): whether it gives runs, which must fit; else one clear error."""
    schema = json.loads((root / "hpc_disk_bench/schemas/tool_results.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)

    def judge(path):
        try:
            runs, error = tools.read(path), None
        except UserError as caught:
            runs, error = None, caught
        if error:
            assert error.exit_code == 5
            assert str(path) in str(error)
            assert "\n" not in str(error)
        if not runs:
            return False
        content = tools.as_json([tools.Output(path.name, tuple(runs))])
        validator.validate(json.loads(json.dumps(content, allow_nan=False)))
        assert all(line.isprintable() for line in tools.spoken(runs))
        return True

    return judge


@pytest.fixture
def parse_summary(root, tmp_path):
    """parse_summary(...): the finished command, run in tmp_path."""

    def run(*arguments, python=sys.executable, **environ):
        return subprocess.run(
            [python, root / "parse_summary.py", *map(str, arguments)],
            cwd=tmp_path,
            env=environ or None,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run
