"""What an agent is: it is given views of seats and chooses an action for each."""

from __future__ import annotations

from typing import Any

import numpy as np

from rat_envs.api.seats import SeatViews

__all__ = ["Agent"]


class Agent:
    """Base of all agents; a subclass says how likely it takes each action in :meth:`policy`, or overrides
    :meth:`act_batch`.

    Args:
        seed: of the agent's own random numbers; None for a seed from the operating system.

    Attributes:
        name: as it is named on the command line.
        random: the agent's own random numbers.
    """

    name = "agent"
    #: Whether :meth:`policy` is a function of the views alone, so that exploitability can be computed exactly.
    has_policy = True

    def __init__(self, seed: int | None = None) -> None:
        self.random = np.random.default_rng(seed)

    def policy(self, views: SeatViews) -> np.ndarray:
        """(n, A) float64: for each seat the probability of every action; 0 for what is not legal."""
        raise NotImplementedError

    def act_batch(self, views: SeatViews) -> np.ndarray:
        """(n) int64: a legal action for each seat, drawn from :meth:`policy`."""
        return draw_actions(self.policy(views), self.random)

    def act(self, view: SeatViews) -> int:
        """A legal action for the one seat in ``view``."""
        return int(self.act_batch(view)[0])

    def get_state(self) -> Any:
        """What changes as the agent plays, as plain values."""
        return self.random.bit_generator.state

    def set_state(self, state: Any) -> None:
        """Go on from :meth:`get_state`."""
        self.random.bit_generator.state = state


def draw_actions(policy: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """One action a row, with chances in proportion to what stands there."""
    reached = np.cumsum(policy, axis=1)
    drawn = random.random(len(policy)) * reached[:, -1]
    return (reached > drawn[:, None]).argmax(axis=1)
