"""The PettingZoo AEC environment: one flat class over a batch of one."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from rat_envs.api.spaces import LegalActions, masked_observation_space
from rat_envs.api.view import GameView, NotResetError
from rat_envs.engine.batch import Batch
from rat_envs.engine.checks import checked_seed
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import IllegalActionError
from rat_envs.engine.game import Game
from rat_envs.engine.kernels import ILLEGAL

__all__ = ["RatAECEnv"]


class RatAECEnv(GameView, AECEnv):
    """A rat game as an agent-environment cycle.

    Observations are ``{"observation": int8 (O,), "action_mask": int8 (A,)}`` of the agent to act; the mask is also in
    ``infos``, all 0 for who is not to act. Rewards come at the end, zero-sum. The environment can be copied, pickled,
    and saved with ``state_dict`` in mid-game.

    Args:
        game: a registered name or a :class:`~rat_envs.engine.game.Game`.
        config: options by name.
        render_mode: ``ansi``, ``rgb_array`` or None.
        point_of_view: whose view is rendered: ``own`` (of the agent to act), an agent's name, or ``public``.

    Raises:
        ConfigurationError: an option is wrong.
    """

    _kept = ("agents", "agent_selection", "rewards", "terminations", "truncations", "_cumulative_rewards")
    _brought_by_reset = (*_kept, "infos")
    _is_parallelizable = False  # PettingZoo's conversion would step whoever is not to act

    def __init__(
        self,
        game: str | Game,
        config: Mapping[str, Any] | Configuration | None = None,
        render_mode: str | None = None,
        point_of_view: str = "own",
    ) -> None:
        GameView.__init__(self, game, config, render_mode, point_of_view)
        actions = len(self.game.actions)
        self.observation_spaces = {a: masked_observation_space(self.game, actions) for a in self.possible_agents}
        self.action_spaces = {agent: LegalActions(actions, self, agent) for agent in self.possible_agents}
        no_action = np.zeros(actions, np.int8)
        no_action.setflags(write=False)
        self._idle = {"action_mask": no_action}
        self.agents: list[str] = []

    def _attach(self, batch: Batch) -> None:
        super()._attach(batch)
        # Bound methods: every look-up saved counts in the loop agent_iter, last, step.
        self._copy_observation = batch.observations[0].copy
        self._copy_mask = batch.masks[0].copy
        self._step_one = batch.step_one

    @property
    def batch(self) -> Batch:
        """The game as a batch of one: what agents are given views of."""
        return self._batch

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of what ``observe`` gives; always the same object."""
        self.seat_of(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of actions by number, whose ``sample()`` is legal; always the same object."""
        self.seat_of(agent)
        return self.action_spaces[agent]

    def legal_for(self, agent: str) -> np.ndarray:
        """The mask of an agent's legal actions, (A,) int8; all 0 unless it is to act."""
        self.seat_of(agent)
        return self.infos.get(agent, self._idle)["action_mask"]

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """A new game; without ``seed`` the random stream goes on."""
        if seed is not None:
            checked_seed(seed)
            for seat, space in enumerate(self.action_spaces.values()):
                space.seed(seed + seat)
        self._batch.reset(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = dict.fromkeys(self.agents, self._idle)
        self.agent_selection = self.possible_agents[self._batch.actors[0]]
        self.infos[self.agent_selection] = {"action_mask": self._copy_mask()}

    def determinize(self, agent: str, seed: int) -> None:
        """Replace, in place, all that ``agent`` cannot know by a sample; the mask of who is to act goes with it."""
        super().determinize(agent, seed)
        self._follow()

    def _follow(self) -> None:
        self.infos = dict.fromkeys(self.agents, self._idle)
        if self.agents and not self.terminations[self.agent_selection]:
            self.infos[self.agent_selection] = {"action_mask": self._copy_mask()}

    def _wrong_in(self, state: Mapping[str, Any]) -> str | None:
        agents, seat = state["agents"], int(self._batch.actors[0])
        some = isinstance(agents, list) and agents == [agent for agent in self.possible_agents if agent in agents]
        if not some or (seat >= 0 and agents not in ([], self.possible_agents)):
            return "agents"
        selected = state["agent_selection"]
        if agents and selected not in (agents if seat < 0 else self.possible_agents[seat : seat + 1]):
            return "agent_selection"
        for name, right in (("terminations", seat < 0), ("truncations", False)):
            if state[name] != dict.fromkeys(agents, right):
                return name
        for name in ("rewards", "_cumulative_rewards"):
            if not isinstance(state[name], dict) or list(state[name]) != agents:
                return name
            if not all(isinstance(value, (int, float)) and abs(value) <= 1 for value in state[name].values()):
                return name
        return None

    def step(self, action: int | None) -> None:
        """Apply the selected agent's action.

        Raises:
            IllegalActionError: the mask forbids it; nothing has changed.
        """
        agent = self.agent_selection
        try:
            is_over = self.terminations[agent]
        except KeyError:
            raise NotResetError("The game is over: call reset() before step().") from None
        if is_over:
            self._take_leave(action)
            return
        try:
            seat = self._step_one(index(action))  # type: ignore[arg-type]
        except Exception:  # not a whole number, or one that no machine word holds
            seat = ILLEGAL
        if seat >= 0:
            infos = self.infos
            infos[agent] = self._idle
            self.agent_selection = agent = self.possible_agents[seat]
            infos[agent] = {"action_mask": self._copy_mask()}
        elif seat == ILLEGAL:
            raise IllegalActionError(self._batch.explain(0, action))
        else:
            self._finish(agent)

    def _take_leave(self, action: int | None) -> None:
        """PettingZoo asks every agent for a step after the end, with None in place of an action."""
        if action is not None:
            raise IllegalActionError(f"The game is over for {self.agent_selection}: step(None), or reset().")
        self._was_dead_step(None)

    def _finish(self, last_agent: str) -> None:
        self.infos[last_agent] = self._idle
        for seat, agent in enumerate(self.agents):
            self.rewards[agent] = self._cumulative_rewards[agent] = float(self._batch.rewards[0, seat])
            self.terminations[agent] = True
        self._deads_step_first()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What ``agent`` knows, in arrays of its own."""
        if isinstance(agent, str) and agent == self.agent_selection and not self.terminations.get(agent, True):
            observation = self._copy_observation()
        else:
            observation = self._batch.observe_one(0, self.seat_of(agent))
        return {"observation": observation, "action_mask": self.infos.get(agent, self._idle)["action_mask"]}

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last action, termination, truncation and info of the selected agent."""
        agent = self.agent_selection
        try:
            info = self.infos[agent]
        except KeyError:
            raise NotResetError("The game is over: call reset() before last().") from None
        terminated = self.terminations[agent]
        if not observe:
            seen = None
        elif terminated:
            seen = self.observe(agent)
        else:  # as ``observe`` does, without the call: this is the loop everybody runs
            seen = {"observation": self._copy_observation(), "action_mask": info["action_mask"]}
        return seen, self._cumulative_rewards[agent], terminated, self.truncations[agent], info

    def render(self) -> Any:
        """The table in the render mode, from the point of view."""
        return self._render(self.agent_selection)

    def close(self) -> None:
        """Nothing is held open."""

    def __str__(self) -> str:
        return self.game.name
