"""Games that begin in the middle, so that the learner meets late and unusual positions as often as early ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from agents.protocol import draw_actions
from rat_envs.api.learner import LearnerGames

__all__ = ["RandomOpenings"]


class RandomOpenings(LearnerGames):
    """A learner's games, part of which begin with random moves of all seats.

    Args:
        share: part of the games that begin so.
        rounds: at most so many moves of every seat; the number is uniform from 1.
        arguments: of :class:`~rat_envs.api.learner.LearnerGames`.

    Attributes:
        opened: (n) bool, where the game under way began with random moves.
        finished_opened: (n) bool, where ``dones``, whether the game that ended did.
    """

    def __init__(self, *arguments: Any, share: float, rounds: int, n: int = 1, **named: Any) -> None:
        self.share, self.rounds = share, rounds
        self.opened, self.finished_opened = np.zeros(n, bool), np.zeros(n, bool)
        super().__init__(*arguments, n=n, **named)

    def _begin(self, games: np.ndarray) -> None:
        batch = self.batch
        self.finished_opened[games] = self.opened[games]
        self.opened[games] = self.random.random(len(games)) < self.share
        opened = games[self.opened[games]]
        moves = self.players * self.random.integers(1, self.rounds + 1, len(opened))
        for number in range(moves.max(initial=0)):
            going = opened[(moves > number) & (batch.actors[opened] >= 0)]
            actions = np.full(self.n, -1, np.int32)
            actions[going] = draw_actions(batch.masks[going], self.random)
            batch.step(actions)
            self.opened[going[batch.dones[going] != 0]] = False  # over already: from the beginning, then
            batch.reset_done()
            moves[batch.dones[opened] != 0] = 0
            batch.dones[:] = 0

    def get_state(self) -> dict[str, Any]:
        """Everything but the opponents themselves, as plain values and bytes."""
        return {**super().get_state(), "opened": self.opened.tolist()}

    def set_state(self, state: Mapping[str, Any], opponents: Any) -> None:
        """Go on from :meth:`get_state`; ``opponents`` are those in ``self.opponents`` then, in the same order."""
        super().set_state(state, opponents)
        self.opened[:] = state["opened"]
