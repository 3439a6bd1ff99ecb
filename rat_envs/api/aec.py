"""The PettingZoo AEC environment: one flat class over a batch of one."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any, SupportsIndex

import numpy as np
from pettingzoo import AECEnv

from rat_envs.api.illegal import refused, returns_of_losers
from rat_envs.api.view import GameView, NotResetError
from rat_envs.engine.batch import Batch
from rat_envs.engine.checks import whole_number, whole_or
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import IllegalActionError
from rat_envs.engine.game import Game
from rat_envs.engine.kernels import ILLEGAL

__all__ = ["RatAECEnv"]

#: The selected agent before the first game.
NOBODY = ""


class RatAECEnv(GameView, AECEnv):
    """A rat game as a PettingZoo AEC environment (agent-environment cycle).

    An observation is ``{"observation": int8 (O,), "action_mask": int8 (A,)}``. The mask is also in ``infos``; it is all
    0 for agents that are not to act. With ``flat`` an observation is the vector alone, and the mask is only in
    ``infos``. Rewards come at the end, are zero-sum, and go from −1 to 1. The environment can be copied, pickled and
    saved with ``state_dict`` in mid-game.

    Args:
        game: a registered name or a :class:`~rat_envs.engine.game.Game`.
        config: options by name.
        render_mode: ``human``, ``ansi``, ``rgb_array``, ``svg`` or None; ``human`` prints after every reset and action.
        point_of_view: whose view is rendered: ``own`` (the agent to act), an agent's name, ``public``, or ``all``,
            which hides nothing: for spectators, never for an agent.
        flat: whether observations are the vector alone, without the mask.
        illegal: what happens if the mask forbids an action: ``raise`` raises an error; ``random`` takes a legal action
            instead, drawn from the environment's own random numbers; ``lose`` ends the game: the agent loses, and all
            others win together. Unless it is ``raise``, ``infos`` counts each agent's illegal actions in this game
            (``illegal_actions``).

    Raises:
        ConfigurationError: an option is wrong.
        UnknownNameError: there is no such game.
        MissingExtraError: ``render_mode`` is ``rgb_array``, and the extra ``render`` is not installed.
    """

    _kept = ("agents", "agent_selection", "rewards", "terminations", "truncations", "_cumulative_rewards")
    _short_cuts = ("_copy_observation", "_copy_mask", "_step_one")
    _is_parallelizable = False  # PettingZoo's conversion would step agents that are not to act

    def __init__(
        self,
        game: str | Game,
        config: Mapping[str, Any] | Configuration | None = None,
        render_mode: str | None = None,
        point_of_view: str = "own",
        flat: bool = False,
        illegal: str = "raise",
    ) -> None:
        GameView.__init__(self, game, config, render_mode, point_of_view, flat, illegal)
        no_action = np.zeros(len(self.game.actions), np.int8)
        no_action.setflags(write=False)
        #: The info of agents that are not to act; ``infos`` returns a new copy for each.
        self._idle: dict[str, Any] = {"action_mask": no_action}
        self.agent_selection = NOBODY
        self.rewards: dict[str, float] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self._infos: dict[str, dict[str, Any]] = {}

    def _attach(self, batch: Batch) -> None:
        super()._attach(batch)
        # Bound methods: every look-up saved counts in the loop agent_iter, last, step.
        self._copy_observation = batch.observations[0].copy
        self._copy_mask = batch.masks[0].copy
        self._step_one = batch.step_one

    @property
    def batch(self) -> Batch:
        """The game as a batch of one, through which agents get views."""
        return self._batch

    @property
    def _has_begun(self) -> bool:  # type: ignore[override]
        return self.agent_selection != NOBODY

    @property
    def is_under_way(self) -> bool:
        """Whether the selected agent has to take an action."""
        return not self.terminations.get(self.agent_selection, True)

    @property
    def _own(self) -> str:  # type: ignore[override]
        return self.agent_selection or "public"

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """By agent: ``action_mask``, (A,) int8, and ``illegal_actions``, a number, unless illegal actions raise."""
        for agent in self._infos:
            self._info_of(agent)
        return self._infos

    @infos.setter
    def infos(self, infos: dict[str, dict[str, Any]]) -> None:
        self._infos = infos

    def _info_of(self, agent: str) -> dict[str, Any]:
        """The whole info of one agent, with a mask of its own."""
        info: dict[str, Any] = self._infos[agent]
        if info is self._idle:
            self._infos[agent] = info = {"action_mask": info["action_mask"].copy()}
        if self.illegal_actions:
            info["illegal_actions"] = self.illegal_actions[agent]
        return info

    def legal_for(self, agent: str) -> np.ndarray:
        """The mask of an agent's legal actions, (A,) int8; all 0 unless it is to act.

        Raises:
            NotResetError: there has been no game yet.
            UnknownNameError: there is no such agent.
        """
        self._demand_begun("legal_for")
        self.seat_of(agent)
        acts = agent == self.agent_selection and self.is_under_way
        return self._copy_mask() if acts else self._idle["action_mask"]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game; without ``seed`` the random stream goes on.

        Args:
            seed: seed of chance and of the action spaces' ``sample()``.
            options: ``{"state": row}`` begins at another position, such as ``preset.position(game).state``; others
                are ignored.

        Raises:
            ConfigurationError: ``seed`` is not a whole number from 0 to 2**64 - 1; or the state is not one of this game
                and configuration, or the game is over in it.
        """
        self._begin(seed, options)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._infos = dict.fromkeys(self.agents, self._idle)
        self.agent_selection = self.possible_agents[self._batch.actors[0]]
        self._infos[self.agent_selection] = {"action_mask": self._copy_mask()}
        if self.illegal_actions:
            self._forgive()

    def determinize(self, agent: str, seed: int) -> None:
        """Replace, in place, everything that ``agent`` cannot know by a sample, including the mask of the agent to
        act."""
        super().determinize(agent, seed)
        self._follow()

    def _follow(self) -> None:
        self._infos = dict.fromkeys(self.agents, self._idle)
        if self.agents and not self.terminations[self.agent_selection]:
            self._infos[self.agent_selection] = {"action_mask": self._copy_mask()}

    def _wrong_in(self, state: Mapping[str, Any]) -> str | None:
        agents, seat = state["agents"], int(self._batch.actors[0])
        some = isinstance(agents, list) and agents == [agent for agent in self.possible_agents if agent in agents]
        lost = self.illegal == "lose" and some and state["terminations"] == dict.fromkeys(agents, True)
        over = seat < 0 or lost
        if not some or (not over and agents not in ([], self.possible_agents)):
            return "agents"
        if self._miscounts(state):
            return "illegal_actions"
        selected = state["agent_selection"]
        if agents and selected not in (agents if over else self.possible_agents[seat : seat + 1]):
            return "agent_selection"
        for name, right in (("terminations", over), ("truncations", False)):
            if state[name] != dict.fromkeys(agents, right):
                return name
        for name in ("rewards", "_cumulative_rewards"):
            if not isinstance(state[name], dict) or list(state[name]) != agents:
                return name
            if not all(isinstance(value, (int, float)) and abs(value) <= 1 for value in state[name].values()):
                return name
        return None

    def step(self, action: SupportsIndex | None) -> None:
        """Apply the selected agent's action.

        Args:
            action: the number of the action. After the end of the game it is None, once for every agent.

        Raises:
            IllegalActionError: the action is not a whole number; or the mask forbids it, and ``illegal`` is ``raise``;
                or the game is over, and it is not None. Nothing has changed.
            NotResetError: no game is under way.
        """
        agent = self.agent_selection
        try:
            is_over = self.terminations[agent]
        except KeyError:
            raise NotResetError("No game is under way: call reset() before step().") from None
        if is_over:
            self._take_leave(action)
            return
        try:
            seat = self._step_one(index(action))  # type: ignore[arg-type]
        except Exception:  # not a whole number, or one that no machine word holds
            if whole_or(action, ILLEGAL) in range(len(self.game.actions)):
                raise  # an error of the game's own rules
            seat = ILLEGAL
        if seat >= 0:
            infos = self._infos
            infos[agent] = self._idle
            self.agent_selection = agent = self.possible_agents[seat]
            infos[agent] = {"action_mask": self._copy_mask()}
        elif seat == ILLEGAL:
            self._take_illegal(agent, action)
        else:
            self._finish(agent, self._batch.rewards[0])

    def _take_illegal(self, agent: str, action: Any) -> None:
        """Handle an illegal action as ``illegal`` says."""
        if self.illegal == "raise" or whole_number(action) is None:
            raise IllegalActionError(refused(action, self._batch.explain(0, action)))
        self.illegal_actions[agent] += 1
        if self.illegal == "random":
            type(self).step(self, self._batch.draw_legal(0))
        else:
            self._finish(agent, returns_of_losers(len(self.possible_agents), [self.seat_of(agent)]))

    def _take_leave(self, action: SupportsIndex | None) -> None:
        """Remove the selected agent: PettingZoo asks every agent for a step after the end, with None in place of an
        action."""
        if action is not None:
            raise IllegalActionError(f"The game is over for {self.agent_selection}: step(None), or reset().")
        gone = self.agent_selection
        for part in (self.terminations, self.truncations, self.rewards, self._cumulative_rewards, self._infos):
            del part[gone]
        self.agents.remove(gone)
        self._clear_rewards()
        self.agent_selection = self.agents[0] if self.agents else getattr(self, "_skip_agent_selection", None) or gone

    def _finish(self, last_agent: str, returns: np.ndarray) -> None:
        self._infos[last_agent] = self._idle
        for seat, agent in enumerate(self.agents):
            self.rewards[agent] = self._cumulative_rewards[agent] = float(returns[seat])
            self.terminations[agent] = True
        self._deads_step_first()

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """The agents to act, one after another, until the game is over and every agent has made its last step.

        Args:
            max_iter: the largest number of agents to return.

        Raises:
            NotResetError: there has been no game yet.
        """
        self._demand_begun("agent_iter")
        return super().agent_iter(max_iter)

    def observe(self, agent: str) -> Any:
        """What ``agent`` knows, in new arrays: a dict, or the vector if ``flat``.

        Raises:
            NotResetError: there has been no game yet.
            UnknownNameError: there is no such agent.
        """
        if isinstance(agent, str) and agent == self.agent_selection and not self.terminations.get(agent, True):
            observation = self._copy_observation()
            return observation if self.flat else {"observation": observation, "action_mask": self._copy_mask()}
        self._demand_begun("observe")
        observation = self._batch.observe_one(0, self.seat_of(agent))
        if self.flat:
            return observation
        return {"observation": observation, "action_mask": self._idle["action_mask"].copy()}

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last action, termination, truncation and info of the selected agent.

        The mask of the observation and that of the info are one array, the one in ``infos``, which the environment
        keeps: copy it before you change it, or call :meth:`observe`, which gives arrays of its own.

        Args:
            observe: whether to return the observation; otherwise it is None.

        Raises:
            NotResetError: no game is under way.
        """
        agent = self.agent_selection
        try:
            info = self._infos[agent]
        except KeyError:
            raise NotResetError("No game is under way: call reset() before last().") from None
        terminated = self.terminations[agent]
        if terminated or self.illegal_actions:
            info = self._info_of(agent)
        seen: Any = None
        if observe:  # the same as ``observe`` without the call, because this loop must be fast
            seen = self._batch.observe_one(0, self._seats[agent]) if terminated else self._copy_observation()
            if not self.flat:
                seen = {"observation": seen, "action_mask": info["action_mask"]}
        return seen, self._cumulative_rewards[agent], terminated, self.truncations[agent], info

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def __str__(self) -> str:
        return self.game.name
