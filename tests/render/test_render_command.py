"""The renderer runs a document's cells in a real kernel and writes one page, or keeps the old."""

import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time

import pytest

BLOCK = "---\ntitle: A trial\ntoc: true\n---\n\n"


def cell(source, *options):
    return "\n".join(["```{python}", *(f"#| {option}" for option in options), source, "```"]) + "\n"


def main_of(path):
    """What stands between <main> and </main> of a page."""
    return re.search(r"<main.*?>(.*)</main>", path.read_text("utf-8"), re.DOTALL)[1]


def test_it_says_which_cell_it_is_at_as_quarto_does(write, render):
    path = write(BLOCK + cell("1", "label: setup") + cell("2", "label: score-table"))
    done = render(path)
    assert done.stdout.splitlines() == [
        "Starting python3 kernel...Done",
        "",
        "Executing 'doc.qmd'",
        "  Cell 1/2: 'setup'.........Done",
        "  Cell 2/2: 'score-table'...Done",
        "",
        f"Output created: {path.with_suffix('.html')}",
    ]
    assert (done.returncode, done.stderr) == (0, "")


def test_what_a_cell_printed_as_is_becomes_part_of_the_document(write, render):
    raw = "<div data-x=\"{&quot;a&quot;: '*b*'}\">a  <b>b</b></div>"
    printing = f"print('## Found\\n\\n*words*\\n\\n```{{=html}}\\n' + {raw!r} + '\\n```\\n')"
    path = write(BLOCK + cell(printing, "output: asis", "echo: false"))
    assert render(path).returncode == 0
    text = main_of(path.with_suffix(".html"))
    assert '<h2 id="found">Found</h2>' in text
    assert "<em>words</em>" in text
    assert raw in text
    assert '<a href="#found">Found</a>' in path.with_suffix(".html").read_text("utf-8")


def test_a_megabyte_of_raw_html_comes_through_unchanged(write, render):
    line = '{"x":[1,2],"name":"*a* _b_ `c` | <d> \\\\u0060 — \\u00e4"}'
    printing = f"print('```{{=html}}\\n' + {line!r} * 20000 + '\\n```')"
    path = write(BLOCK + cell(printing, "output: asis", "echo: false"))
    assert render(path).returncode == 0
    assert eval(repr(line)) * 20000 in path.with_suffix(".html").read_text("utf-8")


def test_what_is_printed_bit_by_bit_is_read_as_one(write, render):
    printing = (
        "import sys, time\n"
        "for part in ('```{=html}', '<p class=one>', 'slow</p>', '```'):\n"
        "    print(part, flush=True)\n"
        "    print('aside', file=sys.stderr, flush=True)\n"
        "    time.sleep(0.3)"
    )
    path = write(BLOCK + cell(printing, "output: asis", "echo: false", "warning: false"))
    done = render(path)
    assert done.returncode == 0, done.stderr
    assert "<p class=one>\nslow</p>" in main_of(path.with_suffix(".html"))


def test_options_decide_what_of_a_cell_is_shown(write, render):
    path = write(
        BLOCK
        + cell("print('shown-a')", "code-fold: true")
        + cell("print('hidden-' + 'b')", "include: false")
        + cell("print('hidden-' + 'c')", "output: false", "echo: false")
        + cell("open('ran', 'w')", "eval: false")
        + cell("import sys; print('hidden-' + 'd', file=sys.stderr)", "warning: false")
        + cell("import sys; print('shown-' + 'e', file=sys.stderr)", "echo: false")
    )
    assert render(path).returncode == 0
    text = main_of(path.with_suffix(".html"))
    assert re.search(
        r"<details class=\"code-fold\"><summary>Code</summary>.*print", text, re.DOTALL
    )
    assert '<pre class="cell-output stdout">shown-a' in text
    assert '<pre class="cell-output stderr">shown-e' in text
    assert not re.search(r"hidden-[bcd]", text)
    assert not (path.parent / "ran").exists()


def test_no_two_elements_have_the_same_id(write, render):
    path = write(
        BLOCK
        + "## Top performers\n"
        + cell("print(1)", "label: top-performers")
        + cell("print(2)", "label: given")
        + "## Anything {#given}\n\n::: {#given .x}\nwords\n:::\n"
        + cell("print(3)", "label: later")
        + "## Later\n"
    )
    assert render(path).returncode == 0
    text = main_of(path.with_suffix(".html"))
    ids = re.findall(r'\sid="([^"]+)"', text)
    assert sorted(ids) == ["given", "later", "later-1", "title-block-header", "top-performers"]
    assert '<h2 id="given">' in text
    assert re.findall(r'data-label="([^"]+)"', text) == ["top-performers", "given", "later"]


