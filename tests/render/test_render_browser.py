"""The page in a real browser: it fetches nothing, follows the reader, and fits every screen."""

import http.server
import os
import subprocess
import sys
import threading

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright (requirements/dev.in)")

SECTIONS = "".join(f"## Section {k}\n\n" + "Words of it. " * 300 + "\n\n" for k in range(1, 9))
DOCUMENT = f"""---
title: A page to read
subtitle: With a long subtitle that has to wrap on a narrow screen without moving anything
toc: true
format:
  html:
    code-fold: true
---

Opening words.

```{{python}}
print("a line that is longer than a phone is wide " * 5)
```

::: {{.panel-tabset}}
### First
In the first tab.

### Second
In the second tab.

### Third
In the third tab.
:::

::: {{.callout-note collapse="true" title="More"}}
Folded words.
:::

{SECTIONS}

| a very long heading | another very long heading | a third one | a fourth one | a fifth one |
|---|---|---|---|---|
| a_name_without_any_blank_in_it_at_all | 1 | 2 | 3 | 4 |

<a id="outside" href="https://example.org/">out</a>
"""


@pytest.fixture(scope="module")
def rendered(root, tmp_path_factory):
    """rendered(text): the page of that document, rendered once."""
    pages = {}

    def page(text):
        if text not in pages:
            path = tmp_path_factory.mktemp("page") / "doc.qmd"
            path.write_text(text, encoding="utf-8")
            command = [sys.executable, "-m", "hpc_disk_bench.render", path]
            environ = {**os.environ, "PYTHONPATH": str(root)}
            subprocess.run(command, env=environ, check=True, capture_output=True)
            pages[text] = path.with_suffix(".html")
        return pages[text]

    return page


@pytest.fixture
def view(browser, rendered):
    """view(text, **how): the document's page, opened; page.said is its console, page.asked its
    requests to anything but the file itself."""
    contexts = []

    def opened(text=DOCUMENT, **how):
        path = rendered(text)
        contexts.append(browser.new_context(**how))
        page = contexts[-1].new_page()
        page.said, page.asked = [], []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(path.as_uri())
        page.asked = page.asked[1:]
        return page

    yield opened
    for context in contexts:
        context.close()


def visible_tab(page):
    return page.locator("[role=tabpanel]:visible").inner_text().strip()


def scroll_to(page, heading):
    page.evaluate(
        "id => document.getElementById(id).scrollIntoView({behavior: 'instant'})", heading
    )


def test_it_opens_without_a_word_on_the_console_and_without_a_request(view):
    page = view()
    assert (page.said, page.asked) == ([], [])
    assert page.title() == "A page to read"


