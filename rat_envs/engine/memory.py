"""A batch is one block of bytes; this module defines its layout and reads records from it.

Kernels reach a game's arrays as records at an offset, not as slices of arrays, which take far longer to compile.
"""

from __future__ import annotations

import numpy as np

from rat_envs.engine.game import Game
from rat_envs.engine.random import STREAM

__all__ = [
    "CACHE_LINE",
    "GAMES_PER_SCRATCH",
    "at_cache_line",
    "blank",
    "fetch_ahead",
    "layout",
    "record_at",
    "values",
]

#: There is one scratch record for this many games, so that threads do not share one.
GAMES_PER_SCRATCH = 1024
#: Bytes that a processor fetches at once.
CACHE_LINE = 64


def at_cache_line(array: np.ndarray) -> np.ndarray:
    """A copy that begins at a cache line, so that many numbers read at once are read in one piece."""
    room = np.empty(array.nbytes + CACHE_LINE, np.uint8)
    start = -room.ctypes.data % CACHE_LINE
    copied: np.ndarray = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copied[...] = array
    return copied


def values(kind: str, number: int) -> np.dtype:
    """A record of nothing but ``number`` values of a kind."""
    return np.dtype((np.record, [("values", kind, (number,))]))


def layout(game: Game) -> dict[str, np.dtype]:
    """The arrays of a batch in their order in memory, widest alignment first, each with one record per game.

    ``STREAMS`` of chance and ``PLAY_STREAMS`` of random play; ``REWARDS`` by seat; ``ACTORS``; ``ACTIONS``; ``ROWS``;
    ``OBSERVATIONS`` of the seat to act; ``MASKS``, padded with zeros to whole words of eight bytes; ``DONES``.
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
    return np.ndarray(1, dtype, memory.data, offset)[0]


def fetch_ahead(memory, offset, dtype):
    """Prefetch the record of ``dtype`` that lies ``offset`` bytes into ``memory`` into the processor's cache.

    Interpreted code does nothing; compiled code requests every cache line and goes on at once.
    """


def blank(dtype):
    """A record of zeros that the calling function, and what it calls, may write to; it must not be returned.

    Compiled code has it on the stack: unlike a new array it costs nothing to make, to count and to free. The same place
    in the code gives the same record again, zeroed anew.
    """
    return np.zeros(1, dtype)[0]
