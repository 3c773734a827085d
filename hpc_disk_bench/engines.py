"""Which benchmark a binary is: the embedded engine, or upstream's."""

import os
import re
import subprocess

from hpc_disk_bench.errors import REFUSED, UserError

EMBEDDED, UPSTREAM = "embedded", "upstream"
EMBEDDED_NAME = "io500-embedded"
VERSION = re.compile(r"IO500 version (\S+)")


def engine_of(version):
    """The engine that prints this version."""
    return EMBEDDED if version.startswith("hpc-disk-bench") else UPSTREAM


def identify(binary):
    """(engine, version or None) of a binary before it has run.

    Upstream's tells its version only in a run. The embedded engine is asked for it, which also
    shows whether it can be started here: UserError (exit code 3) where it cannot.
    """
    if not os.path.basename(os.path.realpath(binary)).startswith(EMBEDDED_NAME):
        return UPSTREAM, None
    try:
        done = subprocess.run(
            [binary, "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{binary}: cannot be started: {reason}", REFUSED) from error
    text = done.stdout.decode("utf-8", "replace")
    version = VERSION.search(text)
    if not version:
        reason = (text.strip().splitlines() or ["no version is printed"])[0]
        raise UserError(f"{binary}: cannot be run here: {reason}; try: make engine", REFUSED)
    return engine_of(version[1]), version[1]