def test_a_picture_and_a_table_have_their_captions(write, render):
    dot = (
        "from IPython.display import Image, HTML, display\nimport base64\n"
        "dot = base64.b64decode('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=')\n"
        "display(Image(dot, format='gif'))"
    )
    path = write(
        BLOCK
        + cell(dot, "fig-cap: A *dot*", "fig-alt: One dot", "echo: false")
        + cell("HTML('<table><tr><td>7</td></tr></table>')", "tbl-cap: Rows", "echo: false")
    )
    assert render(path).returncode == 0
    text = main_of(path.with_suffix(".html"))
    assert 'src="data:image/gif;base64,R0lGOD' in text
    assert 'alt="One dot"' in text
    assert "<figcaption>\n<p>A <em>dot</em></p>" in text
    assert re.search(r'<figure class="table">\s*<figcaption>\s*<p>Rows</p>', text)


def test_text_that_a_cell_prints_is_never_markup(write, render):
    path = write(BLOCK + cell("print('<script>alert(1)</script>')", "echo: false"))
    assert render(path).returncode == 0
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in main_of(path.with_suffix(".html"))


def test_a_cell_that_raises_ends_it_with_the_line_and_the_old_page_stays(write, render, tmp_path):
    bad = "a = 1\n\ndef deep():\n    return a / 0\n\ndeep()"
    path = write(BLOCK + cell("print('fine')", "label: fine") + cell(bad, "label: bad"))
    path.with_suffix(".html").write_text("the old page")
    done = render(path)
    assert done.returncode == 1
    assert done.stdout.endswith("  Cell 2/2: 'bad'....Failed\n")
    assert done.stderr == (
        f"render: {path}:15: cell 'bad' failed: ZeroDivisionError: division by zero\n"
    )
    assert path.with_suffix(".html").read_text() == "the old page"
    assert os.listdir(render.scratch) == []


def test_a_cell_that_cannot_be_parsed_is_named_by_its_line(write, render):
    path = write(BLOCK + cell("x = 1\ny = (", "label: bad"))
    done = render(path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"render: {path}:9: cell 'bad' failed: ")
    assert "SyntaxError" in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_error_of_many_lines_is_told_in_one(write, render):
    path = write(BLOCK + cell("raise ValueError('one\\ntwo')", "label: bad"))
    assert render(path).stderr.endswith("cell 'bad' failed: ValueError: one two\n")


def test_a_table_that_is_none_is_told_without_the_cell(write, render, tmp_path):
    path = write(BLOCK + cell("from hpc_disk_bench.report import load\nload.table()", "label: bad"))
    done = render(path, IO500_TABLE=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        f"render: {tmp_path}: a directory, not a table: name the table in it,"
        f" or make one with ./aggregate_results.py {tmp_path}\n"
    )
    assert not path.with_suffix(".html").exists()


def test_a_kernel_that_dies_is_told_with_the_cell(write, render, tmp_path):
    path = write(BLOCK + cell("import os, signal; os.kill(os.getpid(), 9)", "label: bad"))
    done = render(path)
    assert done.returncode == 1
    assert "cell 'bad' failed: the kernel died" in done.stderr
    assert not path.with_suffix(".html").exists()
    assert os.listdir(render.scratch) == []


def test_printed_markup_that_cannot_be_read_is_told_with_the_cell(write, render):
    path = write(BLOCK + cell("print('::: {.x}')", "label: bad", "output: asis"))
    done = render(path)
    assert done.returncode == 1
    assert f"{path}:6: cell 'bad' printed what cannot be read" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_and_its_kernel_and_leaves_the_old_page(write, render, tmp_path, number):
    here = tmp_path / "pid"
    waiting = f"import os, time\nopen({str(here)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)"
    path = write(BLOCK + cell(waiting, "label: waits"))
    path.with_suffix(".html").write_text("the old page")
    process = render.start(path)
    kernel = wait_for(lambda: here.exists() and here.read_text())
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert errors == f"render: {number.name}: stopped, nothing written\n"
    wait_for(lambda: not os.path.exists(f"/proc/{kernel}"))
    assert path.with_suffix(".html").read_text() == "the old page"
    assert os.listdir(render.scratch) == []


def wait_for(what, seconds=30):
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)
    return found


def test_it_works_with_a_home_that_cannot_be_written_and_leaves_no_trace(write, render, tmp_path):
    home = tmp_path / "home"
    (home / ".ipython/profile_default/startup").mkdir(parents=True)
    startup = home / ".ipython/profile_default/startup/00.py"
    startup.write_text("print('from the home')\n")
    (home / "python.py").write_text("print('from the home')\n")
    before = sorted(map(str, home.rglob("*")))
    home.chmod(stat.S_IRUSR | stat.S_IXUSR)
    path = write(BLOCK + cell("print('cell')", "echo: false"))
    done = render(path, HOME=home, PYTHONSTARTUP=home / "python.py")
    home.chmod(0o700)
    assert done.returncode == 0
    assert "from the home" not in path.with_suffix(".html").read_text("utf-8")
    assert sorted(map(str, home.rglob("*"))) == before
    assert os.listdir(render.scratch) == []


