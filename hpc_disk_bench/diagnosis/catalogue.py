"""The catalogue of codes: what docs/diagnoses/HDB###.md say, one page a code.

The pages are the single source of a code's title and remedy. A page is

    # HDB012 no space left on device
    ## What it means
    ## Why it matters
    ## How to fix it        its first paragraph, in one sentence, is the remedy that a run prints
    ## What it looks like   evidence as a run has it
"""

import functools
import re
from pathlib import Path
from typing import NamedTuple

from hpc_disk_bench.errors import UserError

PAGES = Path(__file__).resolve().parents[2] / "docs" / "diagnoses"
CODE = re.compile(r"HDB\d{3}")
HEADING = re.compile(r"# (?P<code>HDB\d{3}) (?P<title>\S.*)\n")
REMEDY = re.compile(r"^## How to fix it\n+(?P<paragraph>.+?)\n(?:\n|\Z)", re.MULTILINE | re.DOTALL)


class Entry(NamedTuple):
    code: str  # HDB012
    title: str  # no space left on device
    remedy: str  # one line
    page: str  # the whole page, Markdown


@functools.cache
def entry(code):
    """The Entry of a code; UserError (exit code 2) where there is no page of that code."""
    page = PAGES / f"{code}.md"
    if not CODE.fullmatch(code):
        raise UserError(f"{code!r}: a code has three digits: HDB012; {PAGES} has them all")
    try:
        text = page.read_text("utf-8")
    except OSError as error:
        raise UserError(f"{code}: no such diagnosis ({page}: {error.strerror})") from error
    heading, remedy = HEADING.match(text), REMEDY.search(text)
    if not heading or heading["code"] != code or not remedy:
        raise UserError(f"{page}: lacks '# {code} title' or a paragraph in '## How to fix it'")
    return Entry(code, heading["title"].strip(), " ".join(remedy["paragraph"].split()), text)


def entries():
    """Every Entry, in the order of their codes."""
    return [entry(page.stem) for page in sorted(PAGES.glob("HDB[0-9][0-9][0-9].md"))]
