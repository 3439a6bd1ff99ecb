"""Memory that is freed stays with the process: a learner frees and takes the same arrays again and again."""

from __future__ import annotations

import ctypes
import functools

__all__ = ["keep_freed_memory"]

#: Of glibc's ``mallopt`` (malloc.h): above which size what is free at the end goes back to the system, and how many
#: arrays may have pages of their own, which go back at once.
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
#: Bytes at the end; in between everything is kept.
MOST_KEPT = 2**30


@functools.cache
def keep_freed_memory() -> bool:
    """Let the C library keep what is freed, where it is one that can; whether it does.

    To give pages back to the system and get them again, emptied, can take a fifth of the time of learning.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # another C library, or another system
        return False
    return bool(mallopt(M_MMAP_MAX, 0) and mallopt(M_TRIM_THRESHOLD, MOST_KEPT))
