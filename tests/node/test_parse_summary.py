"""Every dialect of result_summary.txt, through the library and through the command."""

import json
import subprocess
import sys

import pytest

from hpc_disk_bench.summary import parse_summary

# Lines as the versions of the benchmark have printed them since 2017, with made-up figures, and
# what they mean.
LINES = [
    (
        "[RESULT] BW   phase 1            ior_easy_write       836.649 GB/s : time 367.18 seconds",
        {"ior-easy-write": {"value": 836.649, "unit": "GiB/s", "time": 367.18, "valid": True}},
    ),
    (
        "[RESULT] BW   phase 1            ior_easy_write      2048.000 MB/s : time 321.09 seconds",
        {"ior-easy-write": {"value": 2.0, "unit": "GiB/s", "time": 321.09, "valid": True}},
    ),
    (
        "[RESULT] IOPS phase 3                      find    854990.000 iops : time  15.21 seconds",
        {"find": {"value": 854.99, "unit": "kIOPS", "time": 15.21, "valid": True}},
    ),
    (
        "[RESULT-invalid] IOPS phase 2  mdtest_hard_write  448.105 kiops : time 218.46 seconds",
        {"mdtest-hard-write": {"value": 448.105, "unit": "kIOPS", "time": 218.46, "valid": False}},
    ),
    (
        "[RESULT]                 find       603.644200 IOPS : time 18.092 seconds",
        {"find": {"value": 603.6442, "unit": "kIOPS", "time": 18.092, "valid": True}},
    ),
    (
        "[RESULT]       ior-easy-write      101.038894 GiB/s  : time 426.716 seconds",
        {"ior-easy-write": {"value": 101.038894, "unit": "GiB/s", "time": 426.716, "valid": True}},
    ),
    (
        "[RESULT]                 find 874410449.773869 kIOPS : time 3.004 seconds",
        {"find": {"value": 874410449.773869, "unit": "kIOPS", "time": 3.004, "valid": True}},
    ),
    (
        "[RESULT]       ior-easy-write        0.186573 GiB/s : time 7.073 seconds [INVALID]",
        {"ior-easy-write": {"value": 0.186573, "unit": "GiB/s", "time": 7.073, "valid": False}},
    ),
    (
        "[      ]  ior-rnd4K-easy-read        0.186573 GiB/s : time 7.073 seconds [INVALID]",
        {
            "ior-rnd4K-easy-read": {
                **{"value": 0.186573, "unit": "GiB/s", "time": 7.073},
                **{"valid": False, "scored": False},
            }
        },
    ),
    (
        "[      ]                 timestamp        0.000000       : time 0.003 seconds",
        {"timestamp": {"value": 0, "unit": "", "time": 0.003, "valid": True, "scored": False}},
    ),
    (
        "[RESULT]            brand-new-one       12.345678 score : time 300.003 seconds",
        {"brand-new-one": {"value": 12.345678, "unit": "score", "time": 300.003, "valid": True}},
    ),
    (
        "[RESULT]                 find            -nan kIOPS : time 0.000 seconds",
        {"find": {"value": None, "unit": "kIOPS", "time": 0.0, "valid": False}},
    ),
    (
        "[RESULT]     mdtest-easy-stat             inf kIOPS : time 0.000 seconds",
        {"mdtest-easy-stat": {"value": None, "unit": "kIOPS", "time": 0.0, "valid": False}},
    ),
    (
        "[SCORE] Bandwidth 2048 MB/s : IOPS 98765.4 iops : TOTAL 70.6409",
        {"score": {"bandwidth": 2.0, "iops": 98.7654, "total": 70.6409, "valid": True}},
    ),
    (
        "[SCORE ] Bandwidth 122.312630 GiB/s : IOPS 192.355126 kiops : TOTAL 153.386640 [INVALID]",
        {"score": {"bandwidth": 122.31263, "iops": 192.355126, "total": 153.38664, "valid": False}},
    ),
    (
        "[SCORE INVALID] Bandwidth 0.183131 GB/s : IOPS 42.798380 kiops : TOTAL 2.799595",
        {"score": {"bandwidth": 0.183131, "iops": 42.79838, "total": 2.799595, "valid": False}},
    ),
    (
        "[SCORE-invalid] Bandwidth 0 GB/s : IOPS 0 kiops : TOTAL 0",
        {"score": {"bandwidth": 0, "iops": 0, "total": 0, "valid": False}},
    ),
    (
        "[SCOREX] Bandwidth 1.958556 GiB/s : IOPS 81.864024 kiops : TOTAL 12.662357",
        {
            "score_extended": {
                **{"bandwidth": 1.958556, "iops": 81.864024, "total": 12.662357},
                "valid": True,
            }
        },
    ),
    (
        "[SCORE_EXTENDED] Bandwidth 1.5 GiB/s : IOPS 81.5 kiops : TOTAL inf",
        {"score_extended": {"bandwidth": 1.5, "iops": 81.5, "total": None, "valid": False}},
    ),
]
HEADERS = [
    ("IO500 version io500-sc25 (standard)", "io500-sc25", "standard"),
    ("IO500 version io500-sc21 (extended)", "io500-sc21", "extended"),
    ("IO500 version  (standard)", "", "standard"),
    ("IO500 version ", "", None),
    ("IO500 version io500-isc20_v4-22", "io500-isc20_v4-22", None),
    ("IO500 version hpc-disk-bench-0.1.0 (standard)", "hpc-disk-bench-0.1.0", "standard"),
]