class Server(http.server.ThreadingHTTPServer):
    """Notes who asks it for what."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
        self.asked = []

    def finish_request(self, request, client_address):
        self.asked.append(request.recv(100))


def test_whatever_a_document_brings_the_browser_fetches_nothing(view):
    with Server() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        there = f"http://127.0.0.1:{server.server_port}"
        fetching = (
            f"<img src='{there}/a.png'><link rel=stylesheet href='{there}/b.css'>"
            f"<script src='{there}/c.js'></script>"
            f"<script>fetch('{there}/d').catch(() => 0)</script>"
        )
        page = view(DOCUMENT.replace("Opening words.", f"```{{=html}}\n{fetching}\n```\n"))
        page.wait_for_timeout(300)
        server.shutdown()
    assert server.asked == []
    assert len(page.said) >= 4
    assert all("Content Security Policy" in line for line in page.said)


def test_the_contents_follow_what_is_read(view):
    page = view(viewport={"width": 1300, "height": 800})
    sync_api.expect(page.locator("#TOC [aria-current]")).to_have_text("Section 1")
    for section in ("section-5", "section-2"):
        scroll_to(page, section)
        wanted = section.replace("-", " ").capitalize()
        sync_api.expect(page.locator("#TOC [aria-current]")).to_have_text(wanted)
    page.evaluate("window.scrollTo({top: document.body.scrollHeight, behavior: 'instant'})")
    sync_api.expect(page.locator("#TOC [aria-current]")).to_have_text("Section 8")
    assert page.locator("#TOC").bounding_box()["y"] >= 0


def test_a_click_in_the_contents_goes_to_the_section(view):
    page = view(viewport={"width": 1300, "height": 800})
    page.click("#TOC a[href='#section-6']")
    sync_api.expect(page.locator("#section-6")).to_be_in_viewport()
    assert page.url.endswith("#section-6")


def test_tabs_change_by_mouse_and_by_keyboard(view):
    page = view()
    assert visible_tab(page) == "In the first tab."
    page.get_by_role("tab", name="Second").click()
    assert visible_tab(page) == "In the second tab."
    page.keyboard.press("ArrowRight")
    assert visible_tab(page) == "In the third tab."
    page.keyboard.press("ArrowRight")
    assert visible_tab(page) == "In the first tab."
    page.keyboard.press("End")
    assert visible_tab(page) == "In the third tab."
    assert page.locator("[role=tab][aria-selected=true]").inner_text() == "Third"


def test_folded_words_open_on_demand(view):
    page = view()
    assert not page.get_by_text("Folded words.").is_visible()
    page.get_by_text("More", exact=True).click()
    assert page.get_by_text("Folded words.").is_visible()
    assert not page.get_by_text("a line that is longer").first.is_visible()
    page.get_by_text("Code", exact=True).click()
    assert page.locator("code", has_text="a line that is longer").is_visible()


@pytest.mark.parametrize("width", [320, 390, 800, 1300, 2200])
def test_nothing_is_wider_than_the_screen(view, width):
    page = view(viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_on_a_phone_the_contents_are_a_bar_that_opens_and_closes_again(view):
    page = view(viewport={"width": 390, "height": 800}, has_touch=True)
    link = page.locator("#TOC a[href='#section-4']")
    assert not link.is_visible()
    page.get_by_text("Contents").tap()
    link.tap()
    sync_api.expect(page.locator("#section-4")).to_be_in_viewport()
    assert not link.is_visible()
    heading = page.locator("#section-4").bounding_box()
    bar = page.locator("#TOC").bounding_box()
    assert heading["y"] >= bar["y"] + bar["height"]


def contrast(page, selector):
    """The contrast of an element's text with the page's ground, as WCAG counts it."""
    return page.evaluate(
        """selector => {
            const light = (colour) => {
              const parts = colour.match(/[0-9.]+/g).slice(0, 3).map((part) => part / 255);
              const linear = parts.map((c) =>
                c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
              return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
            };
            const ink = light(getComputedStyle(document.querySelector(selector)).color);
            const ground = light(getComputedStyle(document.body).backgroundColor);
            return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
        }""",
        selector,
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_light_and_dark(view, scheme):
    page = view(color_scheme=scheme)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    for selector in ("main p", ".subtitle", "#TOC a:not([aria-current])", "main a", "summary"):
        assert contrast(page, selector) >= 4.5, selector


def test_a_document_can_choose_the_theme_against_the_system(view):
    page = view(color_scheme="light")
    page.evaluate("document.documentElement.dataset.hdbTheme = 'dark'")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 29)"


def test_on_paper_all_tabs_are_shown_and_nothing_that_only_a_screen_can_do(view):
    page = view(color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    for words in ("In the first tab.", "In the second tab.", "In the third tab."):
        assert page.get_by_text(words).is_visible()
    assert not page.locator("#TOC").is_visible()
    assert not page.get_by_role("tab", name="Second").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_it_can_be_used_without_a_mouse(view):
    page = view(viewport={"width": 1300, "height": 800})
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.tagName") == "MAIN"


def test_without_scripts_all_of_it_reads(view):
    page = view(java_script_enabled=False)
    for words in ("In the first tab.", "In the third tab.", "Opening words."):
        assert page.get_by_text(words).is_visible()


def test_landmarks_and_headings_tell_a_screen_reader_where_it_is(view):
    page = view()
    assert page.get_by_role("main").count() == 1
    assert page.get_by_role("heading", level=1).all_inner_texts() == ["A page to read"]
    assert page.locator("#TOC").get_attribute("aria-label") == "Contents"
    assert page.locator("html").get_attribute("lang") == "en"
