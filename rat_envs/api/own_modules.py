"""Modules of a user's own, in the folder in which a command runs: found there, too, while they are imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["own_modules"]


@contextmanager
def own_modules() -> Iterator[None]:
    """Within it, modules in the current folder are found after all others, as with ``python -m``.

    Only what a user has named is imported so: a file that happens to lie there stands in for no missing library.
    """
    try:
        here = os.getcwd()
    except OSError:  # the folder has been deleted
        here = ""
    if not here or here in sys.path:
        yield
        return
    sys.path.append(here)
    try:
        yield
    finally:
        with suppress(ValueError):
            sys.path.remove(here)
