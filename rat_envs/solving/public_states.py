"""Public states as records of a game's row, found again by hash. All but :func:`record_with_row` are templates."""

from __future__ import annotations

from typing import Any

import numpy as np

from rat_envs.engine.contract import actor, simultaneous
from rat_envs.engine.game import CHANCE, TERMINAL, Game
from rat_envs.engine.hashing import hash_words

__all__ = [
    "CHANCE_NODE",
    "END",
    "ONE_SEAT",
    "TWO_SEATS",
    "copy_row",
    "find",
    "grown",
    "kind_of",
    "record_with_row",
    "rehash",
]

#: Kinds of public states.
CHANCE_NODE, ONE_SEAT, TWO_SEATS, END = range(4)


def record_with_row(game: Game, fields: list[tuple[str, Any]]) -> np.dtype:
    """A record of a game's row, seen also as 64-bit ``words`` for hashing, and of ``fields``."""
    words = -(-game.state.itemsize // 8)
    placed: list[tuple[str, Any, int]] = [("row", game.state, 0), ("words", ("u8", (words,)), 0)]
    offset = 8 * words
    for name, kind in fields:
        placed.append((name, kind, offset))
        offset += np.dtype(kind).itemsize
    names, formats, offsets = zip(*placed, strict=True)
    return np.dtype((np.record, {"names": names, "formats": formats, "offsets": offsets, "itemsize": offset}))


def find(slots, nodes, words):
    """The slot that holds the state with these words, or the empty one where it belongs."""
    last = len(slots) - 1
    slot = np.int64(hash_words(words)) & last
    while slots[slot] >= 0 and not same(nodes[slots[slot]].words, words):
        slot = (slot + 1) & last
    return slot


def same(words, others):
    """Whether two rows are equal."""
    for k in range(len(words)):
        if words[k] != others[k]:
            return False
    return True


def grown(array):
    """A copy of ``array`` with room for twice as much."""
    larger = np.empty(2 * len(array), array.dtype)
    for i in range(len(array)):
        larger[i] = array[i]
    return larger


def rehash(slots, nodes, number):
    """A hash table of twice the size for the first ``number`` states."""
    larger = np.full(2 * len(slots), -1, np.int32)
    for i in range(number):
        larger[find(larger, nodes, nodes[i].words)] = i
    return larger


def kind_of(row):
    """What kind of public state a row is."""
    seat = actor(row)
    if seat == TERMINAL:
        return END
    if seat == CHANCE:
        return CHANCE_NODE
    return TWO_SEATS if simultaneous(row) else ONE_SEAT


def copy_row(source, target):
    """Copy a row from one frame or node to another."""
    for k in range(len(source.words)):
        target.words[k] = source.words[k]
