"""Heuristics: rules of thumb, declared by every game (``Game.heuristics``).

Such a function is ``(observation, mask) -> action`` over the named fields of an observation, in the part of Python that
Numba compiles: all seats of a batch are answered in one call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rat_envs.api.agent import Agent
from rat_envs.api.seats import SeatViews
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.contract import declared
from rat_envs.engine.errors import UnknownNameError, shown
from rat_envs.engine.game import Game
from rat_envs.engine.program import program

__all__ = ["HeuristicAgent", "choose", "heuristic"]


@declared
def choose(observation, mask):
    """The legal action that the heuristic chooses."""


def choose_all(observations, masks, actions):
    """Write the heuristic's action for every seat."""
    for i in range(len(actions)):
        actions[i] = choose(observations[i], masks[i])


class HeuristicAgent(Agent):
    """Plays by a heuristic of the game, always the same in the same situation.

    Args:
        name: the heuristic's name; most games have ``greedy``.
        seed: not used.

    Raises:
        UnknownNameError: the game has no such heuristic.
    """

    def __init__(self, name: str, seed: int | None = None) -> None:
        super().__init__(seed)
        self.name = name

    def check(self, game: Game, configuration: Configuration) -> None:
        """Refuse games that do not have the heuristic."""
        heuristic(self.name, game)

    def act_batch(self, views: SeatViews) -> np.ndarray:
        """(n) int64: the heuristic's actions."""
        rule = heuristic(self.name, views.game)
        actions = np.zeros(len(views), np.int64)
        observations = np.ascontiguousarray(views.observations).view(views.game.observation)[:, 0]
        program(views.game).bind(choose_all, {choose: rule})(observations, views.masks, actions)
        return actions

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A): 1 for the heuristic's action."""
        policy = np.zeros(views.masks.shape)
        policy[np.arange(len(views)), self.act_batch(views)] = 1
        return policy


def heuristic(name: str, game: Game) -> Callable[[Any, Any], int]:
    """The function of that name for a game.

    Raises:
        UnknownNameError: the game has none.
    """
    if name not in game.heuristics:
        having = f"it has {', '.join(game.heuristics)}" if game.heuristics else "it has none"
        raise UnknownNameError(f"{game.name} has no heuristic {shown(name)}: {having}.")
    return game.heuristics[name]
