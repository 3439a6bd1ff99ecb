"""The exact equilibrium, as an agent."""

from __future__ import annotations

import numpy as np

from rat_envs.api.agent import Agent
from rat_envs.api.seats import SeatViews
from rat_envs.engine.position import new_stream
from rat_envs.solving.equilibrium import Equilibrium, find_equilibrium
from rat_envs.solving.public_tree import find_states

__all__ = ["NashAgent"]


class NashAgent(Agent):
    """Plays a Nash equilibrium, found by backward induction when a configuration is first met.

    Raises:
        ConfigurationError: in a configuration that hides more than simultaneous choices.
    """

    name = "nash"

    def policy(self, views: SeatViews) -> np.ndarray:
        """(n, A): the equilibrium's probabilities."""
        configurations = [views.configuration(i) for i in range(len(views))]
        policy = np.zeros(views.masks.shape)
        rows = views.determinize(new_stream(views.game, 0))
        for configuration in set(configurations):
            chosen = np.array([other == configuration for other in configurations])
            equilibrium: Equilibrium = find_equilibrium(views.game, configuration)
            numbers = find_states(views.game, equilibrium.tree, rows[chosen])
            policy[chosen] = equilibrium.strategies(numbers, views.seats[chosen])
        return policy
