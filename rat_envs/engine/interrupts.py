"""Ctrl-C at moments when it must not do, or not only do, what it usually does. In other threads nothing changes."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

__all__ = ["SENT", "HeldBack", "Postponed", "handling_sent", "held_back", "postponed"]

#: The signals by which schedulers and terminals end a process, as far as the system has them; SIGBREAK is Windows's.
SENT = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name))


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
    """Handle SIGTERM, SIGHUP and SIGBREAK.

    A program's own handlers of them stay, and signals that are ignored, as under nohup, stay ignored.
    """
    is_main = threading.current_thread() is threading.main_thread()
    taken = [number for number in SENT if is_main and signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


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
