"""An agent from outside: bets at random, the more often the higher its card, and with the lowest now and then."""

import numpy as np

from rat_envs.agents import Agent


class Bluffer(Agent):
    """Plays Kuhn poker.

    Args:
        seed: seed of its own random numbers.
        bluff: how often it bets with the lowest card.
    """

    name = "bluffer"

    def __init__(self, seed=None, bluff=0.3):
        super().__init__(seed)
        self.bluff = bluff

    def policy_batch(self, views):
        """(n, A) float64: for each seat the probability of every action."""
        seen = views.observations.view(views.game.observation)[:, 0]
        height = (seen["card"] - 1) / (seen["cards"] - 1)  # 0 for the lowest card, 1 for the highest
        bets = np.where(height == 0, self.bluff, height)
        return np.stack([1 - bets, bets], axis=1)
