"""The chance after a game's last decision, drawn again: results with the same mean and less variance."""

from __future__ import annotations

from typing import Any

import numpy as np

from rat_envs.engine.batch import Batch
from rat_envs.engine.game import Game

__all__ = ["FinalChance"]


class FinalChance:
    """Draws the chance after last decisions again.

    Draws after which the game goes on are left out: that the game itself has ended was drawn, too.

    Args:
        game: what is played.
        config: options of the games, by name or as a configuration.
        draws: how many times the chance is drawn, including the first time in the game itself; at least 2.

    Attributes:
        batch: the ``draws`` − 1 games of :meth:`draw`, until it is called again.
    """

    def __init__(self, game: Game, config: Any, draws: int) -> None:
        self.batch = Batch(game, draws - 1, config, 0, auto_reset=False)

    def draw(self, before: np.ndarray, action: int, seed: int) -> np.ndarray:
        """(k) int: which games of ``batch`` have ended after chance was drawn in all of them.

        Args:
            before: record of ``STATE``, a game before its last decision.
            action: that decision.
            seed: of chance.
        """
        self.batch.seed(seed)
        self.batch.states[:] = before
        self.batch.refresh()
        self.batch.step(np.full(self.batch.n, action))
        return np.flatnonzero(self.batch.dones)

    def mean_returns(self, returns: np.ndarray, before: np.ndarray, action: int, seed: int) -> np.ndarray:
        """(P) float64: the mean of a game's returns, (P), and those of all games in which chance is drawn again."""
        ended = self.draw(before, action, seed)
        mean: np.ndarray = (returns + self.batch.rewards[ended].sum(0, dtype=float)) / (1 + len(ended))
        return mean
