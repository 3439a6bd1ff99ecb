"""The random stream: known numbers, no bias, independence of streams."""

from __future__ import annotations

import numpy as np
import pytest
from stones import STONES

from rat_envs.engine.position import new_stream
from rat_envs.engine.program import program
from rat_envs.engine.random import STREAM

MASK = (1 << 64) - 1


def splitmix(key: int, counter: int) -> int:
    """SplitMix64 as published, in Python's whole numbers."""
    bits = (key + counter * 0x9E3779B97F4A7C15) & MASK
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
    return bits ^ (bits >> 31)


@pytest.mark.parametrize("compiled", [True, False])
def test_the_stream_is_splitmix64(compiled):
    functions = program(STONES, compiled)
    streams = np.zeros(1, STREAM)
    streams[0]["key"] = 1234567
    drawn = [int(functions.next_bits(streams[0])) for _ in range(5)]
    assert drawn == [splitmix(1234567, counter) for counter in range(1, 6)]
    # The published reference output for seed 1234567.
    assert drawn[:3] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 10, 1000])
def test_draw_below_is_uniform(bound):
    functions, stream = program(STONES), new_stream(STONES, bound)
    drawn = np.array([functions.draw_below(stream, bound) for _ in range(8000)])
    assert drawn.min() >= 0
    assert drawn.max() < bound
    cells = min(bound, 10)
    counts = np.bincount(drawn * cells // bound, minlength=cells)
    assert ((counts - 8000 / cells) ** 2 / (8000 / cells)).sum() < 30


def test_draw_weighted_and_draw_set_byte_have_their_chances():
    functions, stream = program(STONES), new_stream(STONES, 5)
    weights = np.array([0, 3, 0, 1, 6, 0], np.int32)
    counts = np.bincount([functions.draw_weighted(stream, weights) for _ in range(10000)], minlength=6)
    assert counts[[0, 2, 5]].tolist() == [0, 0, 0]
    assert counts[[1, 3, 4]] == pytest.approx([3000, 1000, 6000], abs=250)
    for legal in ([0], [7], [8], [0, 5, 7], [3, 8, 15, 16, 23], list(range(24))):
        mask = np.zeros(24, np.int8)
        mask[legal] = 1
        counts = np.bincount([functions.draw_set_byte(stream, mask.view(np.uint64)) for _ in range(3000)], minlength=24)
        assert np.flatnonzero(counts).tolist() == legal
        assert counts[legal] == pytest.approx(3000 / len(legal), rel=0.35)


def test_neighbouring_seeds_and_purposes_are_unrelated():
    streams = np.zeros(3, STREAM)
    seed = program(STONES).seed_stream
    seed(streams[0], np.uint64(1), 0)
    seed(streams[1], np.uint64(2), 0)
    seed(streams[2], np.uint64(1), 1)
    bits = [bin(int(streams[a]["key"]) ^ int(streams[b]["key"])).count("1") for a, b in ((0, 1), (0, 2), (1, 2))]
    assert all(12 < number < 52 for number in bits)
