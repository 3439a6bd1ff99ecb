"""Ctrl-C at moments when it must not do, or not only do, what it usually does. In other threads nothing changes."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["held_back", "noticed"]


@contextmanager
def held_back() -> Iterator[threading.Event]:
    """An event that is set by the first Ctrl-C, so that what is under way can end; the second acts as usual."""
    event = threading.Event()

    def handle(before: Any, number: int, frame: Any) -> None:
        if event.is_set() and callable(before):
            before(number, frame)
        event.set()

    with _handling(handle):
        yield event


@contextmanager
def noticed() -> Iterator[threading.Event]:
    """An event that is set when Ctrl-C has raised a ``KeyboardInterrupt``, wherever that may be lost."""
    event = threading.Event()

    def handle(before: Any, number: int, frame: Any) -> None:
        try:
            if callable(before):
                before(number, frame)
        except KeyboardInterrupt:
            event.set()
            raise

    with _handling(handle):
        yield event


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
