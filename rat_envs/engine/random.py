"""One counter-based stream of random bits per game.

A stream is a record of two 64-bit numbers: a key made from the seed, and the number of draws so far. The k-th draw is
SplitMix64 (Steele, Lea and Flood 2014) of the two, in integer arithmetic only: the same seed gives the same numbers on
any machine, alone or in a batch, compiled or interpreted. The functions are part of what is compiled into a game.
"""

from __future__ import annotations

import numpy as np

from rat_envs.engine.attributes import with_attributes
from rat_envs.engine.counts import total

__all__ = [
    "CHANCE_STREAM",
    "FUTURE_STREAM",
    "OWN_STREAM",
    "PLAY_STREAM",
    "SEARCH_STREAM",
    "SOLVER_STREAM",
    "STREAM",
    "draw_below",
    "draw_set_byte",
    "draw_weighted",
    "mix",
    "next_bits",
    "seed_stream",
]

STREAM = with_attributes(np.dtype((np.record, [("key", "u8"), ("counter", "u8")])))

#: Purposes of streams, so that no two with the same seed share numbers: chance in a game, random play in it, a separate
#: stream, what is still to come in a determinized game, and a solver, which determinizes none.
CHANCE_STREAM, PLAY_STREAM, OWN_STREAM, FUTURE_STREAM, SOLVER_STREAM = 0, 1, 2, 3, 3
#: The purpose of a search; halving uses the numbers from this one on, one for each turn.
SEARCH_STREAM = 4

ONE = np.uint64(1)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
SHIFT_27 = np.uint64(27)
SHIFT_30 = np.uint64(30)
SHIFT_31 = np.uint64(31)
SHIFT_32 = np.uint64(32)
SHIFT_7 = np.uint64(7)
SHIFT_56 = np.uint64(56)
EACH_BYTE = np.uint64(0x0101010101010101)
HIGH_BITS = np.uint64(0x8080808080808080)
#: The number of weights that ``draw_weighted`` passes over at once.
BLOCK = 8
LOW_32 = np.uint64(0xFFFFFFFF)


def mix(bits):
    """SplitMix64's finalizer: a bijection on 64-bit numbers that spreads every bit."""
    bits = (bits ^ (bits >> SHIFT_30)) * MIX_1
    bits = (bits ^ (bits >> SHIFT_27)) * MIX_2
    return bits ^ (bits >> SHIFT_31)


def seed_stream(stream, seed, purpose):
    """Restart ``stream``; equal seeds with different ``purpose`` give unrelated streams."""
    stream.key = mix(mix(np.uint64(seed) + GOLDEN) ^ (np.uint64(purpose) * GOLDEN))
    stream.counter = np.uint64(0)


def next_bits(stream):
    """The next 64 random bits of ``stream``."""
    stream.counter += ONE
    return mix(stream.key + stream.counter * GOLDEN)


def draw_below(stream, bound):
    """A uniform whole number from 0 to ``bound`` − 1, without bias (Lemire 2019); ``bound`` is below 2**32."""
    limit = np.uint64(bound)
    while True:
        product = (next_bits(stream) >> SHIFT_32) * limit
        low = product & LOW_32
        if low >= limit or low >= (LOW_32 + ONE - limit) % limit:
            return np.int64(product >> SHIFT_32)


def draw_set_byte(stream, words):
    """A uniform place among the bytes that are 1, the others being 0, in 64-bit ``words`` (a mask, eight at a time).

    Multiplying a word by ``EACH_BYTE`` turns each byte into the sum of the bytes up to it.
    """
    number = np.uint64(0)
    for word in words:
        number += (word * EACH_BYTE) >> SHIFT_56
    left = np.uint64(draw_below(stream, number))
    number = np.uint64(0)
    before = np.uint64(0)
    place = 0
    for word in words:  # to the end: leaving early would cost more
        number += (word * EACH_BYTE) >> SHIFT_56
        if number <= left:
            before = number
            place += 1
    left -= before
    passed = ((left * EACH_BYTE | HIGH_BITS) - words[place] * EACH_BYTE) & HIGH_BITS
    return 8 * place + np.int64(((passed >> SHIFT_7) * EACH_BYTE) >> SHIFT_56)


def draw_weighted(stream, weights):
    """A place in ``weights`` (whole numbers, not all 0), with probability proportional to its weight."""
    left = draw_below(stream, total(weights))
    start = 0
    for end in range(BLOCK, len(weights), BLOCK):  # pass over whole blocks: their sums are quick
        block = 0
        for place in range(end - BLOCK, end):
            block += weights[place]
        if left < block:
            break
        left -= block
        start = end
    passed = 0
    place = start
    for number in range(start, min(start + BLOCK, len(weights))):  # to the end: leaving early would cost more
        passed += weights[number]
        place += passed <= left
    return place
