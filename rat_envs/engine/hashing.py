"""A 64-bit hash of words: plain functions that compiled code copies, and that take numpy arrays as well."""

from __future__ import annotations

import numpy as np

__all__ = ["add_word", "hash_words"]

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(29)


def hash_words(words):
    """A 64-bit hash of some words."""
    mixed = np.uint64(1)
    for word in words:
        mixed = add_word(mixed, word)
    return mixed


def add_word(mixed, word):
    """A hash continued by one more word."""
    mixed = (mixed ^ np.uint64(word)) * MULTIPLIER
    return mixed ^ (mixed >> SHIFT)
