"""gymnasium's interfaces: one seat of one game, and of many games at once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from rat_envs.api.copying import CopiedWhole
from rat_envs.api.illegal import refused
from rat_envs.api.learner import LearnerGames, Opponent
from rat_envs.api.spaces import LegalActions, LegalActionsOfMany, masked_observation_space, vector_space
from rat_envs.api.view import NO_RENDER_MODE, demand_flat, demand_render_mode, render_modes
from rat_envs.engine.batch import Batch
from rat_envs.engine.checks import checked_count, checked_seed, whole_number
from rat_envs.engine.errors import ConfigurationError, IllegalActionError, UnknownOptionError, shown, shown_name
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game

__all__ = ["RatSingleEnv", "RatVectorEnv"]

MOST_INT64 = np.iinfo(np.int64).max


def demand_options(game: Game, config: dict[str, Any]) -> None:
    """Refuse unknown keywords with Python's own message, because TorchRL's ``GymEnv`` tries a keyword of its own.

    Raises:
        UnknownOptionError: one is not an option.
    """
    options = game.configuration.options()
    for name in config:
        if name not in options:
            raise UnknownOptionError(
                f"Unknown option {shown_name(name)}: RatSingleEnv got an unexpected keyword argument {shown(name)}; "
                f"the options are {', '.join(options) or 'none'}."
            )


def observation_space(game: Game, flat: bool) -> gymnasium.Space:
    """The observation space of one seat: the int8 vector, or the vector and the mask."""
    return vector_space(game) if flat else masked_observation_space(game, len(game.actions))


def demand_no_position(options: Any) -> None:
    """Refuse to begin at a position. These environments cannot, because their seat may not be the one to act there.

    Raises:
        ConfigurationError: the options of ``reset`` hold one.
    """
    if isinstance(options, Mapping) and "state" in options:
        raise ConfigurationError("state: only the environments of rat_envs.make and make_parallel begin at a position.")


def no_game(has_begun: bool) -> gymnasium.error.ResetNeeded:
    """The error for a step when no game is under way."""
    return gymnasium.error.ResetNeeded(
        f"{'The game is over' if has_begun else 'No game is under way'}: call reset() before step()."
    )


class RatSingleEnv(CopiedWhole, gymnasium.Env):
    """One seat of a rat game as a gymnasium environment; opponents play the other seats.

    The observation is the int8 vector; the mask is in ``info["action_mask"]`` and from :meth:`action_masks`, as
    ``sb3_contrib.MaskablePPO`` asks for it. ``action_space.sample()`` draws legal actions.

    Args:
        game: a registered name or a :class:`~rat_envs.engine.game.Game`.
        opponent: an agent by name, or any object with ``act_batch``.
        seat: the learner's seat, or None to move on by one after every game.
        render_mode: ``human``, ``ansi``, ``rgb_array``, ``svg`` or None. The learner's view is rendered; ``human``
            prints it after every reset and step.
        flat: False makes the observation ``{"observation": int8 vector, "action_mask": int8 vector}``.
        illegal: what happens if the mask forbids an action: ``raise`` raises an error; ``random`` takes a legal action
            instead, drawn from the environment's own random numbers; ``lose`` ends the game: the learner loses, and all
            others win together. Unless it is ``raise``, ``info["illegal_actions"]`` counts the learner's illegal
            actions in this game.
        config: options by name.

    Raises:
        ConfigurationError: an option is wrong.
        UnknownNameError: there is no such game or opponent.
        MissingExtraError: ``render_mode`` is ``rgb_array``, and the extra ``render`` is not installed.
    """

    metadata = {"render_modes": render_modes(), "render_fps": 1}

    def __init__(
        self,
        game: str | Game,
        opponent: str | Opponent = "random",
        seat: int | None = None,
        render_mode: str | None = None,
        flat: bool = True,
        illegal: str = "raise",
        **config: Any,
    ) -> None:
        demand_render_mode(render_mode)
        self.render_mode = render_mode
        self.game = get_game(game)
        demand_options(self.game, config)
        self.flat = demand_flat(flat)
        self.observation_space = observation_space(self.game, flat)
        self.action_space: LegalActions = LegalActions(len(self.game.actions), self, "the learner")
        self._games = LearnerGames(self.game, [opponent], 1, config, None, seat, illegal)
        self._has_begun = self._over = False

    @property
    def seat(self) -> int:
        """The learner's seat, from 0, in the game that is shown. After the end it stays the same until
        :meth:`reset`."""
        return int((self._games.finished_seats if self._over else self._games.seats)[0])

    @property
    def batch(self) -> Batch:
        """The game as a batch of one, of which agents get views; its actions are the game's."""
        return self._games.batch

    @property
    def is_under_way(self) -> bool:
        """Whether the learner has to take an action."""
        return self._has_begun and not self._over

    @property
    def meanings(self) -> np.ndarray:
        """(A,) int64: the game's action for each of the learner's, which count players from its seat."""
        return self.game.relative_actions[self._games.players, self.seat]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """A new game, up to the learner's first decision.

        Without ``seed`` the random streams go on, and the learner's seat moves on even from a game that is not over.

        Raises:
            ConfigurationError: ``seed`` is not a whole number from 0 to 2**64 - 1, or options ask for a position
                (``state``).
        """
        demand_no_position(options)
        seed = None if seed is None else checked_seed(seed)
        super().reset(seed=seed)
        if seed is not None:
            self._games.seed_opponents(seed)
        if seed is not None or not self._has_begun:
            self._games.reset(seed)
        elif not self._over:  # the game after one that ended has begun already
            self._games.abandon()
        self._has_begun, self._over = True, False
        self._show_to_people()
        return self._shown()

    def _show_to_people(self) -> None:
        if self.render_mode == "human":  # gymnasium draws in this mode without being asked
            self.render()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Apply the learner's action and let the opponents act.

        Raises:
            IllegalActionError: the mask forbids it, unless ``illegal`` says otherwise, or it is not a whole number;
                nothing has changed.
            ResetNeeded: the game is over, or none has begun.
        """
        if self._over or not self._has_begun:
            raise no_game(self._has_begun)
        games, number = self._games, whole_number(action)
        if number is None or (abs(number) > MOST_INT64 and games.illegal == "raise"):
            raise IllegalActionError(refused(action, games.explain(0, action)))
        games.step(np.array([min(max(number, -MOST_INT64), MOST_INT64)]))
        self._over = bool(games.dones[0])
        self._show_to_people()
        seen, info = self._shown()
        return seen, float(games.rewards[0]), self._over, False, info

    def _shown(self) -> tuple[Any, dict[str, Any]]:
        """The present observation and info, in new arrays."""
        games = self._games
        mask = self.legal_for("the learner").copy()
        vector = (games.final_observations if self._over else games.observations)[0].copy()
        info: dict[str, Any] = {"action_mask": mask}
        if games.illegal != "raise":
            counts = games.finished_illegal_actions if self._over else games.illegal_actions
            info["illegal_actions"] = int(counts[0])
        return vector if self.flat else {"observation": vector, "action_mask": mask}, info

    def legal_for(self, who: Hashable) -> np.ndarray:
        """The mask of the learner's legal actions, (A,) int8; all 0 when the game is over."""
        return np.zeros_like(self._games.masks[0]) if self._over else self._games.masks[0]

    def action_masks(self) -> np.ndarray:
        """(A,) bool: the learner's legal actions now; none when the game is over."""
        return self.legal_for("the learner").astype(bool)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.action_space.owner = self

    def render(self) -> Any:
        """The table as the learner sees it."""
        if self.render_mode is None:
            gymnasium.logger.warn(NO_RENDER_MODE)
            return None
        return self._games.render(0, self.render_mode, self._over)  # after the end the next game has begun already


