"""What the second-by-second record of a run says about each phase: a verdict in words and figures.

series    the record of a run, from its files
shape     steady, drop, decay, swell: the form of one series
ranks     stragglers and the tail after the stonewall
node      what the nodes saw of a change
inside    all findings of a run
words     a finding as a sentence
"""
