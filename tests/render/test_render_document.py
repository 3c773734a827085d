"""A .qmd file becomes a title block and a tree of prose, raw HTML, divs and cells."""

import pytest

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.render.document import Cell, Div, Raw, Text, parse, read

CELL = "```{python}\n#| label: first\n#| echo: false\nx = 1\ny = 2\n```\n"


def kinds(nodes):
    return [type(node) for node in nodes]


def test_the_title_block_is_read_as_yaml_and_left_out_of_the_text(write):
    document = read(write("---\ntitle: A\nformat:\n  html:\n    toc: true\n---\nWords.\n"))
    assert document.meta["title"] == "A"
    assert document.option("toc") is True
    assert document.body == [Text("Words.\n", 7)]


def test_a_cell_has_its_options_its_source_and_their_lines(write):
    document = read(write(f"Before.\n\n{CELL}\nAfter.\n"))
    (cell,) = document.cells
    assert (cell.label, cell.options["echo"], cell.source) == ("first", False, "x = 1\ny = 2")
    assert (cell.line, cell.first_line) == (3, 6)
    assert kinds(document.body) == [Text, Cell, Text]


def test_a_cell_without_a_label_is_named_by_its_number(write):
    document = read(write(CELL + "```{python}\nz = 3\n```\n"))
    assert [cell.label for cell in document.cells] == ["first", "cell-2"]


def test_an_option_of_a_cell_goes_before_that_of_the_format_and_of_the_document(write):
    block = "---\nexecute:\n  echo: false\nformat:\n  html:\n    code-fold: true\n---\n"
    document = read(write(block + "```{python}\n#| code-fold: show\n1\n```\n```{python}\n2\n```\n"))
    one, two = document.cells
    assert document.option("code-fold", cell=one) == "show"
    assert document.option("code-fold", cell=two) is True
    assert document.option("echo", True, two) is False


def test_divs_nest_and_hold_cells():
    cells = []
    lines = f":::: {{#a .b c='d'}}\nx\n::: callout-note\n{CELL}:::\n::::\n".split("\n")
    (div,) = parse(lines, cells=cells)
    assert (div.attributes.id, div.attributes.classes, div.attributes.values) == (
        "a", ["b"], {"c": "d"},
    )  # fmt: skip
    assert kinds(div.children) == [Text, Div]
    assert div.children[1].children == cells


def test_raw_html_is_kept_byte_for_byte():
    html = "<div data-x='a  *b*'>&amp;\t_c_</div>  \n\n    four blanks"
    (raw,) = parse(f"```{{=html}}\n{html}\n```".split("\n"))
    assert raw == Raw(html)


def test_what_stands_in_a_longer_fence_is_neither_cell_nor_div_nor_raw():
    lines = f"````markdown\n{CELL}::: x\n```{{=html}}\n<b>\n```\n````\n".split("\n")
    assert kinds(parse(lines, cells=[])) == [Text]


def test_raw_text_for_another_format_is_left_out():
    assert parse(["```{=latex}", "\\newpage", "```"]) == [Raw("")]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("---\ntitle: [\n---\n", 2, "title block"),
        ("---\ntitle: A\n", 1, "no closing ---"),
        ("a\n\n```{python}\nx = 1\n", 3, "never closed"),
        ("a\n::: {.x}\nb\n", 2, "never closed"),
        ("a\n\n:::\n", 3, "closes nothing"),
        ("```{r}\n1\n```\n", 1, "cells of {r} cannot be run"),
        ("```{python, echo=FALSE}\n1\n```\n", 1, "options stand in lines #|"),
        ("\n```{python}\n#| label: [\n1\n```\n", 3, "cell options"),
        ("\n```{python}\n#| lable: x\n1\n```\n", 2, "cell option lable is not known"),
        (CELL + CELL, 7, "label first stands at two cells"),
        ("::: {.a b}\n:::\n", 1, "cannot be read"),
    ],
)
def test_a_mistake_is_named_with_file_and_line(write, text, line, words):
    path = write(text)
    with pytest.raises(UserError) as error:
        read(path)
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_document_that_is_not_there_or_no_text_is_named(tmp_path):
    with pytest.raises(UserError, match=r"none\.qmd: cannot be read: No such file"):
        read(tmp_path / "none.qmd")
    (tmp_path / "bytes.qmd").write_bytes(b"a\xff")
    with pytest.raises(UserError, match=r"bytes\.qmd: not UTF-8 text"):
        read(tmp_path / "bytes.qmd")


def test_lines_of_a_document_from_windows_end_as_others_do(tmp_path):
    (tmp_path / "w.qmd").write_bytes(b"\xef\xbb\xbf---\r\ntitle: W\r\n---\r\n" + CELL.encode())
    document = read(tmp_path / "w.qmd")
    assert document.meta == {"title": "W"}
    assert document.cells[0].label == "first"
