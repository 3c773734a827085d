"""What a reader sees of a table on the page, and does with it."""

from __future__ import annotations

import re


def rows_of(tab, name):
    """The visible rows of a table, as lists of what their cells show."""
    rows = tab.locator(f"#table-{name} tbody tr:not([hidden])")
    return rows.evaluate_all("(rows) => rows.map((row) => [...row.cells].map((c) => c.innerText))")


def column_of(tab, name, title):
    heads = tab.locator(f"#table-{name} thead th").all_inner_texts()
    place = next(k for k, head in enumerate(heads) if head == title)
    return [row[place] for row in rows_of(tab, name)]


def sort(tab, name, title):
    tab.locator(f"#table-{name} thead").get_by_role("button", name=title, exact=True).click()


def numbers(texts):
    return [float(re.sub(r"\s", "", text)) for text in texts if text]
