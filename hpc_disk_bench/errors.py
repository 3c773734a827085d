"""One way to end for a mistake of the user: one clear line on stderr and a documented exit code."""

import os
import sys

DONE = 0
USAGE = 2
REFUSED = 3
BENCHMARK_FAILED = 4
UNPARSED = 5
INTERRUPTED = 130


class UserError(Exception):
    """A mistake the user can mend: one line that names the file, the place and the remedy."""

    def __init__(self, message, exit_code=USAGE):
        super().__init__(message)
        self.exit_code = exit_code


def run(main, argv=None):
    """Call main(argv) and turn UserError, Ctrl-C and a closed pipe into their exit codes."""
    name = os.path.basename(sys.argv[0])
    try:
        return main(sys.argv[1:] if argv is None else argv)
    except UserError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader left (`| head`). Elsewhere with stdout, or Python complains when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