def as_json(text):
    summary = parse_summary(text)
    entries = {**summary.phases, **summary.scores}
    return {name: entry.as_json() for name, entry in entries.items()}


@pytest.fixture(scope="session")
def parse(root):
    """A function: parse_summary.py with these arguments, as a finished process."""

    def run(*arguments, python=sys.executable):
        command = [python, root / "parse_summary.py", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return run


@pytest.mark.parametrize(("line", "expected"), LINES, ids=[line[:34].strip() for line, _ in LINES])
def test_a_line_of_every_dialect_gives_its_figures_and_its_validity(line, expected):
    assert as_json(line) == expected


@pytest.mark.parametrize(("line", "version", "mode"), HEADERS)
def test_the_header_gives_version_and_mode(line, version, mode):
    summary = parse_summary(line + "\n")
    assert (summary.version, summary.mode, summary.notices) == (version, mode, ())


def test_the_published_samples_parse_to_what_is_expected_of_them(shared, parse, tmp_path):
    directories = sorted(path.parent for path in shared("samples").glob("*/expected.json"))
    assert len(directories) >= 28
    for directory in directories:
        (summary,) = directory.glob("result_summary*.txt")
        done = parse(summary, "-o", tmp_path / "results.json")
        assert done.returncode == 0, done.stderr
        expected = json.loads((directory / "expected.json").read_text())
        parsed = json.loads((tmp_path / "results.json").read_text())
        assert (list(parsed), parsed) == (list(expected), expected), directory.name


def test_lines_that_no_published_file_happens_to_use_parse_as_expected(shared):
    lines = shared("samples", "dialects", "expected.jsonl").read_text().splitlines()
    for entry in map(json.loads, lines):
        assert as_json(entry["line"]) == entry["results"], entry["line"]
        if entry["header"]:
            summary = parse_summary(entry["line"])
            assert {"version": summary.version, "mode": summary.mode} == entry["header"]


def test_a_byte_order_mark_and_windows_line_ends_change_nothing(recorded, parse, tmp_path):
    plain = (recorded("invalid") / "result_summary.txt").read_bytes()
    (tmp_path / "plain.txt").write_bytes(plain)
    (tmp_path / "windows.txt").write_bytes(b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n"))
    assert parse(tmp_path / "windows.txt").stdout == parse(tmp_path / "plain.txt").stdout


def test_of_a_repeated_phase_the_last_one_counts_and_that_is_said(parse, tmp_path):
    path = tmp_path / "result_summary.txt"
    line = "[RESULT]   find   {} kIOPS : time 1.000 seconds\n"
    path.write_text(line.format("1.0") + line.format("2.0") + line.format("3.0"))
    done = parse(path)
    assert json.loads(done.stdout)["find"]["value"] == 3
    assert "find stands there 3 times; the last one counts" in done.stderr


def test_a_line_that_fits_nothing_is_named_with_its_number(parse, tmp_path):
    path = tmp_path / "result_summary.txt"
    path.write_text(
        "[RESULT] find 1.0 kIOPS : time 1.000 seconds\nsegmentation \x1b[31mfault\n"
        "[RESULT] mdtest-easy-stat 1.0 kIO\n"
    )
    done = parse(path)
    assert list(json.loads(done.stdout)) == ["find"]
    assert "line 2 fits no known form: segmentation ?[31mfault" in done.stderr
    assert "line 3 fits no known form: [RESULT] mdtest-easy-stat 1.0 kIO" in done.stderr


def test_a_phase_named_like_another_key_of_results_json_does_not_replace_it(tmp_path, parse):
    path = tmp_path / "result_summary.txt"
    path.write_text(
        "[RESULT] score 9.0 kIOPS : time 1.000 seconds\n"
        "[SCORE ] Bandwidth 1.0 GiB/s : IOPS 4.0 kiops : TOTAL 2.0\n"
    )
    assert json.loads(parse(path).stdout) == {
        "score": {"bandwidth": 1, "iops": 4, "total": 2, "valid": True}
    }


def test_an_unknown_unit_is_kept_and_named(parse, tmp_path):
    path = tmp_path / "result_summary.txt"
    path.write_text("[RESULT] ior-easy-write 9.0 parsec/h : time 1.000 seconds\n")
    done = parse(path)
    assert json.loads(done.stdout)["ior-easy-write"]["unit"] == "parsec/h"
    assert "unit parsec/h is unknown" in done.stderr


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        ",
        b"{}",
        b"[RESULT]",
        b"\xff" * 99,
    ],
)
def test_what_holds_no_result_is_one_line_and_exit_code_5(parse, tmp_path, content):
    path = tmp_path / "result_summary.txt"
    path.write_bytes(content)
    done = parse(path)
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr.startswith(f"parse_summary.py: {path}: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("size", [2**24 + 1, 2**40])
def test_a_file_far_too_large_is_refused_without_being_read(parse, tmp_path, size):
    path = tmp_path / "result_summary.txt"
    with open(path, "wb") as file:
        file.truncate(size)
    done = parse(path)
    assert done.returncode == 5
    assert f"{size} bytes are too many" in done.stderr


def test_lines_made_to_keep_a_pattern_busy_do_not(parse, tmp_path):
    path = tmp_path / "result_summary.txt"
    with open(path, "w") as file:
        for line in (
            "[" + " " * 10**6,
            "IO500 version" + " " * 10**6 + "x",
            "[RESULT] " + "1 " * 10**6,
        ):
            file.write(line + "\n")
        file.write("[RESULT] find 1.0 kIOPS : time 1.000 seconds\n")
    command = [sys.executable, "parse_summary.py", path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    assert list(json.loads(done.stdout)) == ["find"]


def test_an_appledouble_file_is_refused_by_name(parse, tmp_path):
    (tmp_path / "._result_summary.txt").write_text("[RESULT] find 1 kIOPS : time 1 seconds\n")
    done = parse(tmp_path / "._result_summary.txt")
    assert done.returncode == 5
    assert "AppleDouble" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "one result_summary.txt is needed, 0 given"),
        (["a", "b"], "one result_summary.txt is needed, 2 given"),
        (["--fast", "a"], "unknown option --fast"),
        (["a", "-o"], "-o needs the name of a file"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(parse, arguments, complaint):
    done = parse(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_help_names_every_option(parse):
    done = parse("--help")
    assert done.returncode == 0
    assert all(option in done.stdout for option in ("-o", "--quiet", "--help", "Exit codes"))


def test_the_output_file_is_written_whole_or_not_at_all(parse, recorded, tmp_path):
    out = tmp_path / "results.json"
    out.write_text("the old one")
    (tmp_path / "result_summary.txt").write_text("nothing\n")
    assert parse(tmp_path / "result_summary.txt", "-o", out).returncode == 5
    assert out.read_text() == "the old one"
    assert parse(recorded("invalid"), "-o", out).returncode == 0
    assert json.loads(out.read_text())["score"]["valid"] is False
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "result_summary.txt",
        "results.json",
    ]


def test_an_output_file_that_cannot_be_written_is_one_line(parse, recorded, tmp_path):
    done = parse(recorded("invalid"), "-o", tmp_path / "missing" / "results.json")
    assert done.returncode == 5
    assert done.stderr.splitlines()[-1].endswith(
        "results.json: cannot be written: No such file or directory"
    )
    assert "5 the file cannot be parsed, or\nthe JSON not be written" in parse("--help").stdout


def test_the_command_runs_on_python_3_9_with_nothing_installed(parse, python39, recorded):
    command = [python39, "-S", "-E", "parse_summary.py", recorded("extended")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == parse(recorded("extended")).stdout


def test_an_older_python_is_told_what_is_needed(root):
    source = (root / "parse_summary.py").read_text()
    guard = source[: source.index("from hpc_disk_bench")]
    code = "import sys; sys.version_info = (3, 6, 15); exec(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", code, guard], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "parse_summary.py: needs Python 3.9 or newer, this is 3.6\n"
