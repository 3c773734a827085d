"""Which names a user may give to directories of the results tree: as in lib/names.bash."""

import re

from hpc_disk_bench.errors import UserError

_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
_LONGEST = 200


def require_name(what, name):
    """UserError where `name` cannot be a directory's; what: the word for it."""
    if not name:
        raise UserError(f"{what} is empty")
    if len(name) > _LONGEST:
        raise UserError(
            f"{what} '{name[:20]}...': {len(name)} characters are too many for a directory's name"
        )
    if not _NAME.fullmatch(name):
        shown = "".join(char if char.isprintable() else "?" for char in name)
        rule = "only letters, digits, '.', '_' and '-' make a name, and no '.' in front"
        raise UserError(f"{what} '{shown}': {rule}")
