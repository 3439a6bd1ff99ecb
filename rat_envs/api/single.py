"""gymnasium's interfaces: one seat of one game, and of many games at once."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from rat_envs.api.learner import LearnerGames, Opponent
from rat_envs.api.named_agents import make_agent
from rat_envs.api.spaces import LegalActions, vector_space
from rat_envs.api.view import RENDER_MODES, demand_render_mode, draw
from rat_envs.engine.checks import checked_count
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game

__all__ = ["RatSingleEnv", "RatVectorEnv", "find_opponent"]


def find_opponent(opponent: str | Opponent, game: Game) -> Opponent:
    """The agent of that name; an object that can act is taken as it is."""
    return make_agent(opponent, game) if isinstance(opponent, str) else opponent


class RatSingleEnv(gymnasium.Env):
    """One seat of a rat game as a gymnasium environment; opponents play the other seats.

    The observation is the flat int8 vector; the mask is in ``info["action_mask"]`` and from :meth:`action_masks`, as
    ``sb3_contrib.MaskablePPO`` asks for it. ``action_space.sample()`` draws legal actions.

    Args:
        game: a registered name or a :class:`~rat_envs.engine.game.Game`.
        opponent: an agent by name, or any object with ``act_batch``.
        seat: the learner's seat, or None to move on by one after every game.
        render_mode: ``human``, ``ansi``, ``rgb_array`` or None; rendered is the learner's view.
        config: options by name.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}

    def __init__(
        self,
        game: str | Game,
        opponent: str | Opponent = "random",
        seat: int | None = None,
        render_mode: str | None = None,
        **config: Any,
    ) -> None:
        demand_render_mode(render_mode)
        self.render_mode = render_mode
        self.game = get_game(game)
        self.observation_space = vector_space(self.game)
        self.action_space = LegalActions(len(self.game.actions), self, "the learner")
        self._games = LearnerGames(self.game, [find_opponent(opponent, self.game)], 1, config, None, seat)
        self._over = False

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """A new game, up to the learner's first decision; without ``seed`` the random streams go on."""
        super().reset(seed=seed)
        if seed is not None:
            self._games.seed_opponents(seed)
        if seed is not None or not self._over:
            self._games.reset(seed)
        self._over = False  # the game after one that ended has begun already
        return self._games.observations[0].copy(), self._info()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Apply the learner's action and let the opponents act.

        Raises:
            IllegalActionError: the mask forbids it, or the game is over; nothing has changed.
        """
        if self._over:
            raise gymnasium.error.ResetNeeded("The game is over: call reset() before step().")
        games = self._games
        games.step(np.array([action]))
        self._over = bool(games.dones[0])
        if not self._over:
            return games.observations[0].copy(), 0.0, False, False, self._info()
        info = {"action_mask": np.zeros(len(self.game.actions), np.int8)}
        return games.final_observations[0].copy(), float(games.rewards[0]), True, False, info

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._games.masks[0].copy()}

    def legal_for(self, who: Hashable) -> np.ndarray:
        """The mask of the learner's legal actions, (A,) int8; all 0 when the game is over."""
        return np.zeros_like(self._games.masks[0]) if self._over else self._games.masks[0]

    def action_masks(self) -> np.ndarray:
        """(A,) bool: what the learner may do now; nothing when the game is over."""
        return self.legal_for("the learner").astype(bool)

    def render(self) -> Any:
        """The table as the learner sees it."""
        if self.render_mode is None:
            return None
        games = self._games
        if self._over:  # the next game has begun already
            return draw(self.game, games.final_states[0], int(games.finished_seats[0]), self.render_mode)
        return draw(self.game, games.batch.states[0], int(games.seats[0]), self.render_mode)


class RatVectorEnv(VectorEnv):
    """One seat in each of ``num_envs`` games, stepped at once, as a gymnasium vector environment.

    A game that ends begins anew in the same step (``AutoresetMode.SAME_STEP``): the last observation is then in
    ``infos["final_obs"]``. Masks are in ``infos["action_mask"]`` and from :meth:`action_masks`.

    Args:
        game: a registered name or a :class:`~rat_envs.engine.game.Game`.
        num_envs: number of games.
        opponent: an agent by name, or any object with ``act_batch``.
        seat: the learner's seat, or None to move on by one after every game.
        config: options by name.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        opponent: str | Opponent = "random",
        seat: int | None = None,
        **config: Any,
    ) -> None:
        self.game = get_game(game)
        self.num_envs = num_envs = checked_count("num_envs", num_envs)
        self.single_observation_space = vector_space(self.game)
        self.single_action_space = gymnasium.spaces.Discrete(len(self.game.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._games = LearnerGames(self.game, [find_opponent(opponent, self.game)], num_envs, config, None, seat)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """New games, up to the learner's first decision; game ``i`` has seed ``seed + i``."""
        super().reset(seed=seed)
        if seed is not None:
            self._games.seed_opponents(seed)
        self._games.reset(seed)
        return self._games.observations.copy(), {"action_mask": self._games.masks.copy()}

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Apply the learner's action in every game and let the opponents act.

        Raises:
            IllegalActionError: an action is not legal; no game has been changed.
        """
        games = self._games
        games.step(actions)
        infos: dict[str, Any] = {"action_mask": games.masks.copy()}
        if games.dones.any():
            infos["final_obs"] = games.final_observations.copy()
            infos["_final_obs"] = games.dones.copy()
        rewards = games.rewards.astype(np.float64)
        return games.observations.copy(), rewards, games.dones.copy(), np.zeros(self.num_envs, bool), infos

    def action_masks(self) -> np.ndarray:
        """(n, A) bool: what the learner may do now in each game."""
        return self._games.masks.astype(bool)
