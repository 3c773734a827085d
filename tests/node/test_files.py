"""Files appear whole or not at all, wherever a writer is interrupted."""

import sys

from hpc_disk_bench import files


def test_an_interruption_at_any_step_of_a_write_leaves_the_old_file_or_the_new_one(tmp_path):
    target = tmp_path / "results.json"
    ends = set()
    for step in range(1, 2000):
        target.write_text("old")
        interrupted = interrupt_after(step, lambda: files.write_text(target, "new"))
        files.remove_own_parts()  # what the end of the process calls
        ends.add((interrupted, target.read_text()))
        assert [path.name for path in tmp_path.iterdir()] == ["results.json"], step
        if not interrupted:
            break
    assert ends == {(True, "old"), (True, "new"), (False, "new")}


def interrupt_after(steps, call):
    """Call it and raise KeyboardInterrupt at its steps-th instruction in files.py, as a signal
    does; whether that came before its end."""
    left = steps

    def trace(frame, event, _):
        nonlocal left
        if frame.f_code.co_filename != files.__file__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False
