"""Sums of products, in one order everywhere: the building block of networks in compiled code."""

from __future__ import annotations

import numpy as np

__all__ = ["LANES", "inner_product"]

#: The number of sums that are added up side by side: as many as the widest processors add at once.
LANES = 16


def inner_product(some, others):
    """The sum of the products of two one-dimensional arrays of float32, of one length and contiguous in memory.

    Product k is added to sum k mod 16, one after the other; then the upper half of the sums to the lower half, until
    one is left. So the result is the same to the last digit on every processor, in interpreted and in compiled code,
    which takes 16 products at a time.
    """
    sums = np.zeros(LANES, np.float32)
    for start in range(0, len(some), LANES):
        products = some[start : start + LANES] * others[start : start + LANES]
        sums[: len(products)] += products
    while len(sums) > 1:
        half = len(sums) // 2
        sums = sums[:half] + sums[half:]
    return sums[0]
