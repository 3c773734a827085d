"""The engine under AddressSanitizer, UBSan and valgrind, on three file systems."""

import contextlib
import errno
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.engine.conftest import SMALL, Engine, mounted, mounted_ext4
from tests.support.needs import night

HERE = Path(__file__).parent
BUSY = {
    **SMALL,
    "ior-rnd4K-easy-read": {"run": "TRUE"},
    "find": {"pfind-queue-length": "20"},
    "mdworkbench": {"precreatePerSet": "8", "filesPerProc": "8"},
}


@pytest.fixture(scope="session")
def sanitized(root, engine, mpirun):
    """The engine compiled with the sanitizers."""
    mpicc = re.sub(r"([^\w./-])", r"\\\1", str(mpirun.parent / "mpicc"))
    done = subprocess.run(
        ["make", "-s", "-j", "2", "-C", root / "engine", "SANITIZE=1", f"MPICC={mpicc}"],
        capture_output=True,
        text=True,
    )
    if "libasan" in done.stderr or "libubsan" in done.stderr:
        pytest.skip("the compiler has no sanitizer libraries")
    assert done.returncode == 0, done.stderr
    return _startable(root / "engine/build/sanitize/io500-embedded")


def _startable(binary):
    """The program, as soon as nobody has it open for writing: under load that was so just after it
    was linked."""
    for _ in range(100):
        try:
            subprocess.run([binary, "--version"], capture_output=True)
            break
        except OSError as error:
            if error.errno != errno.ETXTBSY:
                raise
            time.sleep(0.1)
    return binary


@contextlib.contextmanager
def file_system(kind, tmp_path):
    if kind == "tmpfs":
        with mounted(tmp_path / "tmpfs", "-t", "tmpfs", "tmpfs") as directory:
            yield directory
    elif kind == "ext4":
        with mounted_ext4(tmp_path / "ext4", 200) as directory:
            yield directory
    else:
        # An overlay needs an upper layer that is none itself.
        with mounted(tmp_path / "layers", "-t", "tmpfs", "tmpfs") as layers:
            for name in ("lower", "upper", "work"):
                (layers / name).mkdir()
            options = ",".join(
                f"{key}={layers / name}"
                for key, name in (("lowerdir", "lower"), ("upperdir", "upper"), ("workdir", "work"))
            )
            target = tmp_path / "overlay"
            with mounted(target, "-t", "overlay", "-o", options, "overlay") as directory:
                yield directory


@pytest.mark.parametrize(
    ("kind", "ranks"),
    [("tmpfs", 1), ("tmpfs", 2), ("tmpfs", 8), ("ext4", 1), ("ext4", 4), ("overlay", 2)],
)
def test_the_sanitizers_find_nothing(sanitized, mpirun, mpi_environ, tmp_path, kind, ranks):
    suppressions = HERE / "lsan.supp"
    environ = {
        **mpi_environ,
        "ASAN_OPTIONS": "detect_leaks=1",
        "LSAN_OPTIONS": f"suppressions='{suppressions}':print_suppressions=0",
    }
    with file_system(kind, tmp_path) as directory:
        bench = Engine(sanitized, mpirun, environ, tmp_path, directory / "data")
        done = bench.run(bench.write_ini(base=BUSY), "--mode=extended", ranks=ranks)
        assert not bench.data.exists()
    assert not re.search(r"ERROR: \w+Sanitizer|runtime error:", done.stderr), done.stderr
    assert done.returncode == 0, done.stderr
    assert "[SCORE ]" in done.stdout


def test_the_sanitizers_are_on(sanitized):
    """A build without them would pass the tests above whatever the engine does."""
    symbols = subprocess.run(["nm", "-D", sanitized], capture_output=True, text=True).stdout
    assert "__asan_init" in symbols
    assert "__ubsan_handle" in symbols


def own_errors(log, sources):
    """The records of a memcheck log in which the engine's own code comes before any library's."""
    found = []
    for record in re.split(r"^==\d+== *$", log, flags=re.M):
        frames = re.findall(r"(?:at|by) 0x[0-9A-F]+: (.*)", record.split("Address 0x")[0])
        for frame in frames:
            place = re.search(r"\((\S+?)(:\d+)?\)$", frame)
            if place and place[1] in sources:
                found.append(record)
            if place is None or place[1] in sources or "mpi" in frame or "pmix" in frame:
                break
            if "dl-" in place[1]:
                break
    return found


@pytest.mark.parametrize("ranks", [1, 2, 4, pytest.param(8, marks=night("takes a minute"))])
def test_memcheck_finds_nothing_in_the_engines_own_code(bench, root, ranks):
    valgrind = shutil.which("valgrind")
    if not valgrind:
        pytest.skip("valgrind is not installed")
    done = bench.run(
        bench.write_ini(base=BUSY),
        "--mode=extended",
        ranks=ranks,
        before=[valgrind, "-q", f"--log-file={bench.directory}/memcheck.%p"],
    )
    assert done.returncode == 0, done.stderr
    logs = list(bench.directory.glob("memcheck.*"))
    assert len(logs) == ranks
    sources = {path.name for path in (root / "engine").glob("*.c")}
    for log in logs:
        assert own_errors(log.read_text(), sources) == []


def test_an_error_of_the_engine_would_be_seen_in_a_memcheck_log():
    log = (
        "==7== Invalid read of size 8\n"
        "==7==    at 0x484: memcpy (vg_replace_strmem.c:1)\n"
        "==7==    by 0x109: read_transfer (ior.c:92)\n==7== \n"
    )
    foreign = log.replace("read_transfer (ior.c:92)", "???  (in /usr/lib/libmpi.so.40)")
    assert len(own_errors(log, {"ior.c"})) == 1
    assert own_errors(foreign, {"ior.c"}) == []
