"""How far a run is: which phase of how many, since when, at what rate, and what is left of it."""
