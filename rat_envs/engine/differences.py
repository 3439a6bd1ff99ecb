"""Where two rows of numbers differ, and by how much: many are looked at together."""

from __future__ import annotations

import numpy as np

__all__ = ["TOGETHER", "different", "list_different", "lowest_bit", "subtract_together"]

#: So many numbers are looked at together.
TOGETHER = 32


def different(some, others, start):
    """Which numbers from ``start`` on differ in two one-dimensional arrays of int8 without gaps in memory: of the 32
    lowest bits, bit k is set where those at ``start + k`` do. There must be as many numbers.

    Compiled code compares all at once, on any processor.
    """
    stretch = slice(start, start + TOGETHER)
    return sum(1 << int(k) for k in np.flatnonzero(some[stretch] != others[stretch]))


def lowest_bit(bits):
    """Which is the lowest bit that is set, of some that are."""
    return (bits & -bits).bit_length() - 1


def subtract_together(found, place, some, start, others):
    """Write what 32 numbers of ``some`` from ``start`` on are, less those of ``others`` from ``place`` on, into
    ``found`` from ``place`` on: one-dimensional arrays of int8 without gaps in memory, which have as many numbers.

    Compiled code subtracts all at once, on any processor.
    """
    here = slice(place, place + TOGETHER)
    found[here] = some[start : start + TOGETHER] - others[here]


def list_different(some, others, places, end):
    """Write where two one-dimensional arrays of int8 differ into ``places`` from ``end`` on, in order; where the list
    then ends.

    One more entry than there are may be overwritten.
    """
    size = len(some)
    if size < TOGETHER:
        for place in range(size):
            places[end] = place
            end += int(some[place] != others[place])
        return end
    for done in range(0, size, TOGETHER):
        start = min(done, size - TOGETHER)  # the last ones are looked at with some that were before
        bits = different(some, others, start) >> (done - start) << (done - start)
        while bits != 0:
            places[end] = start + lowest_bit(bits)
            end += 1
            bits &= bits - 1
    return end
