"""What some tests need that not every go has: the night, or a file that may not be read."""

import os
import shutil

import pytest

IS_NIGHT = os.environ.get("HDB_NIGHT") == "1"


def night(why):
    """The mark of a test that is left to the night, and why."""
    return pytest.mark.skipif(not IS_NIGHT, reason=f"{why}: HDB_NIGHT=1 runs it")


def obeying_modes():
    """What to put before a command that shall not read what the mode of a file forbids: root may
    by two capabilities, which can be laid down.
    """
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv"):
        pytest.skip("root reads everything, and there is no setpriv (util-linux)")
    rights = "-dac_override,-dac_read_search"
    return ["setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}"]
