"""The tree of a document to HTML: Markdown, headings with ids, callouts and tabsets."""

from __future__ import annotations

import base64
import html
import mimetypes
import re
from dataclasses import dataclass
from urllib.parse import unquote

from markdown_it import MarkdownIt
from mdit_py_plugins.attrs import attrs_plugin
from mdit_py_plugins.deflist import deflist_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from hpc_disk_bench.render.document import Attributes, DocumentError, Raw, Text, attributes

CALLOUTS = ("note", "tip", "important", "warning", "caution")
_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TRAILING = re.compile(r"\s*(\{[^{}]*\})\s*$")
_EXTERNAL = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


@dataclass
class Heading:
    level: int
    id: str
    text: str


class Prose:
    """Renders nodes. `headings` collects those that belong into the table of contents."""

    def __init__(self, directory, taken=()):
        self.directory = directory
        self.headings = []
        self.ids = set(taken)
        self._tabsets = 0
        self._markdown = self._parser()

    def html(self, nodes):
        return "\n".join(self._node(node) for node in nodes)

    def inline(self, markdown):
        return self._markdown.renderInline(markdown)

    def _node(self, node):
        if isinstance(node, Raw):
            return node.html
        if isinstance(node, Text):
            return self._text(node)
        for name in node.attributes.classes:
            if name == "panel-tabset":
                return self._tabset(node)
            if name.startswith("callout-") and name[8:] in CALLOUTS:
                return self._callout(node, name[8:])
        return f"<div{self._written(node.attributes)}>\n{self.html(node.children)}\n</div>"

    def _text(self, node):
        try:
            return self._markdown.render(node.markdown)
        except DocumentError as error:
            error.line = node.line + (0 if node.printed else error.line)
            raise

    def _callout(self, node, kind):
        found, children = node.attributes, node.children
        title = found.values.get("title")
        if title is None and children and isinstance(children[0], Text):
            first, _, rest = children[0].markdown.strip("\n").partition("\n")
            match = _HEADING.match(first)
            if match:
                title, children = match[2], [Text(rest, children[0].line + 1), *children[1:]]
        title = self.inline(title or kind.capitalize())
        body = f'<div class="callout-body">\n{self.html(children)}\n</div>'
        written = self._written(Attributes(found.id, ["callout", *found.classes]))
        if "collapse" in found.values:
            state = " open" if found.values["collapse"] == "false" else ""
            summary = f'<summary class="callout-title">{title}</summary>'
            return f"<details{written}{state}>{summary}{body}</details>"
        return f'<div{written} role="note"><p class="callout-title">{title}</p>{body}</div>'

    def _tabset(self, node):
        self._tabsets += 1
        before, tabs = _split_tabs(node)
        name = f"tabset-{self._tabsets}"
        buttons, panels = [], []
        for k, (title, children) in enumerate(tabs, 1):
            label = self.inline(_TRAILING.sub("", title))
            buttons.append(
                f'<button type="button" role="tab" id="{name}-{k}" aria-controls="{name}-{k}-panel"'
                f' aria-selected="{str(k == 1).lower()}">{label}</button>'
            )
            panels.append(
                f'<div role="tabpanel" id="{name}-{k}-panel" aria-labelledby="{name}-{k}">\n'
                f'<p class="tab-title" aria-hidden="true">{label}</p>\n'
                f"{self.html(children)}\n</div>"
            )
        written = self._written(Attributes(node.attributes.id, node.attributes.classes))
        strip = f'<div role="tablist">{"".join(buttons)}</div>'
        return f"{self.html(before)}<div{written}>\n{strip}\n{''.join(panels)}\n</div>"

    def _written(self, found):
        """Attributes as they stand in a tag. An id that another element has is left out."""
        words = ""
        if found.id and found.id not in self.ids:
            self.ids.add(found.id)
            words = f' id="{html.escape(found.id)}"'
        if found.classes:
            words += f' class="{html.escape(" ".join(found.classes))}"'
        for name, value in found.values.items():
            words += f' {html.escape(name)}="{html.escape(value)}"'
        return words

    def _parser(self):
        options = {"html": True, "typographer": True, "highlight": _block}
        parser = MarkdownIt("commonmark", options)
        parser.enable(["table", "strikethrough", "smartquotes", "replacements"])
        parser.use(attrs_plugin, spans=True).use(deflist_plugin)
        parser.core.ruler.before("inline", "heading_attributes", _heading_attributes)
        parser.core.ruler.push("heading_ids", self._heading_ids)
        parser.core.ruler.push("pictures", self._pictures)
        parser.core.ruler.push("unsupported", _unsupported)
        # A table scrolls by itself where the screen is narrower.
        parser.add_render_rule("table_open", lambda *_: '<div class="table-scroll"><table>\n')
        parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
        return parser

    def _heading_ids(self, state):
        for k, token in enumerate(state.tokens):
            if token.type != "heading_open":
                continue
            text = _plain(state.tokens[k + 1])
            identity = token.attrGet("id")
            if identity is None:
                identity = self._new_id(text)
                token.attrSet("id", identity)
            self.ids.add(identity)
            if "unlisted" not in str(token.attrGet("class") or "").split():
                self.headings.append(Heading(int(token.tag[1]), identity, text))

    def _new_id(self, text):
        """An id as pandoc makes it: lower case, words joined by -, a number where it is taken."""
        kept = re.sub(r"[^\w\s.-]", "", text.lower())
        stem = re.sub(r"^[^a-z]+", "", re.sub(r"\s+", "-", kept.strip())) or "section"
        identity, k = stem, 0
        while identity in self.ids:
            k += 1
            identity = f"{stem}-{k}"
        return identity

    def _pictures(self, state):
        for token in state.tokens:
            for child in token.children or ():
                if child.type == "image":
                    source = str(child.attrGet("src"))
                    child.attrSet("src", self._embedded(source, token.map[0]))

    def _embedded(self, source, line):
        if source.startswith("data:"):
            return source
        if _EXTERNAL.match(source):
            raise DocumentError(line, f"picture {source} would be fetched: keep a copy beside it")
        path = self.directory / unquote(source)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise DocumentError(line, f"picture {path}: {error.strerror}") from error
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def highlighted(code, language):
    """`code` as a block with its syntax marked, or plain where the language is not known."""
    try:
        lexer = get_lexer_by_name(language or "text", stripnl=False)
        inside = highlight(code, lexer, HtmlFormatter(nowrap=True)).rstrip("\n")
    except ClassNotFound:
        inside = html.escape(code.rstrip("\n"))
    return f'<pre class="sourceCode"><code>{inside}</code></pre>'


