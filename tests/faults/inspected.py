"""What inspect_run.py says of a run in which a fault was provoked."""

import csv
import json
import subprocess


def found_in(root, run, phase):
    """The only finding of a phase as --json gives it, and all the words."""
    said = [
        subprocess.run(
            [root / "inspect_run.py", run, *options], capture_output=True, text=True, check=True
        ).stdout
        for options in (["--json"], [])
    ]
    (finding,) = next(one["findings"] for one in json.loads(said[0]) if one["phase"] == phase)
    return finding, said[1]


def begin_of(run, phase):
    """When a phase began, epoch s."""
    with open(run / "timeseries.csv", newline="") as file:
        return next(float(row["start_epoch_s"]) for row in csv.DictReader(file)
                    if row["phase"] == phase)  # fmt: skip
