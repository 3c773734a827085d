"""Runs the cells of a document in a kernel of their own, which leaves no trace behind."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import nbformat.v4
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError

from hpc_disk_bench.errors import UserError

CLONE = Path(__file__).resolve().parents[2]
CELL_FAILED = 1
START_SECONDS = 120
# The path of a Unix socket has at most 107 bytes, and the names of ours take ten of them.
LONGEST_SOCKET_DIRECTORY = 97
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


class _OwnPython(KernelSpecManager):
    """This Python and no other: a kernel in somebody's home directory may belong to another one."""

    def get_kernel_spec(self, kernel_name):
        kernel = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        quiet = ["--HistoryManager.enabled=False", "--log-level=ERROR"]
        return KernelSpec(argv=[*kernel, *quiet], display_name="Python", language="python")


def run(document, table=None, say=print):
    """Run the cells in order and return their outputs, by label. `say` is told how far it is.

    A cell that raises ends it with a UserError that names the cell, the line and the error; one
    that raises a UserError, as for a table that cannot be read, with that one.
    """
    cells = [cell for cell in document.cells if document.option("eval", True, cell) is not False]
    if not cells:
        return {}
    with _scratch() as scratch, _environment(scratch, table):
        return asyncio.run(_Run(document, cells, scratch, say).run())


class _Run:
    def __init__(self, document, cells, scratch, say):
        self.document, self.cells, self.scratch, self.say = document, cells, scratch, say
        self.width = max(len(cell.label) for cell in document.cells) + 3
        self.stopped_by = None

    async def run(self):
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._stop, number, task)
        try:
            return await self._run()
        except asyncio.CancelledError:
            if self.stopped_by is None:
                raise
            name = self.stopped_by.name
            raise UserError(f"{name}: stopped, nothing written", 128 + self.stopped_by) from None

    def _stop(self, number, task):
        self.stopped_by = number
        task.cancel()

    async def _run(self):
        manager = AsyncKernelManager(kernel_spec_manager=_OwnPython())
        manager.connection_file = str(self.scratch / "kernel.json")
        if len(os.fsencode(self.scratch)) <= LONGEST_SOCKET_DIRECTORY:
            # Sockets that only this user can open, and that need no network interface.
            manager.transport, manager.ip = "ipc", str(self.scratch / "kernel")
        self.say("Starting python3 kernel...", end="")
        try:
            await manager.start_kernel(cwd=str(self.document.path.resolve().parent))
            client = manager.client()
            client.start_channels()
            client.allow_stdin = False
            await client.wait_for_ready(timeout=START_SECONDS)
            self.say("Done\n")
            self.say(f"Executing '{self.document.path.name}'")
            return await self._cells(manager, client)
        except RuntimeError as error:
            raise UserError(f"the kernel did not start: {error}", CELL_FAILED) from error
        finally:
            if manager.has_kernel:
                await manager.shutdown_kernel(now=True)

    async def _cells(self, manager, client):
        notebook = nbformat.v4.new_notebook()
        notebook.cells = [nbformat.v4.new_code_cell(cell.source) for cell in self.cells]
        runner = NotebookClient(notebook, km=manager, timeout=None)
        runner.kc = client
        runner.reset_execution_trackers()
        outputs = {}
        try:
            for index, (cell, code) in enumerate(zip(self.cells, notebook.cells, strict=True)):
                dots = "." * (self.width - len(cell.label))
                total = len(self.document.cells)
                self.say(f"  Cell {cell.number}/{total}: '{cell.label}'{dots}", end="")
                try:
                    await runner.async_execute_cell(code, index)
                except (CellExecutionError, DeadKernelError) as error:
                    if self.stopped_by:  # nbclient takes it for a dead kernel
                        raise asyncio.CancelledError from error
                    self.say("Failed")
                    raise self._failure(cell, code) from error
                self.say("Done")
                outputs[cell.label] = code.outputs
        finally:
            client.stop_channels()
        return outputs

    def _failure(self, cell, code):
        line, reason = cell.first_line, "the kernel died (out of memory?)"
        for output in code.outputs:
            if output.output_type == "error":
                line += _line_of_failure(output.traceback) - 1
                reason = " ".join(f"{output.ename}: {output.evalue}".split())
                if output.ename == UserError.__name__:  # which is a whole sentence, of no cell
                    return UserError(" ".join(output.evalue.split()))
        path = self.document.path
        return UserError(f"{path}:{line}: cell '{cell.label}' failed: {reason}", CELL_FAILED)


def _line_of_failure(traceback):
    """The innermost line of the cell itself that a traceback names, counted from 1."""
    text = _ANSI.sub("", "\n".join(traceback))
    places = re.findall(r"Cell In\[(\d+)\],? line (\d+)", text)
    own = [int(line) for cell, line in places if cell == places[0][0]]
    return own[-1] if own else 1


@contextmanager
def _scratch():
    path = tempfile.mkdtemp(prefix="hpc-disk-bench-")
    if len(os.fsencode(path)) > LONGEST_SOCKET_DIRECTORY and os.access("/tmp", os.W_OK):
        os.rmdir(path)
        path = tempfile.mkdtemp(prefix="hpc-disk-bench-", dir="/tmp")
    try:
        yield Path(path)
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def _environment(scratch, table):
    """What the kernel inherits: nothing of Jupyter or IPython is read from or left in a home."""
    changed = {
        "IPYTHONDIR": scratch / "ipython",
        "JUPYTER_CONFIG_DIR": scratch / "config",
        "JUPYTER_DATA_DIR": scratch / "data",
        "JUPYTER_RUNTIME_DIR": scratch / "runtime",
        "JUPYTER_NO_CONFIG": "1",
        "JUPYTER_PLATFORM_DIRS": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "PYTHONSTARTUP": None,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(CLONE), os.environ.get("PYTHONPATH")])),
    }
    if table is not None:
        changed["IO500_TABLE"] = Path(table).absolute()
    before = {name: os.environ.get(name) for name in changed}
    _set(changed)
    try:
        yield
    finally:
        _set(before)


def _set(values):
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = str(value)
