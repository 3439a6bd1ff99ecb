"""Sets of components as counts by kind: the small loops that rules need. Numba compiles loops faster, and to faster
code, than array expressions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

__all__ = ["add", "copy_all", "copy_all_compiled", "fill", "list_present", "move_all", "total"]


def fill(counts, number):
    """Set every entry of the one-dimensional ``counts`` to ``number``."""
    for kind in range(len(counts)):
        counts[kind] = number


def total(counts):
    """The sum of the one-dimensional ``counts``."""
    number = 0
    for kind in range(len(counts)):
        number += counts[kind]
    return number


def list_present(counts, kinds, start):
    """Write the kinds of which there is at least one into ``kinds`` from place ``start`` on, in order.

    As many entries as there are kinds may be overwritten.

    Returns:
        How many kinds these are.
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
    """Make ``target`` equal to ``source``: arrays of any, but the same, shape and dtype, without gaps in memory."""
    target[...] = source


@functools.cache
def copy_all_compiled() -> Callable[..., Any]:
    """:func:`copy_all` for compiled code: bytes moved at once, as Numba's loops and assignments do not."""
    from numba.core import cgutils, types
    from numba.core.errors import TypingError
    from numba.extending import intrinsic
    from numba.np.arrayobj import make_array

    @intrinsic
    def copy_all(typing_context, source, target):
        same = (source.dtype, source.ndim, source.layout) == (target.dtype, target.ndim, "C")
        if not same:
            raise TypingError(f"copy_all wants arrays of one shape and dtype without gaps, not {source} and {target}.")

        def generate(context, builder, signature, arguments):
            kinds = zip(signature.args, arguments, strict=True)
            here, there = (make_array(kind)(context, builder, value) for kind, value in kinds)
            cgutils.raw_memcpy(builder, there.data, here.data, there.nitems, there.itemsize)
            return context.get_dummy_value()

        return types.void(source, target), generate

    return copy_all
