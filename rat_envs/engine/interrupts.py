"""Ctrl-C at moments when it must not do, or not only do, what it usually does. In other threads nothing changes."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

__all__ = ["SENT", "HeldBack", "Postponed", "handling_sent", "held_back", "postponed"]

#: The signals by which schedulers and terminals end a process, as far as the system has them: SIGUSR1 and SIGUSR2 some
#: time before, if a job asks for it; SIGBREAK is Windows's.
NAMES = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGBREAK")
SENT = tuple(getattr(signal, name) for name in NAMES if hasattr(signal, name))
#: Libraries whose own handlers only end the process, and with it what has not been saved.
ENDING = frozenset({"ray"})


class HeldBack:
    """A Ctrl-C that is noted, so that work in progress can finish.

    It is not a ``threading.Event``: a signal that came while the handler of another one sets an event would wait for
    its lock for ever.

    Attributes:
        has_come: whether there was one.
    """

    has_come = False

    def handle(self, before: Any, number: int, frame: Any) -> None:
        """Note the first, and let the second act as usual."""
        if self.has_come and callable(before):
            before(number, frame)
        self.has_come = True


@contextmanager
def held_back() -> Iterator[HeldBack]:
    """The first Ctrl-C is noted; the second acts as usual."""
    interruption = HeldBack()
    with _handling(interruption.handle):
        yield interruption


class Postponed:
    """A Ctrl-C that waits for a moment at which it may act.

    Attributes:
        has_raised: whether it has raised a ``KeyboardInterrupt``, which may have been lost on its way.
    """

    def __init__(self) -> None:
        self.has_raised = False
        self._waiting: Callable[[], None] | None = None

    def handle(self, before: Any, number: int, frame: Any) -> None:
        """Let the first wait, and the second act as usual."""
        if callable(before):
            is_second = self._waiting is not None
            self._waiting = partial(before, number, frame)
            if is_second:
                self.act()

    def act(self) -> None:
        """Let a waiting Ctrl-C, if there is one, do what it usually does."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            try:
                waiting()
            except KeyboardInterrupt:
                self.has_raised = True
                raise


@contextmanager
def postponed() -> Iterator[Postponed]:
    """Ctrl-C waits until it is told to act, at the end at the latest."""
    interruption = Postponed()
    try:
        with _handling(interruption.handle):
            yield interruption
    finally:
        interruption.act()


@contextmanager
def handling_sent(handle: Callable[[int, Any], None]) -> Iterator[None]:
    """Handle all of ``SENT``.

    A program's own handlers of them stay, and signals that are ignored, as under nohup, stay ignored.
    """
    is_main = threading.current_thread() is threading.main_thread()
    before = {number: signal.getsignal(number) for number in SENT if is_main}
    taken = {number: handler for number, handler in before.items() if handler is signal.SIG_DFL or _only_ends(handler)}
    for number in taken:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in taken.items():
            signal.signal(number, handler)


def _only_ends(handler: Any) -> bool:
    """Whether it is the handler of a library that ends the process and does nothing else."""
    return (getattr(handler, "__module__", None) or "").partition(".")[0] in ENDING


@contextmanager
def _handling(handle: Callable[[Any, int, Any], None]) -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:  # None: not Python's
        yield
        return
    signal.signal(signal.SIGINT, lambda number, frame: handle(before, number, frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
