"""Renders a Quarto document to one HTML file where Quarto itself cannot be installed.

    python -m hpc_disk_bench.render FILE.qmd [-o OUT.html] [--table CSV]

It honours what the report's document uses and refuses by name what it does not know, so that a
document never comes out silently wrong. One job per module, and data goes one way:

    document   the .qmd to a title block and a tree of prose, raw HTML, divs and cells
    execute    the cells, run in a kernel of their own
    outputs    what a cell showed, as such a tree again
    prose      the tree to HTML: Markdown, callouts, tabsets, headings
    page       the whole page: head, contents, styles
"""
