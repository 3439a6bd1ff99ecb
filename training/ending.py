"""Asking a run to end before its budget is spent: by Ctrl-C, a batch scheduler, or a terminal that closes."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rat_envs.engine.interrupts import HeldBack, handling_sent, held_back

__all__ = ["Ending", "asked_to_end"]


class Ending:
    """Whether a run has been asked to end.

    Args:
        ctrl_c: notes a Ctrl-C; here also the signals that have the same meaning.
    """

    def __init__(self, ctrl_c: HeldBack) -> None:
        self._ctrl_c = ctrl_c
        self._sent: int | None = None

    @property
    def signal(self) -> int | None:
        """The number of the signal that has come; None if none has."""
        if not self._ctrl_c.has_come:
            return None
        return signal.SIGINT if self._sent is None else self._sent

    def handle(self, number: int, frame: Any) -> None:
        """Note the first signal. Later ones change nothing, because a terminal that closes may send several."""
        if not self._ctrl_c.has_come:
            self._sent = number
        self._ctrl_c.has_come = True


@contextmanager
def asked_to_end() -> Iterator[Ending]:
    """Let Ctrl-C, SIGTERM and the like ask the running work to end; a second Ctrl-C acts as usual.

    A program's own handlers of such signals stay, and so does ignoring them, as nohup does. Outside the main
    thread nothing changes.
    """
    with held_back() as ctrl_c:
        ending = Ending(ctrl_c)
        with handling_sent(ending.handle):
            yield ending
