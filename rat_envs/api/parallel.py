"""The PettingZoo parallel environment, for games in which seats choose at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from rat_envs.api.spaces import LegalActions, masked_observation_space
from rat_envs.api.view import GameView, NotResetError
from rat_envs.engine.checks import checked_seed
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import IllegalActionError, shown
from rat_envs.engine.game import Game

__all__ = ["RatParallelEnv"]


class RatParallelEnv(GameView, ParallelEnv):
    """A rat game in which all agents act in every step.

    Where the rules let seats choose at once, they do. At any other decision one agent acts and the others have the
    single action ``wait``, which is the last number of the action space.

    Args:
        game: a registered name or a :class:`~rat_envs.engine.game.Game`.
        config: options by name.
        render_mode: ``ansi``, ``rgb_array`` or None.
        point_of_view: whose view is rendered: ``own`` or ``public`` (what everybody knows), or an agent's name.
    """

    _kept = ("agents",)

    def __init__(
        self,
        game: str | Game,
        config: Mapping[str, Any] | Configuration | None = None,
        render_mode: str | None = None,
        point_of_view: str = "public",
    ) -> None:
        GameView.__init__(self, game, config, render_mode, point_of_view)
        #: The number of the action ``wait``.
        self.wait = len(self.game.actions)
        self.observation_spaces = {a: masked_observation_space(self.game, self.wait + 1) for a in self.possible_agents}
        self.action_spaces = {agent: LegalActions(self.wait + 1, self, agent) for agent in self.possible_agents}
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of an agent's observation; always the same object."""
        self.seat_of(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of actions, ``wait`` included, whose ``sample()`` is legal; always the same object."""
        self.seat_of(agent)
        return self.action_spaces[agent]

    def legal_for(self, agent: str) -> np.ndarray:
        """The mask of an agent's legal actions, ``wait`` included, (A + 1,) int8."""
        return self._masks()[self.seat_of(agent)]

    def reset(self, seed: int | None = None, options: dict | None = None) -> tuple[dict, dict]:
        """A new game; without ``seed`` the random stream goes on."""
        if seed is not None:
            checked_seed(seed)
            for seat, space in enumerate(self.action_spaces.values()):
                space.seed(seed + seat)
        self._batch.reset(seed)
        self.agents = self.possible_agents[:]
        return self._observe()

    def step(self, actions: Mapping[str, int]) -> tuple[dict, dict, dict, dict, dict]:
        """Apply one action of every agent.

        Raises:
            IllegalActionError: a mask forbids an action, or an agent has none; nothing has changed.
            NotResetError: no game is under way.
        """
        if not self.agents:
            raise NotResetError("No game is under way: call reset() before step().")
        if not isinstance(actions, Mapping):
            raise IllegalActionError(f"Actions must be a mapping from agents to actions, not {type(actions).__name__}.")
        masks = self._masks()
        for seat, agent in enumerate(self.agents):
            self._check(agent, actions.get(agent), masks[seat])
        chosen = [int(actions[agent]) for agent in self.agents]
        over = not self._apply(chosen)
        rewards = {agent: float(self._batch.rewards[0, seat]) for seat, agent in enumerate(self.agents)}
        terminations = dict.fromkeys(self.agents, over)
        truncations = dict.fromkeys(self.agents, False)
        observations, infos = self._observe()
        if over:
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    def _check(self, agent: str, action: Any, mask: np.ndarray) -> None:
        whole = isinstance(action, (int, np.integer)) and not isinstance(action, bool)
        if not whole or not 0 <= action <= self.wait or not mask[action]:
            words = [*self.game.actions, "wait"]
            named = f"{action} ({words[action]})" if whole and 0 <= action <= self.wait else shown(action)
            legal = ", ".join(f"{a} ({words[a]})" for a in np.flatnonzero(mask))
            raise IllegalActionError(f"{agent} cannot take action {named}; legal are {legal}.")

    def _apply(self, chosen: list[int]) -> bool:
        """Apply what those to act have chosen, one after another; whether the game goes on."""
        batch = self._batch
        at_once = bool(batch.program.simultaneous(batch.states[0]))
        seat = batch.step_one(chosen[batch.actors[0]])
        while at_once and seat >= 0:
            at_once = bool(batch.program.simultaneous(batch.states[0]))
            seat = batch.step_one(chosen[seat])
        return seat >= 0

    def _masks(self) -> np.ndarray:
        """(P, A + 1) int8: what every seat may do; those who wait have ``wait`` alone."""
        batch = self._batch
        masks = np.zeros((len(self.possible_agents), self.wait + 1), np.int8)
        row = batch.states[:1].copy()[0]
        at_once = True
        while at_once and (seat := batch.program.actor(row)) >= 0:
            batch.program.legal(row, masks[seat, : self.wait])
            at_once = batch.program.simultaneous(row)
            if at_once:  # what the next may do does not depend on what this one chooses
                batch.program.apply(row, int(np.flatnonzero(masks[seat])[0]))
        masks[:, self.wait] = ~masks.any(axis=1)
        return masks

    def _wrong_in(self, state: Mapping[str, Any]) -> str | None:
        under_way = self._batch.actors[0] >= 0
        right = state["agents"] == [] or (under_way and state["agents"] == self.possible_agents)
        return None if right else "agents"

    def _observe(self) -> tuple[dict, dict]:
        masks = self._masks()
        observations, infos = {}, {}
        for seat, agent in enumerate(self.agents):
            observations[agent] = {"observation": self._batch.observe_one(0, seat), "action_mask": masks[seat]}
            infos[agent] = {"action_mask": masks[seat]}
        return observations, infos

    def render(self) -> Any:
        """The table in the render mode, from the point of view."""
        return self._render("public")

    def _repr_svg_(self) -> str:
        """What a notebook shows: the table from the point of view."""
        return self._drawing("public")

    def close(self) -> None:
        """Nothing is held open."""

    @property
    def unwrapped(self) -> RatParallelEnv:
        """This environment: there is no wrapper around it."""
        return self
