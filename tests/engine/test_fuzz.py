"""The engine's parsers under input that nobody would write, with the sanitizers watching."""

import os
import re
import shutil
import subprocess

import pytest

from tests.engine.test_memory import sanitized  # noqa: F401 - a fixture
from tests.support.needs import night

FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Werror", '-DHDB_VERSION="0"']
WRAPPED = "-Wl,--wrap=refuse,--wrap=MPI_Bcast"
# A refusal leaves by a jump, so what was allocated for it stays.
ENVIRON = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}


@pytest.fixture
def corpus(root):
    return sorted((root / "engine/fuzz/corpus").iterdir())


def test_changed_copies_of_known_inputs_are_parsed_or_refused(
    sanitized,  # noqa: F811
    root,
    mpirun,
    corpus,
    tmp_path,
):
    """Deterministic: the same 30,000 inputs each time."""
    program = tmp_path / "replay"
    build = sanitized.parent
    objects = [
        build / f"{path.stem}.o" for path in (root / "engine").glob("*.c") if path.stem != "main"
    ]
    libraries = re.findall(r"-l:liburing\.a", (build / "compiler").read_text())
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    command = [mpirun.parent / "mpicc", *FLAGS, *sanitizers, "-DREPLAY", WRAPPED]
    command += [root / "engine/fuzz/fuzz.c", *objects, "-lm", *libraries, "-o", program]
    subprocess.run(command, check=True)
    done = subprocess.run(
        [program, "3000", *corpus], env=ENVIRON, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert f"replayed {len(corpus)} files" in done.stderr


@night("takes minutes")
def test_a_night_of_fuzzing_finds_nothing(root, mpirun, corpus, tmp_path):
    if not shutil.which("clang"):
        pytest.skip("clang is not installed")
    program, found = tmp_path / "fuzz", tmp_path / "corpus"
    found.mkdir()
    sources = [path for path in (root / "engine").glob("*.c") if path.stem != "main"]
    command = [mpirun.parent / "mpicc", *FLAGS, "-fsanitize=fuzzer,address,undefined", WRAPPED]
    command += [root / "engine/fuzz/fuzz.c", *sources, "-lm", "-o", program]
    environ = {**ENVIRON, "OMPI_CC": "clang", "OMPI_CFLAGS": ""}
    subprocess.run(command, check=True, env=environ)
    seconds = os.environ.get("HDB_NIGHT_SECONDS", "600")
    done = subprocess.run(
        [
            program,
            f"-max_total_time={seconds}",
            "-timeout=10",
            f"-artifact_prefix={tmp_path}/",
            found,
            root / "engine/fuzz/corpus",
        ],
        env=ENVIRON,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-4000:]
