"""The batch script of a job: configs/io500_job.sbatch.j2 filled in."""

import os
import shlex
from pathlib import Path

import jinja2

from hpc_disk_bench.errors import UserError

TEMPLATE = Path(__file__).resolve().parents[2] / "configs/io500_job.sbatch.j2"


def render(job, template, directory, results, output, comment=""):
    """The script of a Job as text.

    template: path of a Jinja2 template. It is given `options` (for #SBATCH), `directory`,
    `environment` (NAME=value) and `command`, each quoted for its place, and `job`.
    directory: where relative paths start; results: the results root, absolute.
    UserError names the template's file and line.
    """
    values = {**job.environment, "IO500_RESULTS_DIR": results, "NUM_PROCS": str(job.ranks)}
    engine = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # a shell script: what is quoted, is quoted for the shell
    )
    try:
        text = Path(template).read_text("utf-8")
        return engine.from_string(text).render(
            job=job,
            options=job.options(output, comment),
            directory=shlex.quote(os.fspath(directory)),
            environment=[f"{name}={shlex.quote(value)}" for name, value in sorted(values.items())],
            command=job.command,
        )
    except OSError as error:
        raise UserError(f"{template}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{template}: not UTF-8 text (byte {error.start})") from error
    except jinja2.TemplateSyntaxError as error:
        raise UserError(f"{template}:{error.lineno}: {error.message}") from error
    except jinja2.TemplateError as error:
        raise UserError(f"{template}{_line(error)}: {error.message}") from error


def _line(error):
    """`:LINE` of the template that an error came up in; jinja2 tells it by its traceback."""
    line, trace = "", error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = f":{trace.tb_lineno}"
        trace = trace.tb_next
    return line
