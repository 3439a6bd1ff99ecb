"""A batch is one block of bytes; this says what lies where, and reads records out of it.

Kernels reach a game's arrays as records at an offset, not as slices of arrays, which take far longer to compile.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from rat_envs.engine.game import Game
from rat_envs.engine.random import STREAM

__all__ = [
    "GAMES_PER_SCRATCH",
    "blank",
    "blank_compiled",
    "fetch_ahead",
    "fetch_ahead_compiled",
    "layout",
    "record_at",
    "record_at_compiled",
    "values",
]

#: There is one scratch record for this many games, so that threads do not share one.
GAMES_PER_SCRATCH = 1024
#: Bytes that a processor fetches at once, and what LLVM calls a fetch of data to be written, into the nearest cache.
CACHE_LINE = 64
WRITE, NEAREST, DATA = 1, 3, 1


def values(kind: str, number: int) -> np.dtype:
    """A record of nothing but ``number`` values of a kind."""
    return np.dtype((np.record, [("values", kind, (number,))]))


def layout(game: Game) -> dict[str, np.dtype]:
    """The arrays of a batch in their order in memory, widest alignment first, each with one record a game.

    ``streams`` of chance and ``play_streams`` of random play; ``rewards`` by seat; ``actors``; ``actions``; ``rows``;
    ``observations`` of the seat to act; ``masks``, filled up with zeros to whole words of eight; ``dones``.
    """
    return {
        "STREAMS": STREAM,
        "PLAY_STREAMS": STREAM,
        "REWARDS": values("f4", game.seats),
        "ACTORS": np.dtype((np.record, [("seat", "i4")])),
        "ACTIONS": np.dtype((np.record, [("number", "i4")])),
        "ROWS": game.state,
        "OBSERVATIONS": game.observation,
        "MASKS": values("i1", -(-len(game.actions) // 8) * 8),
        "DONES": np.dtype((np.record, [("done", "i1")])),
    }


def record_at(memory, offset, dtype):
    """The record of ``dtype`` that lies ``offset`` bytes into ``memory``; a view, not a copy.

    ``memory`` is an array of bytes here, and its address in compiled code.
    """
    return memory[offset : offset + dtype.itemsize].view(dtype)[0]


@functools.cache
def record_at_compiled() -> Callable[..., Any]:
    """:func:`record_at` for compiled code."""
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def record_at(typing_context, memory, offset, dtype):
        def generate(context, builder, signature, arguments):
            address, offset, _ = arguments
            return builder.inttoptr(builder.add(address, offset), context.get_value_type(signature.return_type))

        return dtype.dtype(types.int64, types.int64, dtype), generate

    return record_at


def fetch_ahead(memory, offset, dtype):
    """Have the record of ``dtype`` that lies ``offset`` bytes into ``memory`` brought into the processor's cache.

    Nothing happens here; compiled code asks for every cache line and goes on at once.
    """


@functools.cache
def fetch_ahead_compiled() -> Callable[..., Any]:
    """:func:`fetch_ahead` for compiled code."""
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    @intrinsic
    def fetch_ahead(typing_context, memory, offset, dtype):
        size = dtype.dtype.size

        def generate(context, builder, signature, arguments):
            address, offset, _ = arguments
            number, flag = cgutils.intp_t, ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, flag, flag, flag])
            prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
            first = builder.add(address, offset)
            for line in range(0, size + CACHE_LINE - 1, CACHE_LINE):
                place = builder.inttoptr(builder.add(first, number(line)), cgutils.voidptr_t)
                builder.call(prefetch, [place, flag(WRITE), flag(NEAREST), flag(DATA)])
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, dtype), generate

    return fetch_ahead


def blank(dtype):
    """A record of zeros that its function, and what that calls, may write in; it must not be returned.

    Compiled code has it on the stack: unlike a new array it costs nothing to make, to count and to free. The same place
    in the code gives the same record again, zeroed anew.
    """
    return np.zeros(1, dtype)[0]


@functools.cache
def blank_compiled() -> Callable[..., Any]:
    """:func:`blank` for compiled code."""
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    @intrinsic
    def blank(typing_context, dtype):
        def generate(context, builder, signature, arguments):
            record = context.get_data_type(signature.return_type)
            place = cgutils.alloca_once(builder, record)
            place.align = 16  # as arrays have it
            cgutils.memset(builder, place, context.get_constant(types.intp, dtype.dtype.size), 0)
            return place

        return dtype.dtype(dtype), generate

    return blank
