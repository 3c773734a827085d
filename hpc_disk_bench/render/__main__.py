"""python -m hpc_disk_bench.render FILE.qmd [-o OUT.html] [--table CSV]"""

import os
import sys

_CLONE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
if _CLONE not in sys.path:
    sys.path.insert(0, _CLONE)

from hpc_disk_bench import environment, errors  # noqa: E402

if __name__ == "__main__":
    environment.use("report")

    from hpc_disk_bench.render import command

    sys.argv[0] = "render"
    sys.exit(errors.run(command.main))
