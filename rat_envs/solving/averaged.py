"""The mean of several policies: what is known of an agent by whoever does not know its random numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rat_envs.api.agent import Agent
from rat_envs.api.seats import SeatViews
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.game import Game

__all__ = ["Averaged"]


class Averaged(Agent):
    """Decides each time as one of several agents does, each equally often.

    A search always decides the same in the same situation until it has another seed. Its exploitability with one seed
    is that against an opponent who knows all its decisions beforehand; averaged over many seeds, against one who knows
    little more than how it works. The more seeds, the less is known; so what is found is an upper bound on what can be
    won by whoever knows only that.

    Args:
        agents: the same agent with different seeds.
        seed: of the draw.
    """

    def __init__(self, agents: Sequence[Agent], seed: int | None = None) -> None:
        super().__init__(seed)
        self.agents = agents
        self.name = agents[0].name
        self.has_policy = all(agent.has_policy for agent in agents)

    def check(self, game: Game, configuration: Configuration) -> None:
        """Refuse what one of the agents refuses."""
        for agent in self.agents:
            agent.check(game, configuration)

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A) float64: the mean of their policies."""
        total = np.zeros(views.masks.shape)
        for agent in self.agents:
            total += agent.policy_batch(views)
            agent.release()
        return total / len(self.agents)
