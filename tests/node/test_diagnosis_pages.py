"""Each code has a page, each page a code, and --explain prints them."""

import re
import subprocess

import pytest

from hpc_disk_bench.diagnosis import catalogue
from tests.support.needs import obeying_modes

CODE = re.compile(r"\bHDB\d{3}\b")
SECTIONS = ["What it means", "Why it matters", "How to fix it", "What it looks like"]
FIXED = {
    "HDB012": "no space left on device",
    "HDB018": "wall time reached",
    "HDB025": "phase shorter than the stonewall",
}
CODES = [entry.code for entry in catalogue.entries()]


def used(root):
    """Every code that the project's own code names."""
    sources = [*root.glob("hpc_disk_bench/**/*.py"), *root.glob("lib/*.bash"), *root.glob("*.sh")]
    return {code for path in sources for code in CODE.findall(path.read_text())}


def test_each_code_that_is_used_has_a_page_and_each_page_is_of_a_code_that_is_used(root):
    assert sorted(used(root)) == CODES


@pytest.mark.parametrize("code", CODES)
def test_a_page_has_its_parts_and_a_remedy_of_one_sentence(code):
    entry = catalogue.entry(code)
    assert re.findall(r"^## (.*)$", entry.page, re.MULTILINE) == SECTIONS
    assert 1 < len(entry.title) < 60
    assert 20 < len(entry.remedy) < 200
    for link in re.findall(r"\]\((HDB\d+)\.md\)", entry.page):
        assert catalogue.entry(link)


def test_the_index_lists_every_page_with_its_title(root):
    index = (root / "docs/diagnoses/README.md").read_text()
    rows = re.findall(r"^\| \[(HDB\d+)\]\((HDB\d+)\.md\) \| (.*) \|$", index, re.MULTILINE)
    assert rows == [(entry.code, entry.code, entry.title) for entry in catalogue.entries()]


def test_titles_that_others_rely_on_stay():
    assert {code: catalogue.entry(code).title for code in FIXED} == FIXED


@pytest.fixture
def explain(root, tmp_path):
    def run(*arguments):
        command = [*obeying_modes(), root / "io500_wrapper.sh", "--explain", *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)

    return run


def test_explain_prints_the_page_of_a_code(explain):
    done = explain("hdb012")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == catalogue.entry("HDB012").page


def test_explain_of_a_code_that_there_is_not_says_so(explain):
    done = explain("HDB999")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("io500_wrapper.sh: HDB999: no such diagnosis")


def test_explain_of_nothing_or_of_two_things_is_wrong_use(explain, tmp_path):
    assert "--explain needs a code or one results directory" in explain().stderr
    assert explain("HDB012", "HDB013").returncode == 2
    assert "neither a code, such as HDB012, nor" in explain("nowhere").stderr
    (tmp_path / "empty").mkdir()
    done = explain("empty")
    assert (done.returncode, done.stdout) == (5, "")


def test_explain_of_what_may_not_be_looked_at_says_so(explain, tmp_path):
    (tmp_path / "closed/run").mkdir(parents=True)
    (tmp_path / "closed").chmod(0)
    for what in ("closed/run", "closed"):
        done = explain(what)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            f"io500_wrapper.sh: {what}: cannot be read: Permission denied "
            f"(namei -l {what} shows where)\n"
        )
    (tmp_path / "closed").chmod(0o755)


def test_explain_of_a_run_by_hand_works_it_out_from_its_output_and_writes_nothing(
    explain, tmp_path
):
    run = tmp_path / "by hand"
    run.mkdir()
    said = "FATAL (src/ini-parse.c:26) Cannot open config file my.ini"
    (run / "stdout.txt").write_text(f"{said}\n")
    done = explain("by hand")
    assert done.returncode == 0
    assert done.stdout.startswith(
        f"HDB008 configuration missing or unreadable\n  by hand/stdout.txt:1: {said}\n"
    )
    assert "worked out now" in done.stdout
    assert [path.name for path in run.iterdir()] == ["stdout.txt"]


def test_explain_of_a_run_says_what_its_status_says(explain, wrapper, recorded):
    wrapper.use_stand_in(run=recorded("aborted"), code=134)
    wrapper.run()
    (run,) = wrapper.runs
    done = explain(str(run))
    assert done.stdout.startswith("HDB012 no space left on device\n")
    assert "failed No space left on device" in done.stdout
    assert "the benchmark ended with exit code 134 (SIGABRT)" in done.stdout
    assert "worked out now" not in done.stdout


def test_explain_of_a_run_that_counts_says_so(explain, wrapper, recorded):
    wrapper.use_stand_in(run=recorded("valid", "2026.11.20-09.54.40"))
    wrapper.run()
    assert "its result counts" in explain(str(wrapper.runs[0])).stdout
