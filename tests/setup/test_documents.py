"""README and CONTRIBUTING: what they point to is there, what they tell to type exists."""

import re
import subprocess

import pytest

PAGES = ["README.md", "CONTRIBUTING.md"]


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file(root, page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)", (root / page).read_text())
    assert links or page == "CONTRIBUTING.md"
    assert [link for link in links if not (root / link).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_make_target_is_one(root, page):
    targets = set(re.findall(r"(?m)(?:^    |`)make ([a-z]+)", (root / page).read_text()))
    known = subprocess.run(
        ["make", "-pqn", "-f", root / "Makefile", "-C", root], capture_output=True, text=True
    ).stdout
    assert targets
    assert {name for name in targets if f"\n{name}:" not in known} == set()


@pytest.mark.parametrize("page", PAGES)
def test_every_script_is_there_and_can_be_run(root, page):
    scripts = set(re.findall(r"(?<![\w/.:])(?:\./)?[\w/]+\.(?:sh|py)\b", (root / page).read_text()))
    assert scripts
    for script in scripts:
        assert (root / script).stat().st_mode & 0o111, script


def test_make_alone_says_what_there_is(root):
    told = subprocess.run(["make", "-s"], cwd=root, capture_output=True, text=True, check=True)
    for target in ("demo", "test", "engine", "aggregate", "report", "lint", "clean"):
        assert f"make {target}" in told.stdout
