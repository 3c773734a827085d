"""A clone whose lock names one small wheel of our own: a real set-up in seconds, offline."""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class LittleClone:
    """Made below `directory`, in a path with a blank and a quote, as a user's may be."""

    def __init__(self, directory):
        self.root = directory / "it's my" / "clone"
        self.wheels = directory / "wheels"
        self.root.mkdir(parents=True)
        self.wheels.mkdir()
        shutil.copytree(
            ROOT / "scripts", self.root / "scripts", ignore=shutil.ignore_patterns("__pycache__")
        )
        shutil.copy(ROOT / "Makefile", self.root)
        (self.root / "requirements").mkdir()
        (self.root / "requirements/report.in").write_text("little-part\n")
        self.lock("1.0")

    @property
    def venv(self):
        return self.root / ".venv"

    def lock(self, version, name="report"):
        """requirements/NAME.lock asks for this version of the little wheel."""
        wheel = write_wheel(self.wheels, version)
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        lock = self.root / f"requirements/{name}.lock"
        lock.write_text(f"little-part=={version} --hash=sha256:{digest}\n")

    def environ(self, **changes):
        """What set-up sees: wheels from a directory, and none of the caller's environments."""
        active = ("VIRTUAL_ENV", "CONDA_PREFIX")
        inherited = {key: value for key, value in os.environ.items() if key not in active}
        base = {
            "PYTHON": str(Path(sys.base_prefix) / "bin/python3"),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": self.wheels.as_uri(),
        }
        merged = {**inherited, **base, **changes}
        return {key: value for key, value in merged.items() if value is not None}

    def setup(self, *parts, **changes):
        return subprocess.run(
            ["scripts/setup.sh", *parts],
            cwd=self.root,
            env=self.environ(**changes),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=300,
        )

    def installed(self):
        """The version of the little wheel that .venv imports."""
        code = "import little_part; print(little_part.version)"
        command = [self.venv / "bin/python", "-c", code]
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()

    def snapshot(self, below=None):
        """Every path below the clone with its time of change."""
        top = below or self.root
        return {str(path.relative_to(top)): path.lstat().st_mtime_ns for path in top.rglob("*")}


def write_wheel(directory, version):
    files = {
        "little_part.py": f'version = "{version}"\n',
        f"little_part-{version}.dist-info/METADATA": (
            f"Metadata-Version: 2.1\nName: little-part\nVersion: {version}\n"
        ),
        f"little_part-{version}.dist-info/WHEEL": (
            "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        ),
    }
    record = "".join(f"{name},{_digest(text)},{len(text)}\n" for name, text in files.items())
    files[f"little_part-{version}.dist-info/RECORD"] = (
        record + f"little_part-{version}.dist-info/RECORD,,\n"
    )
    wheel = directory / f"little_part-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return wheel


def _digest(text):
    raw = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
