"""Which phases a run will have, in their order, by its configuration."""

import re
from pathlib import Path

from hpc_disk_bench.phases import BY_NAME, PHASES

# In run order. Upstream's today; a config.ini that the benchmark has written knows better.
EXTENDED = (
    *("ior-easy-write", "mdtest-easy-write", "mdworkbench-create", "find-easy"),
    *("ior-hard-write", "mdtest-hard-write", "find", "find-hard", "mdworkbench-bench"),
    *("ior-easy-read", "mdtest-easy-stat", "ior-hard-read", "mdtest-hard-stat"),
    *("mdworkbench-delete", "mdtest-easy-delete", "mdtest-hard-read", "mdtest-hard-delete"),
    "ior-rnd4K-easy-read",
)
# Sections that set what several phases share.
GROUPS = (
    *("ior-easy", "ior-rnd4K", "mdtest-easy", "ior-rnd1MB", "mdworkbench", "ior-hard"),
    "mdtest-hard",
)
NO_PHASES = {"global", "debug", *GROUPS}
# The timestamp measures nothing and is told of by nobody.
UNTOLD = "timestamp"
SECTION = re.compile(r"^\[([\w-]+)\]", re.MULTILINE)


def plan(template, files=None):
    """Names of the phases to come.

    files: directory of the benchmark's files, where its config.ini tells what this version has.
    """
    known = _sections(files) if files else ()
    if template.mode == "standard":
        names = [phase.name for phase in PHASES if not known or phase.name in known]
    else:
        names = [name for name in known if name not in NO_PHASES] or list(EXTENDED)
    return [name for name in names if name != UNTOLD and _wanted(template, name)]


def _wanted(template, name):
    group = next((group for group in GROUPS if name.startswith(f"{group}-")), name)
    # Its rows stay while the whole of md-workbench is on: the benchmark does not ask the parts.
    sections = (group,) if group == "mdworkbench" else (group, name)
    return all(
        template.setting(section, "run", "true").lower() not in ("false", "0")
        for section in sections
    )


def _sections(files):
    try:
        text = Path(files, "config.ini").read_text("utf-8", "replace")
    except OSError:
        return ()
    names = SECTION.findall(text)
    # Written in one go, but read meanwhile it may lack its end.
    return names if names and set(names) & set(BY_NAME) and names[-1] in BY_NAME else ()
