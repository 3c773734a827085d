"""Small pieces of HTML. Everything that comes from the table goes through escape()."""

from __future__ import annotations

import html


def escape(text):
    """`text` as HTML text or attribute. Backticks too: markup stands in a fence of them."""
    return (
        html.escape("".join(map(_visible, str(text)))).replace("`", "&#96;").replace("\n", "&#10;")
    )


def _visible(character):
    """Control characters and lone surrogates have no place in a page; blanks of all kinds do."""
    fine = character.isprintable() or character.isspace()
    return character if fine else "\N{REPLACEMENT CHARACTER}"


def tag(name, *inside, **attributes):
    """<name attributes>inside</name>; `inside` is markup, attribute values are escaped here."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(inside)}</{name}>"


def badge(state):
    """The state of a run as a word in a shape: never told by colour alone."""
    sign = {"complete": "✓", "valid": "✓", "suspect": "?"}.get(state, "✗")
    kind = {"✓": "good", "?": "doubt"}.get(sign, "bad")
    return tag("span", f"{sign} {escape(state)}", class_=f"hdb-badge hdb-{kind}")


def items(sentences):
    return tag("ul", *[tag("li", sentence) for sentence in sentences])
