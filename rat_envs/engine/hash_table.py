"""A hash table with open addressing: ``slots`` says where in an array of records the one with a given key is.

A template that uses it is bound with the functions that begin the look-up and compare keys: :data:`BY_WORDS` if the
field ``key`` of a record is an array of 64-bit words.
"""

from __future__ import annotations

import numpy as np

from rat_envs.engine.contract import declared
from rat_envs.engine.hashing import hash_words

__all__ = ["BY_WORDS", "EMPTY", "begins_at", "find_slot", "has_key", "rehashed"]

#: The value of a slot that has no record.
EMPTY = -1


@declared
def begins_at(key):
    """A well-mixed 64-bit number made from a key."""


@declared
def has_key(record, key):
    """Whether a record has this key."""


def find_slot(slots, records, key):
    """The slot that holds the number of the record with this key, or the empty one where it belongs.

    Args:
        slots: int32; their number is a power of two, and some are empty.
    """
    last = len(slots) - 1
    slot = np.int64(begins_at(key) & np.uint64(last))
    while slots[slot] != EMPTY and not has_key(records[slots[slot]], key):
        slot = (slot + 1) & last
    return slot


def rehashed(slots, records, number):
    """A table of twice the size for the first ``number`` records, by their field ``key``."""
    larger = np.full(2 * len(slots), EMPTY, np.int32)
    for i in range(number):
        larger[find_slot(larger, records, records[i].key)] = i
    return larger


def has_words(record, key):
    """Whether a record has this key, word by word."""
    for k in range(len(key)):
        if record.key[k] != key[k]:
            return False
    return True


BY_WORDS = {begins_at: hash_words, has_key: has_words}
