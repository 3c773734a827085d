"""The report: from aggregated_results.csv to the content of io500_analysis.qmd.

    load -> tidy, statistics -> figures_*, tables_*, recommendations -> emit

A cell of the document asks one of these for a Chart, a Table, a Missing or a piece of HTML, and
emit.show() prints it. Nothing here knows which program renders the document.
"""
