"""A finer result than won or lost to learn from: by how many points."""

from __future__ import annotations

from typing import Any

import numpy as np

from rat_envs.api.learner import LearnerGames
from rat_envs.api.sb3 import RatVecEnv
from rat_envs.engine.results import results_of

__all__ = ["MarginVecEnv"]

#: A lead of so many points counts in full, and a larger one no more.
FULL_LEAD = 10


class MarginVecEnv(RatVecEnv):
    """Games that also reward the learner for its lead in points over the best of the others at the end.

    Who leads in points and does not win (in Rattus Cartus the dead) is as bad off as with the largest arrears.

    Args:
        games: the learner's view of the games; its own rewards stay those of the game.
        weight: reward for a full lead, less in proportion for a smaller one; 0 for the game's rewards alone.
    """

    def __init__(self, games: LearnerGames, weight: float) -> None:
        super().__init__(games)
        self.weight = weight

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """As without the margin; only the rewards differ."""
        observations, rewards, dones, infos = super().step_wait()
        ended = np.flatnonzero(dones)
        if self.weight and len(ended):
            rewards[ended] += self.weight * (self._leads(ended) / FULL_LEAD).clip(-1, 1).astype(np.float32)
        return observations, rewards, dones, infos

    def _leads(self, ended: np.ndarray) -> np.ndarray:
        """(k): the learner's points less those of the best other seat."""
        games = self.games
        points, won = results_of(games.batch.program, games.final_rows[ended])
        own = games.finished_seats[ended, None]
        mine = np.take_along_axis(points, own, 1)[:, 0]
        np.put_along_axis(points, own, np.iinfo(np.int32).min, 1)
        leads: np.ndarray = mine - points[:, : games.players].max(axis=1)
        leads[(leads > 0) & (np.take_along_axis(won, own, 1)[:, 0] == 0)] = -FULL_LEAD
        return leads
