"""Whether numbers of repeated runs differ: statistics without any drawing, for the report and the
command line alike.

    statistics    medians, their intervals, ratios, outliers
    groups        two groups of runs, measure by measure: better, worse or noise
    differences   what else differs between the two: configuration, engine, node
    changepoints  when a series of runs changed its level

Rates are compared by ratios: storage varies by factors. The same runs give the same answer
everywhere: intervals draw no random numbers, change points draw from a fixed seed.
"""
