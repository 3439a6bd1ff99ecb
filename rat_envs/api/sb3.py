"""Stable-Baselines3's vectorised environment, straight over a batch: no copy of an environment per game."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import gymnasium
import numpy as np

from rat_envs.api.learner import LearnerGames
from rat_envs.api.spaces import vector_space
from rat_envs.engine.errors import needing

with needing("rat_envs.api.sb3", "training"):
    from stable_baselines3.common.vec_env import VecEnv

__all__ = ["RatVecEnv"]

NO_INFO: dict[str, Any] = {}


class RatVecEnv(VecEnv):
    """The learner's seat in many games, as ``sb3_contrib.MaskablePPO`` steps them.

    Args:
        games: the learner's view of the games; opponents are changed there.
    """

    render_mode: str | None = None

    def __init__(self, games: LearnerGames) -> None:
        self.games = games
        game = games.batch.game
        super().__init__(games.n, vector_space(game), gymnasium.spaces.Discrete(len(game.actions)))
        self._actions = np.zeros(games.n, np.int64)
        self._returns = np.zeros(games.n)
        self._lengths = np.zeros(games.n, np.int64)
        self._started = time.monotonic()

    def reset(self) -> np.ndarray:
        """New games everywhere; (n, O) int8. A seed given by ``seed()`` takes effect here."""
        self.games.reset(self._seeds[0])
        self._reset_seeds()
        self._returns[:], self._lengths[:] = 0, 0
        return self.games.observations.copy()

    def step_async(self, actions: np.ndarray) -> None:
        """Take the learner's actions; they are applied by :meth:`step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Observations, rewards, dones, and an info per game.

        At the end of a game its info holds ``terminal_observation``, and ``episode`` as of Stable-Baselines3's
        ``VecMonitor``: the learner's return ``r`` in the game itself, its moves ``l``, and the seconds ``t`` since this
        environment was made.
        """
        games = self.games
        games.step(self._actions)
        self._returns += games.rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [NO_INFO] * games.n
        final = games.final_observations.copy()
        ended, seconds = np.flatnonzero(games.dones), round(time.monotonic() - self._started, 6)
        for i, result, moves in zip(
            ended.tolist(), self._returns[ended].tolist(), self._lengths[ended].tolist(), strict=True
        ):
            infos[i] = {"terminal_observation": final[i], "episode": {"r": result, "l": moves, "t": seconds}}
        self._returns[ended], self._lengths[ended] = 0, 0
        return games.observations.copy(), games.rewards.copy(), games.dones.copy(), infos

    def action_masks(self) -> np.ndarray:
        """(n, A) bool: what the learner may do now."""
        return self.games.masks.astype(bool)

    def close(self) -> None:
        """Nothing is held open."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute of this environment, once for each game asked for."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of this environment; games have none of their own."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Call a method once and hand each game asked for its share."""
        result = getattr(self, method_name)(*args, **kwargs)
        return [result[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: int | Iterable[int] | None = None) -> list[bool]:
        """There are no wrappers."""
        return [False] * len(list(self._get_indices(indices)))
