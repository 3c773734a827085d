"""What is looked at before a benchmark is started, so that a run begins only when it can finish.

What cannot work at all raises UserError with exit code 3: one line with its code and remedy. What
is judged by an estimate becomes a Finding; a refusal among them is overruled by --force.
"""
