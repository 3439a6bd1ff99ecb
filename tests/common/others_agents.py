"""Agents of somebody else's, as small as they can be."""

from __future__ import annotations

import numpy as np

from rat_envs.agents import Agent
from rat_envs.api.seats import SeatViews


class Steady(Agent):
    """Takes the legal action in a certain place, from the first on."""

    name = "steady"

    def __init__(self, place: int = 0, seed: int | None = None) -> None:
        super().__init__(seed)
        self.place = place

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        policy = np.zeros(views.masks.shape)
        for i, mask in enumerate(views.masks):
            legal = np.flatnonzero(mask)
            policy[i, legal[min(self.place, len(legal) - 1)]] = 1
        return policy


class Demanding(Steady):
    """Cannot be made without a price, which is a number."""

    name = "demanding"

    def __init__(self, price: float) -> None:
        super().__init__(0)
        self.price = float(price)


class Unseeded(Agent):
    """Plays at random, and takes no seed when it is made."""

    def __init__(self) -> None:
        super().__init__()

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        return views.masks / views.masks.sum(axis=1, keepdims=True)


class Undecided(Agent):
    """Has no method that decides."""


class Careless(Unseeded):
    """Does not let its base class begin."""

    def __init__(self) -> None:
        pass


NO_AGENT = 3