def test_a_kernel_of_another_python_in_a_home_is_not_used(write, render, tmp_path):
    spec = tmp_path / "home/.local/share/jupyter/kernels/python3/kernel.json"
    spec.parent.mkdir(parents=True)
    spec.write_text('{"argv": ["/bin/false"], "display_name": "x", "language": "python"}')
    path = write(BLOCK + cell("print('cell')"))
    assert render(path, HOME=tmp_path / "home").returncode == 0


def test_cells_run_beside_the_document_and_find_the_package_from_anywhere(write, render, tmp_path):
    path = write(
        BLOCK + cell("import os, hpc_disk_bench; print(os.getcwd(), os.environ['IO500_TABLE'])")
    )
    (tmp_path / "t.csv").write_text("a\n")
    link = tmp_path / "link.qmd"
    link.symlink_to(path)
    done = render("link.qmd", "-o", "out.html", "--table", "t.csv", PYTHONPATH=os.getcwd())
    assert done.returncode == 0, done.stderr
    assert f"{path.parent} {tmp_path / 't.csv'}" in (tmp_path / "out.html").read_text("utf-8")


def test_it_finishes_though_nobody_listens(write, render, root):
    path = write(BLOCK + cell("1") + cell("2"))
    line = f"'{sys.executable}' -m hpc_disk_bench.render '{path}' | head -n 1"
    environ = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(["bash", "-c", line], env=environ, capture_output=True, text=True)
    assert done.stderr == ""
    assert path.with_suffix(".html").exists()


def test_what_cannot_be_written_or_read_is_refused_before_a_cell_runs(write, render, tmp_path):
    path = write(BLOCK + cell(f"open({str(tmp_path / 'ran')!r}, 'w')"))
    for options, words in (
        (["-o", tmp_path], "is a directory"),
        (["-o", tmp_path / "none/o.html"], "none is no directory"),
        (["-o", "/dev/null"], "/dev/null: is no regular file"),
        (["--table", "none.csv"], "none.csv: no such table"),
        (["--table", tmp_path], "a directory, not a table"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
    ):
        done = render(path, *options)
        assert done.returncode == 2
        assert words in done.stderr
        assert done.stderr.count("\n") == 1
    assert not (tmp_path / "ran").exists()


def test_a_file_that_a_cell_writes_can_be_included_in_the_head(write, render):
    block = (
        "---\ntitle: T\nformat:\n  html:\n    include-in-header:\n      - file: head.html\n---\n"
    )
    path = write(block + cell("print(open('head.html', 'w').write('<meta name=\"mine\">'))"))
    assert render(path).returncode == 0
    head = path.with_suffix(".html").read_text("utf-8").split("<body")[0]
    assert '<meta name="mine">' in head
    (path.parent / "head.html").unlink()
    path.write_text(block)
    done = render(path)
    assert done.returncode == 2
    assert "include-in-header" in done.stderr
    assert "head.html: No such file" in done.stderr


def test_the_title_block_is_text_not_markup(write, render):
    path = write('---\ntitle: "<b>A</b> & b"\nauthor: [One, "<Two>"]\ndate: 2026-03-01\n---\nx\n')
    assert render(path).returncode == 0
    text = main_of(path.with_suffix(".html"))
    assert '<h1 class="title">&lt;b&gt;A&lt;/b&gt; &amp; b</h1>' in text
    assert 'One, &lt;Two&gt; · <span class="date">March 1, 2026</span>' in text


def test_the_same_document_gives_the_same_bytes(write, render):
    path = write(BLOCK.replace("toc", "date: today\ntoc") + "## A\n" + cell("print({1: 2})"))
    pages = []
    for _ in range(2):
        assert render(path, SOURCE_DATE_EPOCH=1772323200).returncode == 0
        pages.append(path.with_suffix(".html").read_bytes())
    assert pages[0] == pages[1]
    assert b"March 1, 2026" in pages[0]


def test_it_needs_no_network_not_even_to_itself(write, render, root):
    if not shutil.which("unshare"):
        pytest.skip("no unshare (util-linux) to take the network away")
    alone = ["unshare", "--net", "--map-root-user"]
    if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no network namespace can be made here (needs user namespaces or root)")
    path = write(BLOCK + cell("print('alone')", "echo: false"))
    done = render(path, before=alone)
    assert done.returncode == 0, done.stderr
    assert "alone" in main_of(path.with_suffix(".html"))
