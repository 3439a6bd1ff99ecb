"""Seeds made from the seed of a game, for those who must not know that seed: all chance comes from it."""

from __future__ import annotations

import hashlib

__all__ = ["one_way_seed"]


def one_way_seed(purpose: str, *numbers: int) -> int:
    """A seed of 64 bits made from these numbers: always the same one, and nobody can recover the numbers from it.

    Args:
        purpose: what it is for; no two purposes share random numbers.
        numbers: the seed of the game, and numbers that distinguish those who are given such seeds.
    """
    text = " ".join([purpose, *map(str, numbers)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
