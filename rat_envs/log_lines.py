"""Lines of progress in a log: now and then one, however often there is something to say."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

__all__ = ["LogLines"]


class LogLines:
    """Prints lines, and passes over those that come too soon after the one before.

    Args:
        seconds: between two lines, and before the first.
        stream: where to write; standard error, if not given.
    """

    def __init__(self, seconds: float, stream: TextIO | None = None) -> None:
        self.seconds = seconds
        self.stream = sys.stderr if stream is None else stream
        self.last = time.monotonic()

    def say(self, line: Callable[[], str], always: bool = False) -> None:
        """Print a line, which is made only if it is printed.

        Args:
            always: print it, however soon it comes.
        """
        if always or time.monotonic() - self.last >= self.seconds:
            self.last = time.monotonic()
            print(line(), file=self.stream, flush=True)
