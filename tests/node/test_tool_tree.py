"""Outputs of tools in a results tree: how they come into it, and how they are parsed again."""

import json
import os
import re
import subprocess
import sys

import jsonschema
import pytest

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.names import require_name

TARGET = ("wildwood", "chrom1", "nfs", "hdd", "nfs7")
PLACE = "io500_results/wildwood/chrom1/nfs/nfs7/hdd"


@pytest.fixture
def command(root, tmp_path):
    """command(script, ...): a command of the project, run in tmp_path."""

    def run(script, *arguments):
        start = [sys.executable] if script.endswith(".py") else []
        return subprocess.run(
            [*start, root / script, *map(str, arguments)],
            cwd=tmp_path,
            env={key: text for key, text in os.environ.items() if key != "IO500_RESULTS_DIR"},
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


@pytest.fixture
def keep(command):
    return lambda *files, into=TARGET: command("parse_summary.py", *files, "--into", *into)


def test_outputs_lie_where_a_run_would_with_what_they_are_of(keep, tool_outputs, tmp_path, root):
    done = keep(tool_outputs / "ior.txt", tool_outputs / "mdtest.txt")
    # The first of them started then.
    assert (done.returncode, done.stdout) == (0, f"{PLACE}/2026.11.20-10.01.54\n"), done.stderr
    directory = tmp_path / done.stdout.strip()
    names = {"ior.txt", "mdtest.txt", "tool_metadata.json", "tool_results.json"}
    assert set(os.listdir(directory)) == names
    assert (directory / "ior.txt").read_bytes() == (tool_outputs / "ior.txt").read_bytes()
    for name in ("tool_metadata", "tool_results"):
        schema = json.loads((root / f"hpc_disk_bench/schemas/{name}.schema.json").read_text())
        content = json.loads((directory / f"{name}.json").read_text())
        jsonschema.Draft202012Validator(schema).validate(content)
        assert list(content) == list(schema["properties"])
    assert [run["tool"] for run in content["runs"]] == ["ior", "mdtest"]


def test_one_output_is_not_kept_twice(keep, tool_outputs, tmp_path):
    assert keep(tool_outputs / "ior.txt").returncode == 0
    done = keep(tool_outputs / "mdtest.txt", tool_outputs / "ior.txt")
    assert done.returncode == 2
    expected = f"ior.txt: kept already in {PLACE}/2026.11.20-10.01.54"
    assert done.stderr == f"parse_summary.py: {expected}\n"
    assert len(os.listdir(tmp_path / PLACE)) == 1


def test_two_outputs_of_one_second_get_directories_of_their_own(keep, tool_outputs, tmp_path):
    (tmp_path / "other.txt").write_text((tool_outputs / "ior.txt").read_text() + "\n")
    keep(tool_outputs / "ior.txt")
    assert keep("other.txt").stdout == f"{PLACE}/2026.11.20-10.01.55\n"


def test_an_output_without_a_date_is_filed_under_its_last_change(keep, tool_outputs, tmp_path):
    copy = tmp_path / "summary.csv"
    copy.write_bytes((tool_outputs / "ior.csv").read_bytes())
    os.utime(copy, (1_700_000_000, 1_700_000_000))
    name = keep(copy).stdout.strip().rpartition("/")[2]
    assert re.fullmatch(r"2023\.11\.1[45]-\d\d\.\d\d\.\d\d", name)


def test_a_name_that_means_something_in_a_tree_is_not_taken(keep, tool_outputs, tmp_path):
    for name in ("results.json", "tool_results.json", ".hidden"):
        (tmp_path / name).write_bytes((tool_outputs / "ior.json").read_bytes())
    (tmp_path / "b").mkdir()
    (tmp_path / "b/results.json").write_bytes((tool_outputs / "ior.csv").read_bytes())
    done = keep("results.json", "tool_results.json", ".hidden", "b/results.json")
    names = {"output-results.json", "output-tool_results.json", "output-.hidden"}
    names |= {"2-output-results.json", "tool_metadata.json", "tool_results.json"}
    assert set(os.listdir(tmp_path / done.stdout.strip())) == names


@pytest.mark.parametrize(
    ("files", "into", "code", "line"),
    [
        (["ior.txt"], ("c", "n", "nfs", "../x"), 2, "device '../x': only letters"),
        (["ior.txt"], ("c", "n", "nfs"), 2, "--into needs files before it, CLUSTER NODE STORAGE"),
        (["ior.txt"], (*TARGET, "more"), 2, "--into needs files before it"),
        ([], TARGET, 2, "--into needs files before it"),
        (["ior-failed.txt"], TARGET, 5, "ior ended before anything was measured"),
        (["no-such-file"], TARGET, 5, "no-such-file: no such file"),
        (["ior.txt", "../upstream"], TARGET, 5, "no output of ior, mdtest, stream, pfind"),
    ],
)
def test_what_cannot_be_kept_is_one_line_and_leaves_nothing(
    keep, tool_outputs, tmp_path, files, into, code, line
):
    done = keep(*(tool_outputs / name for name in files), into=into)
    assert done.returncode == code
    (said,) = done.stderr.splitlines()
    assert line in said
    assert not list(tmp_path.iterdir())


def test_names_are_taken_as_the_shell_commands_take_them(root, tmp_path):
    names = (
        "a",
        "A-b_c.9",
        "-x",
        "_",
        ".a",
        "..",
        "a b",
        "a/b",
        "",
        "ä",
        "a\n",
        "x" * 200,
        "x" * 201,
    )
    script = (
        'command_name=x root=$0; . "$0/lib/common.bash"; . "$0/lib/names.bash"; require_name n "$1"'
    )
    for name in names:
        shell = subprocess.run(
            ["bash", "-c", script, root, name], capture_output=True, text=True, check=False
        )
        try:
            require_name("n", name)
            said = None
        except UserError as error:
            said = str(error)
        assert (said is None) == (shell.returncode == 0), name
        if said and name.isascii():
            assert shell.stderr == f"x: {said}\n"


def test_they_are_parsed_again_with_the_runs_and_what_changed_is_told(
    keep, command, tool_outputs, tmp_path
):
    directory = tmp_path / keep(tool_outputs / "ior.txt").stdout.strip()
    place = PLACE.partition("/")[2]
    done = command("reprocess_all_results.sh")
    assert "0 parsed, 0 changed, 1 unchanged, 0 left alone, 0 failed, 0 skipped" in done.stdout
    path = directory / "tool_results.json"
    whole = path.read_text()
    path.write_text(whole.replace('"mean": 9.7083', '"mean": 1.7083', 1))
    dry = command("reprocess_all_results.sh", "--dry-run")
    assert "ior.txt ior write bandwidth.mean: 1.7083" in dry.stdout
    assert path.read_text() != whole
    done = command("reprocess_all_results.sh")
    assert f"  Changed: {place}/2026.11.20-10.01.54\n" in done.stdout
    assert "    ior.txt ior write bandwidth.mean: 1.708310546875 -> 9.708310546875\n" in done.stdout
    assert path.read_text() == whole
    path.unlink()
    assert "1 parsed" in command("reprocess_all_results.sh").stdout
    assert path.read_text() == whole


def test_one_directory_of_them_is_parsed_again_by_the_wrapper(
    keep, command, tool_outputs, tmp_path
):
    directory = tmp_path / keep(tool_outputs / "ior.txt").stdout.strip()
    (directory / "tool_results.json").unlink()
    done = command("io500_wrapper.sh", "--reprocess", directory)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("/2026.11.20-10.01.54/tool_results.json\n")
    assert (directory / "tool_results.json").exists()


def test_a_lost_output_is_named_and_the_rest_goes_on(keep, command, tool_outputs, tmp_path):
    directory = tmp_path / keep(tool_outputs / "ior.txt").stdout.strip()
    keep(tool_outputs / "mdtest.txt")
    (directory / "ior.txt").unlink()
    done = command("reprocess_all_results.sh")
    assert done.returncode == 5
    assert "ior.txt: no such file" in done.stderr
    assert "0 changed, 1 unchanged, 0 left alone, 1 failed" in done.stdout


def test_a_name_in_the_metadata_cannot_lead_out_of_the_directory(
    keep, command, tool_outputs, tmp_path
):
    directory = tmp_path / keep(tool_outputs / "ior.txt").stdout.strip()
    path = directory / "tool_metadata.json"
    path.write_text(path.read_text().replace('"ior.txt"', '"../../ior.txt"'))
    done = command("reprocess_all_results.sh")
    assert done.returncode == 5
    assert "tool_metadata.json: names no files" in done.stderr
