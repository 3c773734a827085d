"""The tree of a document becomes HTML as Quarto's readers expect it."""

import re

import pytest

from hpc_disk_bench.render.document import DocumentError, parse
from hpc_disk_bench.render.prose import Prose


def prose(text, directory=None, taken=()):
    made = Prose(directory, taken)
    return made, made.html(parse(text.split("\n")))


def html(text, directory=None):
    return prose(text, directory)[1]


def test_headings_get_ids_from_their_words_and_a_number_where_one_is_taken():
    made, text = prose("# Is it *fast*?\n\n## 2 Local vs. NFS\n\n## Is it fast\n")
    assert [(h.level, h.id, h.text) for h in made.headings] == [
        (1, "is-it-fast", "Is it fast?"),
        (2, "local-vs.-nfs", "2 Local vs. NFS"),
        (2, "is-it-fast-1", "Is it fast"),
    ]
    assert '<h2 id="local-vs.-nfs">2 Local vs. NFS</h2>' in text


def test_a_heading_keeps_the_id_and_classes_it_is_given():
    made, text = prose("## Scores {#top .unlisted}\n")
    assert text == '<h2 id="top" class="unlisted">Scores</h2>\n'
    assert made.headings == []


def test_markdown_has_tables_quotes_dashes_and_spans():
    text = html('| a | b |\n|--|--:|\n| 1 | 2 |\n\n"so" -- [red]{.x}\n')
    assert "<td>1</td>" in text
    assert "“so” \N{EN DASH} " in text
    assert '<span class="x">red</span>' in text


def test_code_is_shown_with_its_marks_escaped():
    assert "&lt;b&gt;" in html("```text\n<b>\n```\n")
    assert "a &lt; b" in html("```nosuchlanguage\na < b\n```\n")


def test_a_callout_takes_its_title_from_its_heading():
    made, text = prose("::: {.callout-warning}\n## Mind *this*\nWords.\n:::\n")
    assert 'class="callout callout-warning" role="note"' in text
    assert '<p class="callout-title">Mind <em>this</em></p>' in text
    assert "<p>Words.</p>" in text
    assert made.headings == []


def test_a_callout_without_a_title_is_named_by_its_kind():
    assert '<p class="callout-title">Tip</p>' in html("::: {.callout-tip}\nWords.\n:::\n")


def test_a_collapsed_callout_opens_on_demand():
    text = html('::: {.callout-note collapse="true" title="More"}\nWords.\n:::\n')
    assert re.match(r"<details class=\"callout callout-note\"><summary[^>]*>More</summary>", text)


def test_a_tabset_has_a_tab_for_each_of_its_headings():
    text = html(
        "::: {.panel-tabset}\n### One\nfirst\n```\n### no tab\n```\n#### inside\n"
        "### Two\nsecond\n:::\n"
    )
    assert re.findall(r'role="tab" [^>]*>(.*?)</button>', text) == ["One", "Two"]
    one, two = re.findall(r'role="tabpanel"(.*?)\n</div>', text, re.DOTALL)
    assert all(words in one for words in ("first", "### no tab", "inside</h4>"))
    assert "second" in two
    assert "first" not in two
    controls = re.findall(r'aria-controls="([^"]+)"', text)
    assert all(f'id="{name}"' in text for name in controls)


def test_raw_html_stands_in_the_page_as_it_was_written():
    raw = '<div data-spec=\'{"a": "*b*"}\'>&lt; _x_</div>'
    assert html(f"Before\n\n```{{=html}}\n{raw}\n```\n").endswith(raw)


def test_attributes_of_a_div_are_escaped():
    assert html("::: {.a title=\"<b> & 'c'\"}\nx\n:::\n").startswith(
        '<div class="a" title="&lt;b&gt; &amp; &#x27;c&#x27;">'
    )


def test_a_picture_beside_the_document_is_put_into_the_page(tmp_path):
    (tmp_path / "a b.png").write_bytes(b"\x89PNG")
    text = html("![A dot](a%20b.png)\n", tmp_path)
    assert re.search(r'src="data:image/png;base64,iVBORw==?"', text)
    assert 'alt="A dot"' in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("![x](https://example.org/x.png)", "would be fetched"),
        ("![x](none.png)", "No such file"),
        ("`{python} 1 + 1`", "inline code"),
        ("{{< include other.qmd >}}", "shortcodes are not known"),
        ("::: {.panel-tabset}\nno heading\n:::", "has no tabs"),
    ],
)
def test_what_would_come_out_wrong_is_refused_with_its_line(tmp_path, text, words):
    with pytest.raises(DocumentError, match=words) as error:
        html(f"Words.\n\n{text}\n", tmp_path)
    assert error.value.line == 3
