"""The INI templates of configs/: what may stand in them, and how a run's own INI is made of one.

The grammar is the benchmark's: [section], key = value, comments after # or ; at the start of a line
or after a blank; section and key names in any case; the last assignment counts.
"""

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from hpc_disk_bench.errors import UserError

VARIABLES = ("TEST_DIR", "OUTPUT_DIR")
MODES = ("standard", "extended")
VARIABLE = re.compile(r"\$(?:\{(\w+)\}|([A-Za-z_]\w*))")
SECTION = re.compile(r"\[\s*([\w-]+)\s*\]\s*(?:[#;].*)?$")
PAIR = re.compile(r"([\w.-]+)\s*=\s*(.*)$")
COMMENT_AFTER = re.compile(r"\s[#;].*$")
# What the benchmark takes as an option and has no key for stands in a comment of the template.
DIRECTIVE = re.compile(r"[#;]\s*hpc-disk-bench:\s*(.*)$")


class Template(NamedTuple):
    path: str
    text: str
    mode: str  # standard or extended

    @property
    def sha256(self):
        """Of the template: the rendered file holds paths and differs from run to run."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogateescape")).hexdigest()

    def setting(self, section, key, default=None):
        """The value of a key as the benchmark would read it, or the default."""
        value, inside = default, False
        for line in self.text.splitlines():
            line = COMMENT_AFTER.sub("", line.strip())
            heading, pair = SECTION.match(line), PAIR.match(line)
            if heading:
                inside = heading[1].lower() == section.lower()
            elif inside and pair and pair[1].lower() == key.lower() and pair[2].strip():
                value = pair[2].strip()
        return value

    def render(self, test_dir, output_dir):
        """The text with $TEST_DIR and $OUTPUT_DIR filled in, by envsubst where it is installed."""
        values = {"TEST_DIR": os.fspath(test_dir), "OUTPUT_DIR": os.fspath(output_dir)}
        if shutil.which("envsubst"):
            done = subprocess.run(
                ["envsubst", " ".join(f"${name}" for name in VARIABLES)],
                input=self.text.encode("utf-8", "surrogateescape"),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **values},
                check=False,
            )
            if done.returncode == 0:
                return done.stdout.decode("utf-8", "surrogateescape")
        return VARIABLE.sub(lambda found: values.get(found[1] or found[2], found[0]), self.text)


def read_template(path):
    """Read and check a template. UserError (exit code 2) names the file and the line."""
    try:
        text = Path(path).read_bytes().decode("utf-8-sig", "surrogateescape")
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    mode, found = "standard", set()
    for number, line in enumerate(text.splitlines(), start=1):
        place = f"{path}:{number}"
        line = line.strip()
        if DIRECTIVE.match(line):
            mode = _mode(DIRECTIVE.match(line)[1], place)
        if line.startswith(("#", ";")):
            continue
        for variable in VARIABLE.finditer(COMMENT_AFTER.sub("", line)):
            name = variable[1] or variable[2]
            if name not in VARIABLES:
                known = " and ".join(f"${known}" for known in VARIABLES)
                raise UserError(f"{place}: ${name} is not filled in, only {known}: write its value")
            found.add(name)
    missing = [f"${name}" for name in VARIABLES if name not in found]
    if missing:
        needed = "datadir = $TEST_DIR, resultdir = $OUTPUT_DIR"
        raise UserError(f"{path}: {' and '.join(missing)} is missing; [global] needs {needed}")
    return Template(os.fspath(path), text, mode)


def _mode(directive, place):
    key, _, value = (part.strip() for part in directive.partition("="))
    if key != "mode" or value not in MODES:
        raise UserError(f"{place}: {directive!r} is unknown, only mode = {' or '.join(MODES)}")
    return value
