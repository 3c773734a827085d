"""docs/columns.md names every column of the table, with kind, unit, source and meaning."""

import re

import pytest

from hpc_disk_bench import table_columns, table_placement, table_tools
from tests.support import trees


@pytest.fixture(scope="module")
def page(root):
    return (root / "docs/columns.md").read_text("utf-8")


def documented(page, heading):
    """The rows of the tables below one heading: (column, kind, unit, from, meaning)."""
    section = re.split(r"^## ", page, flags=re.MULTILINE)
    (text,) = [part for part in section if part.startswith(heading + "\n")]
    cells = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `")]
    return [tuple(cell.strip().strip("`") for cell in row) for row in cells]


def as_documented(columns):
    return [tuple(str(part).strip("`") for part in column) for column in columns]


@pytest.mark.parametrize(
    ("heading", "columns"),
    [
        ("The node", (*table_columns.IDENTITY, *table_columns.NODE_COLUMNS)),
        ("The run", table_columns.RUN_COLUMNS),
        ("What is behind test_dir", (*table_columns.STORAGE_COLUMNS, table_columns.WARNINGS)),
        ("How it ended", table_columns.STATE_COLUMNS),
        ("Score", table_columns.score_columns("score")),
        ("The long form", table_columns.LONG),
        ("Placement", table_placement.COLUMNS),
        ("Tool runs", table_tools.COLUMNS),
    ],
)
def test_a_section_names_its_columns_in_their_order(page, heading, columns):
    assert documented(page, heading) == as_documented(
        (column.name, column.kind, column.unit, column.source, column.meaning) for column in columns
    )


def test_the_sections_together_are_the_table(page, tree, aggregate, rows):
    phases = re.findall(r"`(\w+)`", page.split("## Phases")[1].split("| column")[0])[1:]
    parts = [name.removeprefix("<phase>") for name, *_ in documented(page, "Phases")]
    reasons = [name for name, *_ in documented(page, "Reasons")]
    latencies = [name for name, *_ in documented(page, "Latencies")]
    sections = ("The node", "The run", "What is behind test_dir", "How it ended")
    names = [name for section in sections for name, *_ in documented(page, section)]
    names += [phase + part for phase in phases for part in parts]
    names += [name for name, *_ in documented(page, "Score")]
    names += [reasons[0].replace("<phase>", phase) for phase in phases] + reasons[1:]
    names += [name.replace("<phase>", phase) for phase in phases for name in latencies]
    tree({})
    aggregate()
    assert list(rows()[0]) == names


def test_every_state_of_a_run_is_explained(page, tmp_path, aggregate, rows):
    explained = set(re.findall(r"^\| (\w+) \| ", page.split("`state` says")[1], re.MULTILINE))
    trees.write_tree(tmp_path / "io500_results", trees.mixed_runs(150))
    aggregate()
    found = {row["state"] for row in rows()}
    assert len(found) >= 5
    assert found <= explained


def test_the_example_of_a_guarded_cell_holds(page):
    from hpc_disk_bench.table_csv import guarded

    assert "a node named `-x` stands as `'-x`" in " ".join(page.split())
    assert guarded("-x") == "'-x"
