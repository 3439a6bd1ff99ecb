"""Stable-Baselines3's vectorised environment, directly over a batch, without an environment for each game."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np

from rat_envs.api.learner import LearnerGames
from rat_envs.api.spaces import vector_space
from rat_envs.api.view import demand_render_mode, render_modes
from rat_envs.engine.checks import checked_seed
from rat_envs.engine.errors import needing

with needing("rat_envs.api.sb3", "training"):
    from stable_baselines3.common.vec_env import VecEnv
    from stable_baselines3.common.vec_env.base_vec_env import tile_images

__all__ = ["RatVecEnv"]

#: The most games that are drawn: a picture takes a hundredth of a second or more.
PICTURES = 16


class RatVecEnv(VecEnv):
    """The learner's seat in many games, as ``sb3_contrib.MaskablePPO`` steps them.

    Args:
        games: the learner's view of the games; opponents are changed there.
        render_mode: ``human``, ``ansi``, ``rgb_array``, ``svg`` or None. The learner's view is rendered.

    Raises:
        ConfigurationError: there is no such render mode.
        MissingExtraError: ``render_mode`` is ``rgb_array``, and the extra ``render`` is not installed.
    """

    def __init__(self, games: LearnerGames, render_mode: str | None = None) -> None:
        demand_render_mode(render_mode)
        self.games = games
        self.render_mode = render_mode
        game = games.batch.game
        super().__init__(games.n, vector_space(game), gymnasium.spaces.Discrete(len(game.actions)))
        self.metadata: dict[str, Any] = {"render_modes": render_modes(), "render_fps": 1}
        self._actions = np.zeros(games.n, np.int64)
        self._returns = np.zeros(games.n)
        self._lengths = np.zeros(games.n, np.int64)
        self._started = time.monotonic()

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the next ``reset``.

        Raises:
            ConfigurationError: it is not a whole number from 0 to 2**64 - 1.
        """
        return super().seed(None if seed is None else checked_seed(seed))

    def reset(self) -> np.ndarray:
        """New games everywhere; (n, O) int8. A seed given by ``seed()`` takes effect here, for opponents too."""
        seed = self._seeds[0]
        if seed is not None:
            self.seed_opponents(seed)
        self.games.reset(seed)
        self._reset_seeds()
        self._returns[:], self._lengths[:] = 0, 0
        return self.games.observations.copy()

    def seed_opponents(self, seed: int) -> None:
        """Restart the opponents' random numbers: the same seed and actions then give the same games."""
        self.games.seed_opponents(seed)

    def step_async(self, actions: np.ndarray) -> None:
        """Take the learner's actions; they are applied by :meth:`step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Apply the actions of :meth:`step_async`: what the learner sees, and an info per game.

        At the end of a game its info holds ``terminal_observation``, and ``episode`` as of Stable-Baselines3's
        ``VecMonitor``: the learner's return ``r`` in the game itself, its moves ``l``, and the seconds ``t`` since this
        environment was made. Unless illegal actions raise, it also has their number, ``illegal_actions``.

        Returns:
            Observations (n, O) int8, rewards (n) float32, dones (n) bool, and n infos.

        Raises:
            IllegalActionError: see :meth:`LearnerGames.step <rat_envs.api.learner.LearnerGames.step>`.
        """
        games = self.games
        games.step(self._actions)
        self._returns += games.rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(games.n)]
        final = games.final_observations.copy()
        ended, seconds = np.flatnonzero(games.dones), round(time.monotonic() - self._started, 6)
        for i, result, moves in zip(
            ended.tolist(), self._returns[ended].tolist(), self._lengths[ended].tolist(), strict=True
        ):
            infos[i] = {"terminal_observation": final[i], "episode": {"r": result, "l": moves, "t": seconds}}
            if games.illegal != "raise":
                infos[i]["illegal_actions"] = int(games.finished_illegal_actions[i])
        self._returns[ended], self._lengths[ended] = 0, 0
        return games.observations.copy(), games.rewards.copy(), games.dones.copy(), infos

    def action_masks(self) -> np.ndarray:
        """(n, A) bool: the learner's legal actions now."""
        return self.games.masks.astype(bool)

    def get_images(self) -> list[Any]:
        """Pictures of the first ``PICTURES`` games at most, each (H, W, 3) uint8."""
        return [self.games.render(i, "rgb_array") for i in range(min(self.num_envs, PICTURES))]

    def render(self, mode: str | None = None) -> Any:
        """Render the table as the learner sees it; where a game has just ended, the new game.

        Args:
            mode: a render mode in place of the environment's own.

        Returns:
            For ``rgb_array`` (H, W, 3) uint8, the pictures of :meth:`get_images` side by side; in the other modes the
                first game (:func:`~rat_envs.api.view.render_table`); None without a mode.
        """
        mode = self.render_mode if mode is None else mode
        demand_render_mode(mode)
        if mode is None:
            return None
        return tile_images(self.get_images()) if mode == "rgb_array" else self.games.render(0, mode)

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of this environment, repeated for each game asked for.

        Raises:
            IndexError: there is no such game.
        """
        return [getattr(self, attr_name)] * len(self._asked(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of this environment; games have no attributes of their own."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Call a method once. If it returns a list or an array for all games, return the entries of the games asked
        for; otherwise return the same result for each.

        Raises:
            IndexError: there is no such game.
        """
        asked = self._asked(indices)
        result = getattr(self, method_name)(*args, **kwargs)
        has_shares = isinstance(result, list) or (isinstance(result, np.ndarray) and result.ndim > 0)
        return [result[i] for i in asked] if has_shares and len(result) == self.num_envs else [result] * len(asked)

    def _asked(self, indices: Any) -> list[int]:
        """The numbers of the games asked for."""
        games = range(self.num_envs)
        return [games[index] for index in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: int | Iterable[int] | None = None) -> list[bool]:
        """There are no wrappers."""
        return [False] * len(self._asked(indices))
