"""Rules of thumb: one module for each game, with ``choose(observation, mask) -> action`` over the named fields of an
observation, in the part of Python that Numba compiles."""

from __future__ import annotations

import importlib

import numpy as np

from agents.protocol import Agent
from rat_envs.api.seats import SeatViews
from rat_envs.engine.errors import UnknownNameError
from rat_envs.engine.game import Game
from rat_envs.engine.program import program

__all__ = ["GreedyAgent"]

choose = None


def choose_all(observations, masks, actions):
    """Write the rule of thumb's action for every seat."""
    for i in range(len(actions)):
        actions[i] = choose(observations[i], masks[i])


class GreedyAgent(Agent):
    """Does at once what looks best, by the rule of thumb of the game at hand.

    Raises:
        UnknownNameError: there is no rule of thumb for a game.
    """

    name = "greedy"

    def act_batch(self, views: SeatViews) -> np.ndarray:
        """(n) int64: the rule of thumb's actions."""
        game = views.game
        bound = program(game)
        if "choose" not in bound.names:
            bound.names["choose"] = _rule_of_thumb(game)
        actions = np.zeros(len(views), np.int64)
        observations = np.ascontiguousarray(views.observations).view(game.observation)[:, 0]
        bound.bind(choose_all)(observations, views.masks, actions)
        return actions

    def policy(self, views: SeatViews) -> np.ndarray:
        """(n, A): 1 for the rule of thumb's action."""
        policy = np.zeros(views.masks.shape)
        policy[np.arange(len(views)), self.act_batch(views)] = 1
        return policy


def _rule_of_thumb(game: Game):
    try:
        return importlib.import_module(f"agents.greedy.{game.name}").choose
    except ModuleNotFoundError as error:
        raise UnknownNameError(f"There is no greedy agent for {game.name}.") from error
