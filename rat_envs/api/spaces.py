"""Spaces of a game's observations and actions, and the names of its agents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces

from rat_envs.engine.game import Game

__all__ = ["LegalActions", "agent_names", "masked_observation_space", "vector_space"]

INT8 = np.iinfo(np.int8)


def agent_names(players: int) -> list[str]:
    """``player_0``, ``player_1``, … clockwise."""
    return [f"player_{seat}" for seat in range(players)]


class LegalActions(spaces.Discrete):
    """The actions by number; ``sample()`` without a mask draws one that is legal at the moment.

    Args:
        n: number of actions.
        legal: the mask of the moment, (n,) int8.
    """

    def __init__(self, n: int, legal: Callable[[], np.ndarray]) -> None:
        super().__init__(n)
        #: The mask of the moment.
        self.legal = legal

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """A random action: legal, or as the mask or the probabilities say."""
        if mask is None and probability is None:
            mask = self.legal()
        return super().sample(mask, probability)


def vector_space(game: Game) -> spaces.Box:
    """The observation as a flat int8 vector."""
    return spaces.Box(INT8.min, INT8.max, (game.observation.itemsize,), np.int8)


def masked_observation_space(game: Game, actions: int) -> spaces.Dict:
    """``{"observation": int8 vector, "action_mask": int8 vector of 0 and 1}``."""
    mask = spaces.Box(0, 1, (actions,), np.int8)
    return spaces.Dict({"observation": vector_space(game), "action_mask": mask})
