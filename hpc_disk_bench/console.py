"""What a person sees of a run: one idea a line, results on stdout, talk on stderr.

On a terminal the lines stand under short labels; in a batch log each one has its time stamp.
"""

import contextlib
import datetime
import os
import shutil
import sys

BOLD, RED, YELLOW, GREEN = "1", "31", "33", "32"


class Console:
    """Where a run talks. quiet leaves only failures and results; NO_COLOR is honoured."""

    def __init__(self, quiet=False):
        self.quiet = quiet
        self.terminal = _is_terminal(sys.stderr)
        self._live = False

    def talk(self, label, text, *, log=None, style=None):
        """One line about how it goes. log: how a batch log says it, where that differs."""
        if self.quiet:
            return
        if self.terminal:
            self._labelled(sys.stderr, label, text, style)
        else:
            self._stamped(log or f"{label} {' '.join(text.split())}")

    def phase(self, number, total, phase):
        """A phase that is done. number: its place in the run, or None for what measures nothing."""
        place = f"{number}/{total}" if total else f"{number}"
        value = f"{phase.value:.3f}" if phase.value is not None else "nan"
        time = f"{phase.time:.1f} s" if phase.time is not None else "?"
        mark = "" if phase.valid else "   INVALID"
        line = f"{place:>5} {phase.name:<20} {value:>12} {phase.unit:<5} {time:>9}{mark}"
        log = f"phase {place} {phase.name} done {phase.value} {phase.unit} {time}{mark}"
        style = None if phase.valid else YELLOW
        self.talk("phases" if number == 1 else "", line, log=" ".join(log.split()), style=style)

    def running(self, place, name, elapsed, expected, left, rate):
        """How far a phase is, on a terminal drawn over what was drawn before, else a line.

        elapsed, expected, left: seconds of the phase, of all of it, of the whole run; rate: (value,
        unit, remark) or None.
        """
        value, unit, remark = rate or (None, "", "")
        about = f"{elapsed:.0f} of about {max(expected, elapsed, 1):.0f} s"
        if self.terminal:
            shown = "" if value is None else f"{value:.3f}"
            bar = _bar(elapsed / max(expected, elapsed, 1))
            remark = remark and f"  {remark.strip()}"
            line = f"{place:>5} {name:<20} {shown:>12} {unit:<5} {bar}  {about}   {duration(left)}"
            self.live(f"{line} left{remark}")
        else:
            shown = "" if value is None else f" {figure(value)} {unit}{remark}"
            line = f"{place} {name} running {elapsed:.0f} s{shown}, {duration(left)} left"
            self.talk("phase", line)

    def live(self, text):
        """The last line of a terminal, drawn anew by the next call; None takes it away."""
        if not self.terminal or self.quiet or (text is None and not self._live):
            return
        # Asked each time: the window may have another size by now. A line that wraps stays behind.
        width = shutil.get_terminal_size().columns - 1
        _print(sys.stderr, f"\r{' ' * 10}{text}"[: width + 1] if text else "\r", end="\033[K")
        self._live = text is not None

    def warning(self, text):
        self.talk("warning", text, style=YELLOW)

    def failed(self, text, *details):
        """A failure, which --quiet does not hide: the line, and further ones below it."""
        if self.terminal:
            self._labelled(sys.stderr, "failed", text, RED)
            for detail in details:
                self._labelled(sys.stderr, "", detail)
        else:
            self._stamped(f"failed {text}")
            for detail in details:
                self._stamped(f"failed   {detail}")

    def result(self, label, text, style=None):
        """One line of the result, on stdout."""
        self._labelled(sys.stdout, label, text, style)

    def _labelled(self, stream, label, text, style=None):
        self.live(None)
        if not _is_terminal(stream) or os.environ.get("NO_COLOR"):
            _print(stream, f"{label:<9} {text}".rstrip())
            return
        label = f"{label:<9}"
        if label.strip():
            label = _styled(label, style or BOLD)
        _print(stream, f"{label} {_styled(text, style) if style else text}")

    def _stamped(self, text):
        now = datetime.datetime.now(datetime.timezone.utc)
        _print(sys.stderr, f"{now:%Y-%m-%dT%H:%M:%SZ} {text}")


def figure(value):
    """A figure with three digits that count, for a person: 2.80, 42.8, 1234."""
    if value is None:
        return "nan"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:#.3g}"


def duration(seconds):
    """A time as a person says it: 45 s, 38 min, 2 h 05 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"


def _bar(share, width=16):
    done = min(int(share * width), width - 1)
    return f"[{'=' * done}>{' ' * (width - 1 - done)}]"


def _styled(text, style):
    return f"\033[{style}m{text}\033[0m"


def _is_terminal(stream):
    with contextlib.suppress(AttributeError, ValueError):  # closed from the start, or since
        return stream.isatty() and os.environ.get("TERM") != "dumb"
    return False


def _print(stream, text, end="\n"):
    # A terminal that is gone must not end a run that goes on.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        print(text, file=stream, end=end, flush=True)
