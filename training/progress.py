"""Showing the progress of a training run: a bar on a terminal, now and then a line in a pipe."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO

from rat_envs.log_lines import LogLines

__all__ = ["Report", "show_progress"]


#: Seconds from which the remaining time is not shown: a hundred years.
LONGEST = 100 * 365 * 86_400


@dataclass(frozen=True)
class Report:
    """The progress of a training run after an update.

    Attributes:
        updates: updates of the networks so far.
        steps: steps of the learner so far: its moves, or the states from which it has looked ahead.
        seconds: time spent on training so far, including before interruptions.
        fraction: part of the budget that is spent, from 0 to 1.
        steps_per_second: since the run was started or resumed.
        seconds_left: until the budget is spent, if it goes on at this speed; None if unknown.
        saved: whether a checkpoint has just been written.
        returns: mean return of the learner's recent games against each opponent by name, and against ``selves``.
        expected: the return that the learner expects at the start of a game, by circumstance.
        entropy: mean entropy of the learner's recent choices, in nats; None if the learner does not report it.
        imitated: the agent that the learner still imitates; None where it does not.
    """

    updates: int
    steps: int
    seconds: float
    fraction: float
    steps_per_second: float
    saved: bool
    returns: Mapping[str, float] = field(default_factory=dict)
    expected: Mapping[str, float] = field(default_factory=dict)
    entropy: float | None = None
    imitated: str | None = None
    seconds_left: float | None = None

    def words(self) -> str:
        """One line for a person."""
        parts = [f"{self.steps:,} steps", f"{self.updates} updates", f"{self.steps_per_second:,.0f} steps/s"]
        if self.imitated:
            parts.append(f"imitating {self.imitated}")
        if self.expected:
            parts.append("expects " + ", ".join(f"{value:+.2f} {name}" for name, value in self.expected.items()))
        if self.returns:
            named = {"earlier selves" if name == "selves" else name: mean for name, mean in self.returns.items()}
            parts.append("mean return " + ", ".join(f"{mean:+.2f} against {name}" for name, mean in named.items()))
        return ", ".join(parts)

    def time_left(self) -> str:
        """The remaining time in words; empty if it is unknown or infinite."""
        if self.seconds_left is None or self.seconds_left > LONGEST:
            return ""
        minutes = self.seconds_left / 60
        if minutes < 1:
            return "less than 1 min left"
        return f"about {minutes:.0f} min left" if minutes < 100 else f"about {minutes / 60:.0f} h left"


@contextmanager
def show_progress(stream: TextIO | None = None, seconds: float = 10.0) -> Iterator[Callable[[Report], None]]:
    """A function for the argument ``progress`` of ``train``.

    Args:
        stream: where to write; standard error, if not given.
        seconds: time between two lines if ``stream`` is not a terminal.
    """
    stream = sys.stderr if stream is None else stream
    if not stream.isatty():
        yield _lines(stream, seconds)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = [
        TextColumn("Training"),
        BarColumn(bar_width=20),
        TextColumn("{task.percentage:3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        TextColumn("{task.description}", markup=False),  # names of opponents are in it
    ]
    bar = Progress(*columns, console=Console(file=stream))
    task = bar.add_task("", total=1.0, left="")
    bar.start()
    try:
        yield lambda report: bar.update(
            task, completed=report.fraction, description=report.words(), left=report.time_left()
        )
    finally:
        with contextlib.suppress(OSError):  # the terminal may have been closed
            bar.stop()


def _lines(stream: TextIO, seconds: float) -> Callable[[Report], None]:
    lines = LogLines(seconds, stream)

    def line(report: Report) -> str:
        left = report.time_left() if report.fraction < 1 else ""
        return f"{report.fraction:4.0%}  {', '.join(filter(None, (left, report.words())))}"

    return lambda report: lines.say(lambda: line(report), always=report.fraction >= 1)
