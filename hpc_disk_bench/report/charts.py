"""What a cell hands on: a Chart, a Table, or a sentence in place of what is missing."""

from __future__ import annotations

from dataclasses import dataclass, field

import plotly.graph_objects as go


@dataclass
class Chart:
    """A figure with what a reader needs to read it.

    `title` holds the unit; `caption` says how to read it; `alt` says what it shows, for who cannot
    see it. `narrow` are the layout's changes for a phone. Points carry the run's number as their
    id, so that the page can filter them.
    """

    name: str
    title: str
    figure: go.Figure
    caption: str
    alt: str
    height: int = 420
    narrow: dict | None = None
    narrow_height: int | None = None
    min_width: int | None = None  # below it the figure scrolls
    derive: dict | None = None  # how the page draws it of the runs that a filter leaves


@dataclass
class Column:
    """One column of a Table: `values` are shown by `show` and sorted and exported as they are."""

    title: str
    values: list
    show: list[str] | None = None
    numeric: bool = False
    html: bool = False  # `show` is markup of the package's own, already escaped
    wide: bool = False  # sentences, which wrap
    derive: dict | None = None  # how the page computes it of the runs that a filter leaves


FEW_ROWS = 5  # that need no search


@dataclass
class Table:
    name: str
    title: str
    columns: list[Column]
    caption: str
    muted: list[bool] = field(default_factory=list)  # rows of runs that do not count
    wrap: bool = False  # cells wrap, so that a few columns of words fit
    page: int = 25
    search: bool = True
    runs: list | None = None  # behind each row: its number, a list of numbers, or ALL
    of: list | None = None  # for each row the figure that its columns are computed of
    used: str = "counting"  # of a row's runs those that count; "best": all, where none counts

    @property
    def rows(self):
        return len(self.columns[0].values) if self.columns else 0

    @property
    def searched(self):
        """Whether it has a box to search in."""
        return self.search and self.rows > FEW_ROWS


ALL = "*"


@dataclass
class Missing:
    """The sentence in place of a figure or table: what is missing and how to get it."""

    title: str
    sentence: str


def column(title, values, **more):
    return Column(title, list(values), **more)


def derived(how, of=None, **more):
    """How the page computes a column again; docs/report.md lists the ways."""
    return {"how": how, **({"of": of} if of else {}), **more}
