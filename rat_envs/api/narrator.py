"""The story of a game in a PettingZoo environment, for people who watch and for language models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pettingzoo.utils import BaseWrapper

from rat_envs.api.aec import RatAECEnv
from rat_envs.api.copying import CopiedWhole
from rat_envs.api.view import NotResetError
from rat_envs.engine.batch import Batch
from rat_envs.engine.checks import checked_seed
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.position import Position
from rat_envs.engine.random import CHANCE_STREAM
from rat_envs.engine.story import Event, story, unfold, witness

__all__ = ["Follower", "Narrator"]


class Follower:
    """Records the events of one game of a batch, which does not record them itself.

    Args:
        batch: the games.
        number: the number of the game.

    Attributes:
        events: all events of the game, chance included.
    """

    def __init__(self, batch: Batch, number: int = 0) -> None:
        self._batch, self._number = batch, number
        self._position: Position | None = None
        self.events: list[Event] = []

    @property
    def has_begun(self) -> bool:
        """Whether a game has begun since it started to follow."""
        return self._position is not None

    def stream(self, seed: int | None = None) -> Any:
        """A copy of the game's random stream of chance, as it is now or as ``seed`` starts it, to draw the same numbers
        again."""
        stream = self._batch.streams[self._number : self._number + 1].copy()[0]
        if seed is not None:
            self._batch.program.seed_stream(stream, np.uint64(checked_seed(seed)), CHANCE_STREAM)
        return stream

    def begin(self, stream: Any) -> None:
        """Follow a new game, which has begun with these random numbers."""
        batch = self._batch
        self._position = Position(batch.game, batch.configurations[self._number], batch.program.compiled)
        self.events = unfold(self._position, stream)

    def follow(self, action: int, stream: Any) -> None:
        """Record an action that was taken; ``stream`` is as it was before."""
        assert self._position is not None
        self.events += [witness(self._position, action), *unfold(self._position, stream)]


class Narrator(CopiedWhole, BaseWrapper):
    """A PettingZoo wrapper that records what happens, to tell each agent what it has seen since the game began.

    The environment itself records no events. To get the story, reset and step the environment through the narrator. An
    agent that reads the story acts by ``agent.act(narrator)``.

    Args:
        env: an AEC environment of a rat game, wrapped or not, with ``illegal="raise"``.

    Raises:
        ConfigurationError: it is another environment, or its ``illegal`` is not ``raise``.
    """

    def __init__(self, env: Any) -> None:
        bare = getattr(env, "unwrapped", env)
        if not isinstance(bare, RatAECEnv):
            raise ConfigurationError(
                f"A narrator tells of AEC environments of rat games, not of {type(bare).__name__}."
            )
        if env.unwrapped.illegal != "raise":
            raise ConfigurationError(
                f"illegal={env.unwrapped.illegal!r}: a narrator tells what was asked for, so it must be 'raise'."
            )
        super().__init__(env)
        self._follower = Follower(env.unwrapped.batch)

    @property
    def unwrapped(self) -> RatAECEnv:
        """The environment itself."""
        bare: RatAECEnv = self.env.unwrapped
        return bare

    @property
    def events(self) -> list[Event]:
        """All that has happened in the game, chance included."""
        return self._follower.events

    @property
    def witnessed(self) -> dict[int, list[Event]]:
        """The same events by number of game, as :class:`~rat_envs.api.seats.SeatViews` takes them."""
        return {0: self.events}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game, as the environment begins it.

        Raises:
            ConfigurationError: options ask for a game that begins at another position.
        """
        if isinstance(options, Mapping) and options.get("state") is not None:
            raise ConfigurationError("state: a narrator tells a game from its beginning, so leave it out.")
        stream = self._follower.stream(seed)
        self.env.reset(seed=seed, options=options)
        self._follower.begin(stream)

    def _demand_begun(self, what: str) -> None:
        if not self._follower.has_begun:
            raise NotResetError(f"The narrator has not seen a game begin: call its reset() before {what}().")

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """The agents that are to act, one after another, as in the environment.

        Raises:
            NotResetError: no game has begun through the narrator.
        """
        self._demand_begun("agent_iter")
        return super().agent_iter(max_iter)

    def step(self, action: int | None) -> None:
        """Apply the selected agent's action, as the environment does.

        Raises:
            IllegalActionError: the mask forbids it; nothing has changed.
            NotResetError: no game has begun through the narrator, or all agents have left the last one.
        """
        env = self.unwrapped
        self._demand_begun("step")
        is_over = env.terminations.get(env.agent_selection, True)  # an agent that has left is no longer in it
        stream = self._follower.stream()
        self.env.step(action)
        if not is_over:
            self._follower.follow(int(action), stream)  # type: ignore[arg-type]

    def determinize(self, agent: str, seed: int) -> None:
        """Refuse: the narrator's story would go on from what was there before.

        Raises:
            ConfigurationError: always.
        """
        raise ConfigurationError(
            "A narrator tells what has happened, so nothing is replaced: determinize a copy of env."
        )

    def load_state_dict(self, state: Any) -> None:
        """Refuse: the narrator has not seen what led there. (A copy of a narrator goes on from where it is.)

        Raises:
            ConfigurationError: always.
        """
        raise ConfigurationError("A narrator has not seen what led to a saved state: copy or pickle the narrator.")

    def story(self, agent: str | None = None) -> list[str]:
        """The sentences that an agent has been told so far; for None those of a spectator.

        Raises:
            UnknownNameError: there is no such agent.
        """
        return story(self.events, None if agent is None else self.unwrapped.seat_of(agent))
