"""Puts a command that was typed by its name under a Python that has what the command needs.

In this order: the environment that the command was started in or that is active (VIRTUAL_ENV,
CONDA_PREFIX, so also pixi's), the clone's own .venv, and the Python that runs already. What is
needed is what requirements/*.in say. This file has to be readable for any Python 3: it tells them.
"""

import os
import sys

CLONE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
MINIMUM = (3, 11)
_MOVED = "HPC_DISK_BENCH_MOVED"  # set over the exec, so that a Python that disappoints cannot loop


def use(*parts):
    """Return under a Python from 3.11 on that has the packages of requirements/PART.in, or exit.

    Where another Python fits better than this one, it takes over with the same arguments.
    """
    moved = os.environ.pop(_MOVED, None) is not None
    if not parts and sys.version_info >= MINIMUM:
        return
    here = sys.version_info >= MINIMUM and _fits(sys.executable, parts)
    if here and (moved or _in_environment()):
        return
    if not moved:
        for python in _candidates():
            if _fits(python, parts):
                _move(python)
    if not here:
        command = os.path.basename(sys.argv[0]) if sys.argv[0] else "python"
        wanted = f"Python {MINIMUM[0]}.{MINIMUM[1]} or newer"
        if parts:
            wanted += " with the packages of " + ", ".join(f"requirements/{p}.in" for p in parts)
        setup = "scripts/setup.sh parquet" if "parquet" in parts else "make setup"
        print(f"{command}: needs {wanted}: run `{setup}` in {CLONE}", file=sys.stderr)
        sys.exit(2)


def _in_environment():
    """Whether this Python belongs to an environment, active or called by its path."""
    return sys.prefix != sys.base_prefix or os.path.isdir(os.path.join(sys.prefix, "conda-meta"))


def _candidates():
    prefixes = [os.environ.get("VIRTUAL_ENV"), os.environ.get("CONDA_PREFIX")]
    for prefix in [*filter(None, prefixes), os.path.join(CLONE, ".venv")]:
        python = os.path.join(prefix, "bin", "python")
        if os.access(python, os.X_OK) and os.path.realpath(prefix) != os.path.realpath(sys.prefix):
            yield python


def _fits(python, parts):
    import subprocess  # takes a fifth of a command's start, which most commands can do without

    needs = [os.path.join(CLONE, "requirements", part) for part in parts]
    check = [python, "-I", os.path.join(CLONE, "scripts", "has_packages.py"), *needs]
    try:
        return subprocess.run(check, stderr=subprocess.DEVNULL, check=False).returncode == 0
    except OSError:
        return False


def _move(python):
    # -m and the like stand in orig_argv, which Pythons before 3.10 have not.
    arguments = getattr(sys, "orig_argv", [python, *sys.argv])[1:]
    os.environ[_MOVED] = "1"
    os.execv(python, [python, *arguments])
