"""The mean of several policies: an agent as seen by an opponent who does not know its random numbers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rat_envs.api.agent import Agent, distribution_of
from rat_envs.api.agent_code import let_agent_check, naming_agent
from rat_envs.api.seats import SeatViews
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.engine.game import Game

__all__ = ["Averaged"]


class Averaged(Agent):
    """An agent that decides each time like one of several agents, each equally often.

    A search always decides the same in the same situation until it has another seed. Its exploitability with one seed
    assumes an opponent who knows all its decisions beforehand; averaged over many seeds, one who knows little more than
    how it works. The more seeds, the less the opponent knows. So the result is an upper bound on what an opponent can
    win who knows only how it works.

    Args:
        agents: the same agent with different seeds.
        seed: seed of the draw.

    Raises:
        ConfigurationError: there are no agents, or one of them is something else.
    """

    def __init__(self, agents: Iterable[Agent], seed: int | None = None) -> None:
        super().__init__(seed)
        self.agents = tuple(agents)
        if not self.agents or not all(isinstance(agent, Agent) for agent in self.agents):
            raise ConfigurationError(f"agents={shown(self.agents)}: must be agents, one or more.")
        self.name, self.written_as = self.agents[0].name, self.agents[0].written_as
        self.has_policy = all(agent.has_policy for agent in self.agents)

    def check(self, game: Game, configuration: Configuration) -> None:
        """Refuse whatever one of the agents refuses."""
        for agent in self.agents:
            let_agent_check(agent, game, configuration)

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A) float64: the mean of their policies.

        Raises:
            ConfigurationError: one of them is not a probability distribution over the legal actions.
        """
        total = np.zeros(views.masks.shape)
        for agent in self.agents:
            total += distribution_of(agent, views)
            with naming_agent(agent):
                agent.release()
        return total / len(self.agents)
