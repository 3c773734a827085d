"""Fills the tables of docs/json.md from the schemas, so that each field is explained in one place.

    python tests/support/json_page.py      writes docs/json.md anew

A table stands between `<!-- fields: NAME -->` and `<!-- end -->`, where NAME is that of a schema,
or NAME/PART one of its $defs.
"""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/json.md"
SCHEMAS = ROOT / "hpc_disk_bench/schemas"
TABLE = re.compile(r"(<!-- fields: (?P<name>[\w/]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(page):
    """The text of the page with each table as the schemas have it."""
    return TABLE.sub(lambda match: match[1] + table(match["name"]) + match[3], page)


def table(name):
    """The table of fields of a schema, or of one of its parts."""
    lines = ["| key | type | unit | holds |", "| --- | --- | --- | --- |"]
    for key, field in fields(name).items():
        unit = field.get("unit", "")
        lines.append(f"| {key} | {_type(field)} | {unit} | {field['description']} |")
    return "\n".join(lines) + "\n"


def fields(name):
    """Key to schema of the properties of a schema, or of one of its parts."""
    file, _, part = name.partition("/")
    schema = json.loads((SCHEMAS / f"{file}.schema.json").read_text())
    return (schema["$defs"][part] if part else schema)["properties"]


def names():
    """Everything that has fields: "results", "results/phase", ..."""
    found = []
    for path in sorted(SCHEMAS.glob("*.schema.json")):
        name = path.name.partition(".")[0]
        parts = json.loads(path.read_text()).get("$defs", {})
        found += [name, *(f"{name}/{part}" for part in parts)]
    return found


def _type(field):
    if "$ref" in field:
        return "object"
    kinds = field["type"] if isinstance(field["type"], list) else [field["type"]]
    return " or ".join("truth" if kind == "boolean" else kind for kind in kinds)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
