"""Whether a benchmark's program can run on this machine at all, before it is tried."""

import struct

from hpc_disk_bench import engines
from hpc_disk_bench.checks.finding import impossible
from hpc_disk_bench.diagnosis.rules import RULES
from hpc_disk_bench.errors import UserError

MAGIC = b"\x7fELF"
MACHINE = struct.Struct("<H")  # e_machine of elf(5), at this place
PLACE = 18
NAMES = {3: "i386", 21: "ppc64", 22: "s390x", 40: "arm", 62: "x86_64", 183: "aarch64"}
NAMES[243] = "riscv64"
RUNS_TOO = {(62, 3), (183, 40)}  # what kernels of the first run of the second


def identify(binary):
    """(engine, version or None) as engines.identify; UserError (exit code 3) for what cannot run.

    Nothing of it is started but the embedded engine, to tell its version.
    """
    built_for, here = _machine(binary), _machine("/proc/self/exe")
    if built_for == "cut off":
        raise impossible("HDB002", f"{binary}: is no whole program: copy or compile it again")
    if None not in (built_for, here) and built_for != here and (here, built_for) not in RUNS_TOO:
        machines = f"{_name(built_for)}, this is {_name(here)}"
        remedy = "compile it here or set IO500_BIN to another"
        raise impossible("HDB002", f"{binary}: is a program for {machines}: {remedy}")
    try:
        return engines.identify(binary)
    except UserError as error:
        text = str(error)
        code = next((rule.code for rule in RULES if rule.fits(text)), "HDB002")
        raise impossible(code, text) from error


def _machine(path):
    """The number of the machine that an ELF program is for, "cut off", or None where it is none."""
    try:
        with open(path, "rb") as file:
            head = file.read(64)
    except OSError:
        return None  # a program may be executable and not readable
    if not head.startswith(MAGIC):
        return None
    return MACHINE.unpack_from(head, PLACE)[0] if len(head) == 64 else "cut off"


def _name(machine):
    return NAMES.get(machine, f"machine {machine} (unknown)")
