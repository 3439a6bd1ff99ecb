"""Brute force over a small game tree."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from rat_envs.solving.game_tree import GameTree


def pure_policies(tree: GameTree, seat: int, policy: np.ndarray) -> Iterator[np.ndarray]:
    """Every policy in which ``seat`` never mixes, and all others do as in ``policy``."""
    own = tree.sets[tree.sets["seat"] == seat]
    for choice in itertools.product(*(range(one["actions"]) for one in own)):
        pure = policy.copy()
        for one, k in zip(own, choice, strict=True):
            pure[one["first_sequence"] : one["first_sequence"] + one["actions"]] = 0
            pure[one["first_sequence"] + k] = 1
        yield pure
