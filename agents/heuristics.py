"""Rules of thumb: one module for each game, with a function for each agent it knows, ``greedy`` among them.

Such a function is ``(observation, mask) -> action`` over the named fields of an observation, in the part of Python that
Numba compiles: all seats of a batch are answered in one call.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from rat_envs.api.agent import Agent
from rat_envs.api.seats import SeatViews
from rat_envs.engine.contract import declared
from rat_envs.engine.errors import UnknownNameError
from rat_envs.engine.game import Game
from rat_envs.engine.program import program

__all__ = ["RuleOfThumbAgent"]


@declared
def choose(observation, mask):
    """What the rule of thumb at hand does: a legal action."""


def choose_all(observations, masks, actions):
    """Write the rule of thumb's action for every seat."""
    for i in range(len(actions)):
        actions[i] = choose(observations[i], masks[i])


class RuleOfThumbAgent(Agent):
    """Does what a rule of thumb of the game at hand says, always the same in the same situation.

    Args:
        name: of the rule; every game has ``greedy``.
        seed: taken for the sake of the protocol.

    Raises:
        UnknownNameError: the game that is to be played has no such rule.
    """

    def __init__(self, name: str, seed: int | None = None) -> None:
        super().__init__(seed)
        self.name = name

    def act_batch(self, views: SeatViews) -> np.ndarray:
        """(n) int64: the rule's actions."""
        rule = rule_of_thumb(self.name, views.game)
        actions = np.zeros(len(views), np.int64)
        observations = np.ascontiguousarray(views.observations).view(views.game.observation)[:, 0]
        program(views.game).bind(choose_all, {choose: rule})(observations, views.masks, actions)
        return actions

    def policy(self, views: SeatViews) -> np.ndarray:
        """(n, A): 1 for the rule's action."""
        policy = np.zeros(views.masks.shape)
        policy[np.arange(len(views)), self.act_batch(views)] = 1
        return policy


def rule_of_thumb(name: str, game: Game) -> Callable[[Any, Any], int]:
    """The rule of that name for a game.

    Raises:
        UnknownNameError: the game has none.
    """
    try:
        module = importlib.import_module(f"rat_envs.games.{game.name}.heuristics")
    except ModuleNotFoundError:
        module = None
    rule: Callable[[Any, Any], int] | None = getattr(module, name, None)
    if rule is None:
        raise UnknownNameError(f"There is no {name} agent for {game.name}.")
    return rule
