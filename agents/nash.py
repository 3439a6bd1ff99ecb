"""The exact equilibrium, as an agent."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rat_envs.api.agent import Agent
from rat_envs.api.seats import SeatViews
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.game import Game
from rat_envs.engine.position import new_stream
from rat_envs.solving.equilibrium import Equilibrium, find_equilibrium
from rat_envs.solving.public_tree import demand_public, find_states

__all__ = ["NashAgent"]


class NashAgent(Agent):
    """Plays a Nash equilibrium, computed by backward induction when it first plays a configuration.

    Raises:
        ConfigurationError: the configuration hides more than simultaneous choices.
    """

    name = "nash"

    def check(self, game: Game, configuration: Configuration) -> None:
        """Accept only configurations for two that hide nothing but simultaneous choices."""
        demand_public(game, configuration, "the agent nash")

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A): the equilibrium's probabilities."""
        policy = np.zeros(views.masks.shape)
        for chosen, equilibrium, numbers in _solved(views):
            policy[chosen] = equilibrium.strategies(numbers, views.seats[chosen])
        return policy

    def value_batch(self, views: SeatViews) -> np.ndarray:
        """(n): the exact value of each public state to the seat: the mean return that it can be sure of."""
        values = np.zeros(len(views))
        for chosen, equilibrium, numbers in _solved(views):
            values[chosen] = equilibrium.values[numbers] * (1 - 2 * views.seats[chosen])
        return values


def _solved(views: SeatViews) -> Iterator[tuple[np.ndarray, Equilibrium, np.ndarray]]:
    """For each configuration: (n) bool which of the seats are in it, its equilibrium, and the numbers of their
    states."""
    rows = views.determinize(new_stream(views.game, 0))
    different = set(views.configurations())
    for configuration in different:
        chosen = np.ones(len(views), bool)
        if len(different) > 1:
            chosen[:] = [views.configuration(i) == configuration for i in range(len(views))]
        equilibrium: Equilibrium = find_equilibrium(views.game, configuration)
        numbers = find_states(views.game, equilibrium.tree, rows[chosen])
        if (numbers < 0).any():
            raise ConfigurationError("nash knows the states alone that a game comes to from its beginning.")
        yield chosen, equilibrium, numbers
