"""Uniform over the legal actions."""

from __future__ import annotations

import numpy as np

from rat_envs.api.agent import Agent, draw_actions
from rat_envs.api.seats import SeatViews

__all__ = ["RandomAgent"]


class RandomAgent(Agent):
    """Takes every legal action with the same probability."""

    name = "random"

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A): uniform over the legal actions."""
        return views.masks / views.masks.sum(axis=1, keepdims=True)

    def act_batch(self, views: SeatViews) -> np.ndarray:
        """(n) int64: a legal action for each seat."""
        return draw_actions(views.masks, self.random)
