"""Where two rows of numbers differ, and by how much: many numbers are processed at once."""

from __future__ import annotations

import numpy as np

__all__ = ["TOGETHER", "different", "list_different", "lowest_bit", "subtract_together"]

#: How many numbers are processed at once.
TOGETHER = 32


def different(some, others, start):
    """Which of the 32 numbers from ``start`` on differ in two contiguous one-dimensional arrays of int8: bit k is set
    if those at ``start + k`` do. There must be 32 numbers.

    Compiled code compares all at once, on any processor.
    """
    stretch = slice(start, start + TOGETHER)
    return sum(1 << int(k) for k in np.flatnonzero(some[stretch] != others[stretch]))


def lowest_bit(bits):
    """The number of the lowest bit that is set; at least one must be."""
    return (bits & -bits).bit_length() - 1


def subtract_together(found, place, some, start, others):
    """Write 32 numbers of ``some`` from ``start`` on, minus those of ``others`` from ``place`` on, into ``found`` from
    ``place`` on: contiguous one-dimensional arrays of int8 that have 32 numbers there.

    Compiled code subtracts all at once, on any processor.
    """
    here = slice(place, place + TOGETHER)
    found[here] = some[start : start + TOGETHER] - others[here]


def list_different(some, others, places, end):
    """Write the places where two one-dimensional arrays of int8 differ into ``places`` from ``end`` on, in order; the
    new end.

    One more entry, after the new end, may be overwritten.
    """
    size = len(some)
    if size < TOGETHER:
        for place in range(size):
            places[end] = place
            end += int(some[place] != others[place])
        return end
    for done in range(0, size, TOGETHER):
        start = min(done, size - TOGETHER)  # the last ones are compared with some that were before
        bits = different(some, others, start) >> (done - start) << (done - start)
        while bits != 0:
            places[end] = start + lowest_bit(bits)
            end += 1
            bits &= bits - 1
    return end
