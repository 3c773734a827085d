"""Whatever bytes a run's files hold: a result that fits its schema, or one clear error."""

import json
import random
import subprocess
import sys

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.phase_files import NAMES
from hpc_disk_bench.results import load

QUICK = settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
WORDS = (
    *("[RESULT]", "[RESULT-invalid]", "[      ]", "[SCORE ]", "[SCOREX]", "[INVALID]", "[SCORE]"),
    *("BW", "IOPS", "phase", "1", "find", "ior-easy-write", "score", "partial", "source", "time"),
    *("GiB/s", "MB/s", "kIOPS", "iops", "kiops", "seconds", "Bandwidth", "TOTAL", "version"),
    *("0.186573", "-1", "1e999", "nan", "-inf", "nan(0x1)", "1_0", "\u0663", "0", "9" * 400),
    *("[run]", "=", "exe", "t_delta", "; ERROR INVALID", "IO500 version", "(standard)", "(((", ")"),
    *(
        "access",
        "bw(MiB/s)",
        "write",
        "SUMMARY rate",
        "File creation",
        "all,1",
        "runtime:",
        "rate:",
    ),
    *(":", " ", "  ", "\t", "\n", "\r\n", "\n\n", "\x00", "\ufeff", "\u2028", "\x1b[2J", "\xff"),
)
TEXT = st.lists(st.sampled_from(WORDS), max_size=80).map(" ".join).map(str.encode)
CONTENT = st.one_of(st.binary(max_size=400), TEXT)


@pytest.fixture(scope="module")
def check(root):
    """A function: parses a directory and judges what came of it; True where that is a result."""
    schema = json.loads((root / "hpc_disk_bench/schemas/results.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)

    def judge(directory):
        try:
            results = load(directory)
        except UserError as caught:
            error = caught
        else:
            error = None
        if error:
            assert error.exit_code == 5
            assert str(directory) in str(error)
            assert "\n" not in str(error)
            return False
        content = json.loads(json.dumps(results.as_json(), allow_nan=False))
        validator.validate(content)
        for line in (*results.notices, *results.warnings):
            assert line.isprintable(), line
        return True

    return judge


def write(directory, files):
    for path in directory.iterdir():
        path.unlink()
    for name, content in files.items():
        if content is not None:
            (directory / name).write_bytes(content)


@QUICK
@given(st.none() | CONTENT, st.none() | CONTENT)
def test_any_bytes_in_the_two_files_of_a_run(check, tmp_path, summary, log):
    write(tmp_path, {"result_summary.txt": summary, "result.txt": log})
    check(tmp_path)


@QUICK
@given(st.dictionaries(st.sampled_from(sorted(NAMES)), CONTENT, max_size=3))
def test_any_bytes_in_the_files_of_single_phases(check, tmp_path, files):
    write(tmp_path, files)
    check(tmp_path)


@QUICK
@given(st.lists(st.sampled_from(WORDS), max_size=12))
def test_any_words_between_the_marks_of_a_line(check, tmp_path, words):
    line = " ".join(("[RESULT]", *words, ": time 1.0 seconds"))
    write(tmp_path, {"result_summary.txt": line.encode()})
    check(tmp_path)


def mutated(content, chance):
    """The content with a few bytes changed, cut out, doubled, or its end lost."""
    content = bytearray(content)
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(content) + 1)
        until = min(place + chance.randint(1, 40), len(content))
        how = chance.randrange(5)
        if how == 0:
            content[place:until] = chance.randbytes(chance.randint(0, 8))
        elif how == 1:
            content[place:place] = content[place:until] * chance.randint(1, 3)
        elif how == 2 and chance.random() < 0.3:
            del content[place:]
        elif how == 3:
            content[place:place] = chance.choice(
                (b"\n", b"\r", b"\0", b" nan ", b"[INVALID]", b"-")
            )
        else:
            content[place:until] = bytes(until - place)
    return bytes(content)


def test_real_files_with_bytes_changed_and_lost(check, recorded, tmp_path):
    chance = random.Random(500)
    parsed = 0
    sources = [recorded(name) for name in ("invalid", "extended", "phase-files", "verbosity-0")]
    files = [{path.name: path.read_bytes() for path in source.iterdir()} for source in sources]
    for _ in range(60):
        for whole in files:
            write(tmp_path, {name: mutated(content, chance) for name, content in whole.items()})
            parsed += check(tmp_path)
    assert parsed > 100  # a little damage does not cost a run


def test_published_files_with_bytes_changed_and_lost(check, shared, tmp_path):
    chance = random.Random(2025)
    for path in sorted(shared("samples").glob("*/result_summary.txt")):
        for _ in range(4):
            log = path.with_name("result.txt")
            log = mutated(log.read_bytes(), chance) if log.exists() else None
            files = {"result_summary.txt": mutated(path.read_bytes(), chance), "result.txt": log}
            write(tmp_path, files)
            check(tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        b"[RESULT] find " + b"1" * 980,
        b"[RESULT] find " + b"1.1e1" * 190,
        b"[RESULT] " + b" 1" * 490,
        b"[SCORE ] Bandwidth 1 GiB/s" + b" " * 900 + b"x",
        b"IO500 version" + b" (" * 480 + b"x",
        b"[" + b" [ INVALID" * 90 + b"]",
        b"benchmark process " + b" rate:1" * 130,
        b"SUMMARY rate\nFile creation" + b" :" * 450,
        b"x",
        b"a" * 900,
    ],
)
def test_a_large_file_of_lines_that_are_hard_to_refuse_does_not_hang(root, tmp_path, line):
    lines = min(90_000, 4_000_000 // (len(line) + 1))
    names = ("result_summary.txt", "result.txt", "mdworkbench-bench.txt", "mdtest-easy-write.txt")
    for name in names:
        (tmp_path / name).write_bytes(b"" if name == "result.txt" else (line + b"\n") * lines)
    command = [sys.executable, "parse_summary.py", tmp_path]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60)
    assert done.returncode == 5
    assert "no line in it is a phase or a score" in done.stderr
