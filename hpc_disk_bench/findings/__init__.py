"""What the second-by-second record of a run says about each phase: a verdict in words and figures.

series    the record of a run, from its files
shape     steady, drop, decay, swell: the form of one series
ranks     stragglers and the tail after the stonewall
nodes     what all nodes did, second by second
meanwhile what of that changed with a phase
inside    all findings of a run
words     a finding as a sentence
"""
