"""inspect_run.py: what a run's own record says about each of its phases."""

from __future__ import annotations

import json
import sys

import numpy as np

from hpc_disk_bench.commandline import Parser, require_directory, say
from hpc_disk_bench.errors import DONE, UserError
from hpc_disk_bench.findings.inside import verdicts
from hpc_disk_bench.findings.series import SERIES, read_run

DESCRIPTION = "Say what the second-by-second record of a run tells about each of its phases."
EPILOG = """\
A phase is steady, or it has findings: cache-fill, drop, decay, swell, rise, straggler, tail. What
each means and when it is claimed: docs/findings.md. Runs of the embedded engine have such a record.

Of a damaged record the first damaged line is named on stderr, and what can be read is shown.

Exit codes: 0 done, findings or not; 2 usage, or a run without a record.
"""


def main(arguments):
    """Print the verdict on each phase of a run; returns the exit code."""
    options = _arguments(arguments)
    require_directory(options.run)
    damages = []
    phases = read_run(options.run, damages.append)
    if not phases:
        none = f"has no {SERIES} with rows: the embedded engine writes one, unless --no-record"
        raise UserError(damages[0] if damages else f"{options.run}: {none}")
    for damage in damages:
        print(f"inspect_run.py: {damage}", file=sys.stderr)
    found = verdicts(phases)
    if options.json:
        say(json.dumps([_as_json(verdict) for verdict in found], indent=2))
        return DONE
    width = max(len(verdict.phase) for verdict in found)
    for verdict in found:
        texts = [
            f"{one.kind}: {one.text} (confidence {one.confidence})" for one in verdict.findings
        ]
        formed = any(one.kind not in ("straggler", "tail") for one in verdict.findings)
        first, *others = texts if formed else [verdict.text, *texts]
        say(f"{verdict.phase:{width}}  {first}", *(f"{'':{width}}  {text}" for text in others))
    count = sum(len(verdict.findings) for verdict in found)
    say("", f"{len(found)} phase{'s' * (len(found) != 1)}, {count} finding{'s' * (count != 1)}")
    return DONE


def _as_json(verdict):
    return {
        "phase": verdict.phase,
        "form": verdict.form.kind,
        "level": _number(verdict.form.level),
        "text": verdict.text,
        "findings": [
            {
                "kind": one.kind,
                "confidence": one.confidence,
                "at_s": one.at,
                "until_s": one.until,
                "text": one.text,
                **{name: _number(value) for name, value in one.figures.items()},
                "meanwhile": [change._asdict() for change in one.meanwhile],
            }
            for one in verdict.findings
        ],
    }


def _number(value):
    return value if np.isfinite(value) else None


def _arguments(arguments):
    parser = Parser("inspect_run.py", DESCRIPTION, EPILOG)
    parser.add_argument("run", help="directory of the run")
    parser.add_argument("--json", action="store_true", help="as JSON")
    return parser.parse_args(arguments)
