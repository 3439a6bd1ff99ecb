"""How a run is asked to end before its budget is spent: by Ctrl-C, by a batch scheduler, by a terminal that closes."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rat_envs.engine.interrupts import SENT, HeldBack, handling_sent, held_back

__all__ = ["Ending", "asked_to_end", "inherited_by_none"]


class Ending:
    """Whether a run has been asked to end.

    Args:
        ctrl_c: notes a Ctrl-C, and here what has the same meaning.
    """

    def __init__(self, ctrl_c: HeldBack) -> None:
        self._ctrl_c = ctrl_c
        self._sent: int | None = None

    @property
    def signal(self) -> int | None:
        """The number of the signal that has asked; None as long as none has."""
        if not self._ctrl_c.has_come:
            return None
        return signal.SIGINT if self._sent is None else self._sent

    def handle(self, number: int, frame: Any) -> None:
        """Note the first signal; more of them hurry nothing, as a terminal that closes may send several."""
        if not self._ctrl_c.has_come:
            self._sent = number
        self._ctrl_c.has_come = True


@contextmanager
def asked_to_end() -> Iterator[Ending]:
    """Ctrl-C, SIGTERM and SIGHUP ask what is under way to end; a later Ctrl-C acts as usual.

    A program's own handlers of SIGTERM and SIGHUP stay, and so does what ignores them, as nohup does. In other threads
    than the main one nothing changes.
    """
    with held_back() as ctrl_c:
        ending = Ending(ctrl_c)
        with handling_sent(ending.handle):
            yield ending


@contextmanager
def inherited_by_none() -> Iterator[None]:
    """Processes that are started meanwhile never get SIGTERM and SIGHUP, which schedulers send to all of a run."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SENT)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
