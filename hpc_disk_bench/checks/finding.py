"""What one check found."""

from typing import NamedTuple, Optional

from hpc_disk_bench.errors import REFUSED, UserError

OK, WARNING, REFUSAL = "ok", "warning", "refusal"


class Finding(NamedTuple):
    name: str  # of the check: storage, space, length, cache, leftovers, telemetry, launch
    verdict: str  # ok, warning or refusal
    text: str  # one sentence, figures first
    code: Optional[str] = None  # of the catalogue in docs/diagnoses

    def as_json(self):
        return self._asdict()


class Stopped(Exception):
    """A signal came while the checks went on."""


def impossible(code, text):
    """The UserError for what no --force helps against."""
    return UserError(f"{code} {text}", REFUSED)
