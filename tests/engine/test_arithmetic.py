"""What no run can reach in a test: months, 10^12 files, 10^18 bytes."""

import re
import subprocess

import pytest

FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-g", "-O1", "-Wall", "-Werror", '-DHDB_VERSION="test"']
SANITIZERS = ["-fsanitize=undefined", "-fno-sanitize-recover=undefined"]


@pytest.fixture
def compiled(root, mpirun, tmp_path):
    """Compiles a program of native/ with these compiled files of the engine."""

    def build(name, parts):
        engine = root / "engine"
        objects = [engine / f"build/{part}.o" for part in parts]
        program = tmp_path / name
        command = [mpirun.parent / "mpicc", *FLAGS, root / f"tests/engine/native/{name}.c"]
        command += [*objects, "-lm", "-o", program]
        compiler = (engine / "build/compiler").read_text()
        command += re.findall(r"-l:liburing\.a", compiler)
        done = subprocess.run([*command, *SANITIZERS], capture_output=True, text=True)
        if "libubsan" in done.stderr:  # a compiler without that library
            done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return program

    return build


def test_the_record_of_a_rank_keeps_every_operation_in_bounded_memory(compiled):
    program = compiled("record", {"common", "histogram"})
    done = subprocess.run([program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


def test_counters_hold_a_trillion_files_and_an_exabyte(compiled, root, mpirun, mpi_environ):
    everything = {path.stem for path in (root / "engine").glob("*.c")}
    program = compiled("arithmetic", everything - {"main", "ior"})
    done = subprocess.run(
        [mpirun, "-np", "2", program],
        env=mpi_environ,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
