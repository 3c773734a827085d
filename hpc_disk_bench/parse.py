"""The command parse_summary.py: one result_summary.txt to JSON."""

import sys

from hpc_disk_bench.errors import DONE, UNPARSED, USAGE, UserError
from hpc_disk_bench.files import json_text, write_json
from hpc_disk_bench.results import load

HELP = """\
usage: parse_summary.py RESULT_SUMMARY [-o RESULTS_JSON]

Parses one result_summary.txt of IO500, of any version since 2017, to JSON.

  RESULT_SUMMARY     the file, or the directory of a run; where the summary is lost, empty or broken
                     off, result.txt beside it is read instead, where that is lost, too, the files
                     of the single phases; the JSON says so
  -o, --output FILE  write the JSON there, whole or not at all; without it, it goes to stdout
  -q, --quiet        say nothing about odd lines and doubtful figures
  -h, --help         this text

Exit codes: 0 done, 2 usage, 5 the file cannot be parsed (one line on stderr says why).
"""
MOST_NOTICES = 10


def main(arguments):
    if "-h" in arguments or "--help" in arguments:
        sys.stdout.write(HELP)
        return DONE
    source, output, quiet = _read_arguments(arguments)
    results = load(source)
    if not quiet:
        for line in spoken(results):
            print(f"parse_summary.py: {source}: {line}", file=sys.stderr)
    if output is None:
        _print_json(results)
    else:
        write_results(output, results)
    return DONE


def _print_json(results):
    if sys.stdout is None:  # closed from the start
        raise UserError("standard output is closed: name a file with -o", UNPARSED)
    try:
        # JSON is UTF-8, whatever the locale of a batch job is.
        sys.stdout.buffer.write(json_text(results.as_json()).encode("utf-8"))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        sys.stdout = None  # Python would try, and complain, once more when it ends
        raise UserError(
            f"standard output: cannot be written: {error.strerror}", UNPARSED
        ) from error


def write_results(path, results):
    """Write results.json; UserError (exit code 5) where the place cannot be written."""
    try:
        write_json(path, results.as_json())
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}", UNPARSED) from error


def spoken(results):
    """What a person should hear about the results: the doubts, and the notices, not too many."""
    lines = list(results.notices[:MOST_NOTICES])
    if len(results.notices) > MOST_NOTICES:
        lines.append(f"and {len(results.notices) - MOST_NOTICES} more lines like these")
    return lines + [f"warning: {doubt}" for doubt in results.warnings]


def _read_arguments(arguments):
    files, output, quiet = [], None, False
    rest = iter(arguments)
    for argument in rest:
        if argument in ("-o", "--output"):
            output = next(rest, None)
            if not output:
                raise UserError(f"{argument} needs the name of a file", USAGE)
        elif argument in ("-q", "--quiet"):
            quiet = True
        elif argument.startswith("-"):
            raise UserError(f"unknown option {argument} (see --help)", USAGE)
        else:
            files.append(argument)
    if len(files) != 1:
        raise UserError(f"one result_summary.txt is needed, {len(files)} given (see --help)", USAGE)
    return files[0], output, quiet
