"""Commands as somebody types them."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterable

__all__ = ["as_typed"]


def as_typed(words: Iterable[str]) -> str:
    """A command that somebody is told to type, as the shells of this system read it.

    Commands on pages and in files, which are the same on every system, are written by ``shlex.join``.
    """
    return subprocess.list2cmdline([*words]) if sys.platform == "win32" else shlex.join(words)