def _block(code, language, _):
    return highlighted(code, language)


def _heading_attributes(state):
    for k, token in enumerate(state.tokens):
        if token.type != "heading_open":
            continue
        inline = state.tokens[k + 1]
        match = _TRAILING.search(inline.content)
        if not match:
            continue
        found = attributes(match[1], inline.map[0])
        inline.content = inline.content[: match.start()]
        if found.id:
            token.attrSet("id", found.id)
        if found.classes:
            token.attrSet("class", " ".join(found.classes))
        for name, value in found.values.items():
            token.attrSet(name, value)


def _unsupported(state):
    """Refuse what Quarto would act on and this renderer would print as it stands."""
    for token in state.tokens:
        for child in token.children or ():
            words = child.content.strip()
            if child.type == "code_inline" and re.match(r"\{\w+\} ", words):
                raise DocumentError(token.map[0], f"inline code `{words}` is not run here")
            if child.type == "text" and "{{<" in words:
                raise DocumentError(token.map[0], f"shortcodes are not known here: {words}")


def _plain(inline):
    """The words of an inline token, without marks."""
    return "".join(
        child.content if child.type in ("text", "code_inline") else " "
        for child in inline.children or ()
        if child.type in ("text", "code_inline", "softbreak", "hardbreak")
    )


def _split_tabs(tabset):
    """What stands before the first heading, and (title, nodes) for each heading of its level."""
    before, tabs, level = [], [], None
    for node in tabset.children:
        if not isinstance(node, Text):
            (tabs[-1][1] if tabs else before).append(node)
            continue
        kept, fence = [], None
        for line in node.markdown.split("\n"):
            mark = _FENCE.match(line)
            if mark and fence is None:
                fence = mark[1]
            elif mark and mark[1].startswith(fence):
                fence = None
            match = None if fence else _HEADING.match(line)
            if match and level in (None, len(match[1])):
                level = len(match[1])
                _add(tabs[-1][1] if tabs else before, kept, node.line)
                tabs.append((match[2], []))
                kept = []
            else:
                kept.append(line)
        _add(tabs[-1][1] if tabs else before, kept, node.line)
    if not tabs:
        raise DocumentError(tabset.line, "a panel-tabset without headings has no tabs")
    return before, tabs


def _add(nodes, lines, line):
    if "".join(lines).strip():
        nodes.append(Text("\n".join(lines), line))
