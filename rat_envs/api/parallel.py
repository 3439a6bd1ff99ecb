"""The PettingZoo parallel environment, for games in which seats choose simultaneously."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, SupportsIndex

import numpy as np
from pettingzoo import ParallelEnv

from rat_envs.api.illegal import refused, returns_of_losers
from rat_envs.api.view import GameView, NotResetError
from rat_envs.engine.checks import not_legal, whole_number, whole_or
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import IllegalActionError
from rat_envs.engine.game import Game

__all__ = ["RatParallelEnv"]


class RatParallelEnv(GameView, ParallelEnv):
    """A rat game in which all agents act in every step.

    Where the rules let seats choose simultaneously, their agents act simultaneously. At any other decision one agent
    acts, and the others have the single action ``wait``, which is the last number of the action space.

    Args:
        game: a registered name or a :class:`~rat_envs.engine.game.Game`.
        config: options by name.
        render_mode: ``human``, ``ansi``, ``rgb_array``, ``svg`` or None; ``human`` prints after every reset and step.
        point_of_view: whose view is rendered: ``own`` or ``public`` (both: what everybody knows), an agent's name, or
            ``all``, which hides nothing: for spectators, never for an agent.
        flat: whether observations are the int8 vector alone; the mask is then only in ``infos``.
        illegal: as for :class:`~rat_envs.api.aec.RatAECEnv`. With ``lose``, every agent whose action is illegal loses,
            also one that has to ``wait`` and chooses something else. If all agents lose, nobody wins.

    Raises:
        ConfigurationError: an option is wrong.
        UnknownNameError: there is no such game.
        MissingExtraError: ``render_mode`` is ``rgb_array``, and the extra ``render`` is not installed.
    """

    _kept = ("agents",)
    _more_actions = 1

    def __init__(
        self,
        game: str | Game,
        config: Mapping[str, Any] | Configuration | None = None,
        render_mode: str | None = None,
        point_of_view: str = "public",
        flat: bool = False,
        illegal: str = "raise",
    ) -> None:
        GameView.__init__(self, game, config, render_mode, point_of_view, flat, illegal)
        #: The number of the action ``wait``.
        self.wait = len(self.game.actions)
        self._lost = False
        self._has_begun = False

    def legal_for(self, agent: str) -> np.ndarray:
        """The mask of an agent's legal actions, ``wait`` included, (A + 1,) int8.

        Raises:
            NotResetError: there has been no game yet.
            UnknownNameError: there is no such agent.
        """
        self._demand_begun("legal_for")
        return self._masks()[self.seat_of(agent)]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict, dict]:
        """A new game; without ``seed`` the random stream goes on.

        Args:
            seed: seed of chance and of the action spaces' ``sample()``.
            options: ``{"state": row}`` begins at another position, such as ``preset.position(game).state``; others
                are ignored.

        Returns:
            Observations and infos, each by agent.

        Raises:
            ConfigurationError: ``seed`` is not a whole number from 0 to 2**64 - 1; or the state is not one of this game
                and configuration, or the game is over in it.
        """
        self._begin(seed, options)
        self.agents = self.possible_agents[:]
        self._lost = False
        self._has_begun = True
        if self.illegal_actions:
            self._forgive()
        return self._observe()

    def step(self, actions: Mapping[str, SupportsIndex]) -> tuple[dict, dict, dict, dict, dict]:
        """Apply one action for every agent.

        After the end, a step without any actions returns empty mappings, as in PettingZoo's own environments;
        SuperSuit's black_death needs this.

        Args:
            actions: by agent, the number of an action; ``wait`` for an agent that does not act now.

        Returns:
            Observations, rewards, terminations, truncations and infos, each by agent.

        Raises:
            IllegalActionError: an agent has no action, or one that is not a whole number; or a mask forbids an action,
                and ``illegal`` is ``raise``. Nothing has changed.
            NotResetError: no game is under way.
        """
        if self._has_begun and not self.agents and isinstance(actions, Mapping) and not actions:
            return {}, {}, {}, {}, {}
        if not self.agents:
            raise NotResetError("No game is under way: call reset() before step().")
        if not isinstance(actions, Mapping):
            raise IllegalActionError(f"Actions must be a mapping from agents to actions, not {type(actions).__name__}.")
        masks = self._masks()
        forbidden = []
        for seat, agent in enumerate(self.agents):
            if not self._is_legal(agent, actions.get(agent), masks[seat]):
                forbidden.append(seat)
        chosen = [int(actions[agent]) for agent in self.agents]
        for seat in forbidden:
            self.illegal_actions[self.agents[seat]] += 1
            chosen[seat] = self._batch.draw_legal(0, masks[seat])
        if forbidden and self.illegal == "lose":
            over = self._lost = True
            returns = returns_of_losers(len(self.agents), forbidden)
        else:
            over = not self._apply(chosen)
            returns = self._batch.rewards[0]
        rewards = {agent: float(returns[seat]) for seat, agent in enumerate(self.agents)}
        terminations = dict.fromkeys(self.agents, over)
        truncations = dict.fromkeys(self.agents, False)
        observations, infos = self._observe()
        if over:
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    def _is_legal(self, agent: str, action: Any, mask: np.ndarray) -> bool:
        """Whether the mask allows it. Raise an error if it is not a number, or not allowed where illegal actions are
        errors."""
        number = whole_or(action, -1)
        legal = 0 <= number <= self.wait and bool(mask[number])
        if not legal and (self.illegal == "raise" or whole_number(action) is None):
            sentence = not_legal(agent, action, [*self.game.actions, "wait"], mask)
            raise IllegalActionError(refused(action, sentence))
        return legal

    def _apply(self, chosen: list[int]) -> bool:
        """Apply the choices of the seats to act, one after another; return whether the game goes on."""
        batch = self._batch
        at_once = bool(batch.program.simultaneous(batch.states[0]))
        seat = batch.step_one(chosen[batch.actors[0]])
        while at_once and seat >= 0:
            at_once = bool(batch.program.simultaneous(batch.states[0]))
            seat = batch.step_one(chosen[seat])
        return seat >= 0

    def _masks(self) -> np.ndarray:
        """(P, A + 1) int8: the legal actions of every seat; those that wait have only ``wait``."""
        batch = self._batch
        masks = np.zeros((len(self.possible_agents), self.wait + 1), np.int8)
        row = batch.states[:1].copy()[0]
        at_once = not self._lost
        while at_once and (seat := batch.program.actor(row)) >= 0:
            batch.program.legal(row, masks[seat, : self.wait])
            at_once = batch.program.simultaneous(row)
            if at_once:  # the next seat's legal actions do not depend on this one's choice
                batch.program.apply(row, int(np.flatnonzero(masks[seat])[0]))
        masks[:, self.wait] = ~masks.any(axis=1)
        return masks

    def _wrong_in(self, state: Mapping[str, Any]) -> str | None:
        if self._miscounts(state):
            return "illegal_actions"
        under_way = self._batch.actors[0] >= 0
        right = state["agents"] == [] or (under_way and state["agents"] == self.possible_agents)
        return None if right else "agents"

    def _follow(self) -> None:
        self._has_begun = True
        self._lost = self.illegal == "lose" and not self.agents and any(self.illegal_actions.values())

    def _observe(self) -> tuple[dict, dict]:
        masks = self._masks()
        observations: dict[str, Any] = {}
        infos: dict[str, dict[str, Any]] = {}
        for seat, agent in enumerate(self.agents):
            vector = self._batch.observe_one(0, seat)
            observations[agent] = vector if self.flat else {"observation": vector, "action_mask": masks[seat].copy()}
            infos[agent] = {"action_mask": masks[seat]}
            if self.illegal_actions:
                infos[agent]["illegal_actions"] = self.illegal_actions[agent]
        return observations, infos

    def close(self) -> None:
        """Do nothing: nothing is open."""

    @property
    def unwrapped(self) -> RatParallelEnv:
        """This environment: there is no wrapper around it."""
        return self