class RatVectorEnv(CopiedWhole, VectorEnv):
    """One seat in each of ``num_envs`` games, stepped at once, as a gymnasium vector environment.

    A game that ends begins anew in the same step (``AutoresetMode.SAME_STEP``): its last observation and info are then
    in ``infos["final_obs"]`` and ``infos["final_info"]``. Masks are in ``infos["action_mask"]`` and from
    :meth:`action_masks`, and ``action_space.sample()`` draws legal actions.

    Args:
        game: a registered name or a :class:`~rat_envs.engine.game.Game`.
        num_envs: number of games.
        opponent: an agent by name, or any object with ``act_batch``.
        seat: the learner's seat, or None to move on by one after every game.
        render_mode: as for :class:`RatSingleEnv`, of the learner's view of every game; rendered only by :meth:`render`.
        flat: False makes the observations ``{"observation": (n, O) int8, "action_mask": (n, A) int8}``; ``final_obs``
            is one such dict of arrays, too, with masks of 0.
        illegal: as for :class:`RatSingleEnv`; unless it is ``raise``, ``infos["illegal_actions"]`` is (n,) int64.
        config: options by name.

    Raises:
        ConfigurationError, UnknownNameError, MissingExtraError: as for :class:`RatSingleEnv`.
    """

    metadata = {"render_modes": render_modes(), "render_fps": 1, "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        opponent: str | Opponent = "random",
        seat: int | None = None,
        render_mode: str | None = None,
        flat: bool = True,
        illegal: str = "raise",
        **config: Any,
    ) -> None:
        demand_render_mode(render_mode)
        self.render_mode = render_mode
        self.game = get_game(game)
        self.num_envs = num_envs = checked_count("num_envs", num_envs)
        self.flat = demand_flat(flat)
        actions = len(self.game.actions)
        self.single_observation_space = observation_space(self.game, flat)
        self.single_action_space = gymnasium.spaces.Discrete(actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._games = LearnerGames(self.game, [opponent], num_envs, config, None, seat, illegal)
        self.action_space: LegalActionsOfMany = LegalActionsOfMany(num_envs, actions, self._games)
        self._has_begun = False

    @property
    def seats(self) -> np.ndarray:
        """(n) int32: the learner's seat, from 0, in each game; where a game has just ended, in the new one."""
        return self._games.seats.copy()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """New games, up to the learner's first decision; game ``i`` has seed ``seed + i``.

        The learner begins in seat ``i % P`` of game ``i``, unless its seat is fixed.

        Raises:
            ConfigurationError: ``seed`` is not a whole number from 0 to 2**64 - 1, or options ask for some games alone
                (``reset_mask``) or for a position (``state``).
        """
        demand_no_position(options)
        if options and "reset_mask" in options:
            raise ConfigurationError(
                "reset_mask: games that end begin anew by themselves here (SAME_STEP), and reset() begins all anew."
            )
        seed = None if seed is None else checked_seed(seed)
        super().reset(seed=seed)
        if seed is not None:
            self._games.seed_opponents(seed)
        self._games.reset(seed)
        self._has_begun = True
        return self._seen(self._games.observations, self._games.masks), self._infos()

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Apply the learner's action in every game and let the opponents act.

        Raises:
            IllegalActionError: an action is not legal, unless ``illegal`` says otherwise, or it is not a whole number;
                no game has been changed.
            ResetNeeded: no game has begun.
        """
        if not self._has_begun:
            raise no_game(has_begun=False)
        games = self._games
        games.step(actions)
        infos = self._infos()
        if games.dones.any():
            infos["final_obs"] = self._seen(games.final_observations, 0 * games.masks)
            infos["_final_obs"] = games.dones.copy()
            infos["final_info"], infos["_final_info"] = self._final_infos(), games.dones.copy()
        seen, rewards = self._seen(games.observations, games.masks), games.rewards.astype(np.float64)
        return seen, rewards, games.dones.copy(), np.zeros(self.num_envs, bool), infos

    def _seen(self, observations: np.ndarray, masks: np.ndarray) -> Any:
        """The observations of all games, in new arrays."""
        return observations.copy() if self.flat else {"observation": observations.copy(), "action_mask": masks.copy()}

    def _infos(self) -> dict[str, Any]:
        games = self._games
        infos: dict[str, Any] = {"action_mask": games.masks.copy()}
        if games.illegal != "raise":
            infos["illegal_actions"] = games.illegal_actions.copy()
        return {**infos, **{f"_{name}": np.ones(self.num_envs, bool) for name in infos}}

    def _final_infos(self) -> dict[str, Any]:
        """The infos of games that have just ended, and where these are."""
        games = self._games
        infos: dict[str, Any] = {"action_mask": np.zeros_like(games.masks)}
        if games.illegal != "raise":
            infos["illegal_actions"] = games.finished_illegal_actions * games.dones
        return {**infos, **{f"_{name}": games.dones.copy() for name in infos}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.action_space.owner = self._games

    def render(self) -> tuple[Any, ...] | None:
        """The table of every game as the learner sees it; where a game has just ended, the new game."""
        mode = self.render_mode
        if mode is None:
            gymnasium.logger.warn(NO_RENDER_MODE)
            return None
        return tuple(self._games.render(i, mode) for i in range(self.num_envs))

    def action_masks(self) -> np.ndarray:
        """(n, A) bool: the learner's legal actions now in each game."""
        return self._games.masks.astype(bool)
