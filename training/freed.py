"""Keeping freed memory in the process, because a learner frees and allocates the same arrays again and again."""

from __future__ import annotations

import ctypes
import functools

__all__ = ["keep_freed_memory"]

#: Parameters of glibc's ``mallopt`` (malloc.h): the size above which free memory at the end of the heap goes back to
#: the system, and the number of arrays that may have pages of their own, which go back at once.
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
#: The most free bytes kept at the end of the heap; free memory in between is always kept.
MOST_KEPT = 2**30


@functools.cache
def keep_freed_memory() -> bool:
    """Let the C library keep freed memory, if it can; return whether it does.

    Returning pages to the system and getting them back, zeroed, can take a fifth of the training time.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # another C library, or another system
        return False
    return bool(mallopt(M_MMAP_MAX, 0) and mallopt(M_TRIM_THRESHOLD, MOST_KEPT))
