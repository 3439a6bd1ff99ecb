"""Public states as records of a game's row. All functions but :func:`record_with_row` are templates."""

from __future__ import annotations

from typing import Any

import numpy as np

from rat_envs.engine.contract import actor, simultaneous
from rat_envs.engine.game import CHANCE, TERMINAL, Game

__all__ = [
    "CHANCE_NODE",
    "END",
    "ONE_SEAT",
    "TWO_SEATS",
    "copy_row",
    "grown",
    "kind_of",
    "record_with_row",
]

#: Kinds of public states.
CHANCE_NODE, ONE_SEAT, TWO_SEATS, END = range(4)


def record_with_row(game: Game, fields: list[tuple[str, Any]]) -> np.dtype:
    """A record dtype of a game's row, also viewed as 64-bit words, its ``key`` in a hash table, and ``fields``."""
    words = -(-game.state.itemsize // 8)
    placed: list[tuple[str, Any, int]] = [("row", game.state, 0), ("key", ("u8", (words,)), 0)]
    offset = 8 * words
    for name, kind in fields:
        placed.append((name, kind, offset))
        offset += np.dtype(kind).itemsize
    names, formats, offsets = zip(*placed, strict=True)
    return np.dtype((np.record, {"names": names, "formats": formats, "offsets": offsets, "itemsize": offset}))


def grown(array):
    """A copy of ``array`` with room for twice as much."""
    larger = np.empty(2 * len(array), array.dtype)
    for i in range(len(array)):
        larger[i] = array[i]
    return larger


def kind_of(row):
    """The kind of public state of a row."""
    seat = actor(row)
    if seat == TERMINAL:
        return END
    if seat == CHANCE:
        return CHANCE_NODE
    return TWO_SEATS if simultaneous(row) else ONE_SEAT


def copy_row(source, target):
    """Copy a row from one frame or node to another."""
    for k in range(len(source.key)):
        target.key[k] = source.key[k]
