"""requirements/: what is asked for is what is locked, by hash, wherever it is downloaded from."""

import re

import pytest

NAMES = ["report", "dev", "parquet", "mpi"]


def entries(path):
    """The lock's requirements, each as one line."""
    text = path.read_text().replace("\\\n", " ")
    return [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]


def package(line):
    return re.match(r"[A-Za-z0-9._-]+", line).group().lower().replace("_", "-")


@pytest.mark.parametrize("name", NAMES)
def test_every_locked_package_has_a_version_and_hashes(root, name):
    for line in entries(root / f"requirements/{name}.lock"):
        assert re.match(r"[\w.-]+==[\w.]+ ", line), line
        assert "--hash=sha256:" in line, line


@pytest.mark.parametrize("name", NAMES)
def test_everything_asked_for_is_locked(root, name):
    asked = {
        package(line)
        for line in entries(root / f"requirements/{name}.in")
        if not line.startswith("-")
    }
    assert asked
    assert asked <= {package(line) for line in entries(root / f"requirements/{name}.lock")}


@pytest.mark.parametrize("name", NAMES)
def test_a_lock_names_no_host_so_that_a_sites_mirror_serves(root, name):
    text = (root / f"requirements/{name}.lock").read_text()
    assert not re.search(r"https?:|file:|index-url|find-links|@ ", text)


def test_tests_run_with_the_versions_that_the_report_runs_with(root):
    def versions(name):
        lines = entries(root / f"requirements/{name}.lock")
        return {package(line): re.search(r"==([\w.]+)", line).group(1) for line in lines}

    report, dev = versions("report"), versions("dev")
    common = report.keys() & dev.keys()
    assert common
    assert {key: report[key] for key in common} == {key: dev[key] for key in common}
