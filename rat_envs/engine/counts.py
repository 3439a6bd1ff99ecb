"""Sets of components as counts by kind: the small loops that rules need. Numba compiles loops faster, and to faster
code, than array expressions."""

from __future__ import annotations

__all__ = ["add", "copy_all", "fill", "list_present", "move_all", "total"]


def fill(counts, number):
    """Set every entry of the one-dimensional ``counts`` to ``number``."""
    for kind in range(len(counts)):
        counts[kind] = number


def total(counts):
    """The sum of the one-dimensional ``counts``."""
    number = 0
    for kind in range(len(counts)):
        number += int(counts[kind])
    return number


def list_present(counts, kinds, start):
    """Write the kinds with a count of at least 1 into ``kinds`` from place ``start`` on, in order.

    Up to ``len(counts)`` entries may be overwritten.

    Returns:
        The number of these kinds.
    """
    number = 0
    for kind in range(len(counts)):
        kinds[start + number] = kind
        number += int(counts[kind] > 0)
    return number


def add(counts, others):
    """Add ``others`` to ``counts``, entry by entry."""
    for kind in range(len(counts)):
        counts[kind] += others[kind]


def move_all(source, target):
    """Add ``source`` to ``target`` and leave it empty."""
    add(target, source)
    fill(source, 0)


def copy_all(source, target):
    """Make ``target`` equal to ``source``: arrays of the same shape and dtype, contiguous in memory."""
    target[...] = source
