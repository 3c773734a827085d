"""The command parse_summary.py: a result_summary.txt, or the output of a tool, to JSON."""

import os
import sys
from typing import NamedTuple, Optional

from hpc_disk_bench.errors import DONE, UNPARSED, USAGE, UserError
from hpc_disk_bench.files import json_text, write_json
from hpc_disk_bench.result_file import RESULT_FILE
from hpc_disk_bench.results import SUMMARY, load

HELP = """\
usage: parse_summary.py FILE [-o RESULTS_JSON]
       parse_summary.py FILE... --into CLUSTER NODE STORAGE DEVICE [VOLUME]

Parses a result_summary.txt of IO500, of any version since 2017, to JSON. So it does what ior,
mdtest, pfind and md-workbench print, upstream's or this project's, and stream: docs/tools.md.

  FILE               a result_summary.txt, or the directory of a run; where the summary is lost,
                     empty or broken off, result.txt beside it is read instead, where that is lost,
                     too, the files of the single phases; the JSON says so. Or outputs of tools, one
                     or several: text, ior's JSON and CSV, the CSV files of mdtest's, stream's and
                     pfind's ranks
  -o, --output FILE  write the JSON there, whole or not at all; without it, it goes to stdout
  --into ...         put outputs of tools into the results tree (IO500_RESULTS_DIR, else
                     ./io500_results), where aggregate and the report find them
  -q, --quiet        say nothing about odd lines and doubtful figures
  -h, --help         this text

Exit codes: 0 done, 2 usage, 3 the results tree cannot be written, 5 the file cannot be parsed, or
the JSON not be written (one line on stderr says why).
"""
MOST_NOTICES = 10


class _Given(NamedTuple):
    files: list
    output: Optional[str]
    into: Optional[list]
    quiet: bool


def main(arguments):
    if "-h" in arguments or "--help" in arguments:
        sys.stdout.write(HELP)
        return DONE
    given = _read_arguments(arguments)
    if given.into:
        return _keep(given)
    source = given.files[0]
    content, lines = _tool_output(source) or _results(source)
    if not given.quiet:
        _tell(source, lines)
    if given.output is None:
        _print_json(content)
    else:
        _write(given.output, content)
    return DONE


def _results(source):
    results = load(source)
    return results.as_json(), spoken(results)


def _tool_output(source):
    """(JSON object, what to say) of the output of a tool, or None where it is none."""
    if os.path.isdir(source) or os.path.basename(source) in (SUMMARY, RESULT_FILE):
        return None
    # Here, since it takes half as long as a whole run of this command on a summary.
    from hpc_disk_bench import tools

    reading = tools.read_all(source)
    if not reading:
        return None
    output = tools.Output(os.path.basename(source), tuple(reading.runs))
    return tools.as_json([output]), tools.spoken(reading.runs, reading.unread)


def _keep(given):
    """Put outputs of tools into the results tree, and say where they are."""
    from hpc_disk_bench import tools

    cluster, node, storage, device, *volume = given.into
    root = os.environ.get("IO500_RESULTS_DIR") or "io500_results"
    where = (cluster, node, storage, device, volume[0] if volume else "")
    directory, outputs = tools.keep(given.files, where, root)
    for output in () if given.quiet else outputs:
        _tell(output.name, tools.spoken(output.runs, output.unread))
    print(directory)
    return DONE


def _tell(source, lines):
    for line in lines:
        print(f"parse_summary.py: {source}: {line}", file=sys.stderr)


def _print_json(content):
    if sys.stdout is None:  # closed from the start
        raise UserError("standard output is closed: name a file with -o", UNPARSED)
    try:
        # JSON is UTF-8, whatever the locale of a batch job is.
        sys.stdout.buffer.write(json_text(content).encode("utf-8", "backslashreplace"))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        sys.stdout = None  # Python would try, and complain, once more when it ends
        raise UserError(
            f"standard output: cannot be written: {error.strerror}", UNPARSED
        ) from error


def _write(path, content):
    """Write the JSON; UserError (exit code 5) where the place cannot be written."""
    try:
        write_json(path, content)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}", UNPARSED) from error


def spoken(results):
    """What a person should hear about the results: the doubts, and the notices, not too many."""
    lines = list(results.notices[:MOST_NOTICES])
    if len(results.notices) > MOST_NOTICES:
        lines.append(f"and {len(results.notices) - MOST_NOTICES} more lines like these")
    return lines + [f"warning: {doubt}" for doubt in results.warnings]


def _read_arguments(arguments):
    files, output, into, quiet = [], None, None, False
    rest = iter(arguments)
    for argument in rest:
        if argument in ("-o", "--output"):
            output = next(rest, None)
            if not output:
                raise UserError(f"{argument} needs the name of a file", USAGE)
        elif argument in ("-q", "--quiet"):
            quiet = True
        elif argument == "--into" and into is None:
            into = []
        elif argument.startswith("-"):
            raise UserError(f"unknown option {argument} (see --help)", USAGE)
        else:
            (files if into is None else into).append(argument)
    if into is None and len(files) != 1:
        raise UserError(f"one result_summary.txt is needed, {len(files)} given (see --help)", USAGE)
    if into is not None and (len(into) not in (4, 5) or not files or output):
        problem = "needs files before it, CLUSTER NODE STORAGE DEVICE [VOLUME] after it, and no -o"
        raise UserError(f"--into {problem} (see --help)", USAGE)
    return _Given(files, output, into, quiet)
