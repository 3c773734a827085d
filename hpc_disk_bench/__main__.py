"""The Python side of the shell commands: python3 -I hpc_disk_bench NAME-OF-COMMAND ARGUMENTS.

Isolated (-I), so that neither PYTHONPATH nor a module in the working directory gets between.
"""

import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    # Ctrl-C while the modules are read in: nothing is begun yet, and no traceback helps anybody.
    interrupt = signal.getsignal(signal.SIGINT)
    if interrupt != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from hpc_disk_bench import errors

    task, *arguments = sys.argv[1:]
    if task == "run":
        from hpc_disk_bench.run import main as command
    elif task == "clean":
        from hpc_disk_bench.clean import main as command
    elif task == "reprocess":
        from hpc_disk_bench.reprocess import reprocess_one as command
    elif task == "reprocess-all":
        from hpc_disk_bench.reprocess import reprocess_all as command
    elif task == "explain":
        from hpc_disk_bench.diagnosis.explain import main as command
    elif task == "telemetry":
        from hpc_disk_bench.telemetry.sampler import main as command
    elif task == "node":
        from hpc_disk_bench.node import main as command
    elif task == "submit":
        from hpc_disk_bench.submit import main as command
    # Messages start with the name of the command that the user typed.
    sys.argv[0] = os.environ.get("HPC_DISK_BENCH_COMMAND", sys.argv[0])
    for stream in (sys.stdout, sys.stderr):
        if stream:
            stream.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGINT, interrupt)
    code = errors.run(command, arguments)
    # Everything is done: a further Ctrl-C would only put its own number in place of the exit code.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)
    return code


if __name__ == "__main__":
    sys.exit(main())
