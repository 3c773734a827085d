"""Whether what is read back comes from the storage, or from memory."""

import re
import shutil
import subprocess

from hpc_disk_bench.checks import memory
from hpc_disk_bench.checks.declared import MEMORY
from hpc_disk_bench.checks.finding import OK, WARNING, Finding, impossible
from hpc_disk_bench.checks.words import size

DIRECT = re.compile(r"--posix\.odirect\b|useO_DIRECT=1", re.IGNORECASE)


def cache(template, place, writers, rates, nodes):
    """The Findings on the page cache. nodes: how many the ranks are on, None where not known."""
    direct = _asks_for_direct(template)
    if direct and place.direct is False:
        where = place.facts["filesystem"] or "this file system"
        text = f"[ior-easy] asks for O_DIRECT, which {where} does not take here"
        raise impossible("HDB011", f"{text}: take another configuration")
    if place.facts["filesystem"] in MEMORY:
        return [Finding("cache", OK, "the storage is memory itself")]
    data = _data(writers, rates)
    ram = memory.total()
    if data is None or not ram:
        text = "whether reads come from memory cannot be told: it was not probed"
        return [Finding("cache", OK, text)]
    share = data / (nodes or 1)
    figures = f"{size(ram)} RAM, {size(share)} data{' a node' if (nodes or 1) > 1 else ''}"
    dropped, how = _dropping(template)
    if dropped:
        return [Finding("cache", OK, f"{figures}, caches are dropped before each phase")]
    # On several nodes each rank reads what another node wrote.
    if nodes and nodes > 1 and not how:
        text = f"{figures}, each node reads what another one wrote"
        return [Finding("cache", OK, text)]
    if how is None and (share > ram or direct):
        text = f"{figures}" + (", ior-easy passes the cache by (O_DIRECT)" if direct else "")
        return [Finding("cache", OK, text)]
    text = f"reads may come from memory: {figures}, {how or _remedy(place)}"
    return [Finding("cache", WARNING, text, "HDB031")]


def _asks_for_direct(template):
    apis = [template.setting(section, "api", "") for section in ("global", "ior-easy")]
    return any(DIRECT.search(api) for api in apis)


def _data(writers, rates):
    """Bytes that ior-easy reads back, None where they are not known."""
    for writer in writers:
        if writer.phase == "ior-easy-write":
            likely = writer.likely(rates) if rates else None
            return writer.most if likely is None else min(writer.most, likely)
    return None


def _dropping(template):
    """(whether the benchmark drops the caches, why not where it was told to)."""
    if template.setting("global", "drop-caches", "false").lower() not in ("true", "1"):
        return False, None
    command = template.setting("global", "drop-caches-cmd", "sudo -n bash -c ...")
    if command.split()[0] == "sudo" and not _sudo():
        return False, "drop-caches = TRUE, but its sudo is refused"
    return True, None


def _remedy(place):
    if memory.droppable() or _sudo():
        return "drop-caches = TRUE helps"
    if place.direct:
        return "caches not droppable, O_DIRECT helps"
    return "caches not droppable"


def _sudo():
    """Whether sudo works without a password."""
    if not shutil.which("sudo"):
        return False
    try:
        done = subprocess.run(
            ["sudo", "-n", "true"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
