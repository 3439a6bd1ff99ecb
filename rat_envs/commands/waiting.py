"""Progress on a terminal, nothing in a pipe."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import Progress

__all__ = ["counted", "waiting"]


@contextlib.contextmanager
def waiting(what: str) -> Iterator[None]:
    """A spinner while something goes on whose length is unknown."""
    with Console(stderr=True).status(f"{what} …"):
        yield


@contextlib.contextmanager
def counted(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar; yields a function to be called with how much is done, of how much."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
