"""The story of a game that is played in a PettingZoo environment: for people who watch, and for language models."""

from __future__ import annotations

from typing import Any

import numpy as np

from rat_envs.api.aec import RatAECEnv
from rat_envs.engine.batch import CHANCE_STREAM
from rat_envs.engine.position import Position
from rat_envs.engine.story import Event, story, unfold, witness

__all__ = ["Narrator"]


class Narrator:
    """Plays an environment, and tells each agent what it has seen since the game began.

    The environment does not keep what has happened: whoever wants the story resets and steps it through this.

    Args:
        env: an AEC environment of a rat game, in wrappers or not.

    Attributes:
        events: all that has happened in the game, chance included.
    """

    def __init__(self, env: Any) -> None:
        if not isinstance(env.unwrapped, RatAECEnv):
            raise TypeError(
                f"A narrator tells of AEC environments of rat games, not of {type(env.unwrapped).__name__}."
            )
        self.env = env
        self.events: list[Event] = []

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """A new game, as the environment begins it."""
        batch = self.env.unwrapped.batch
        stream = batch.streams[:1].copy()[0]
        if seed is not None:
            batch.program.seed_stream(stream, np.uint64(seed), CHANCE_STREAM)
        self.env.reset(seed=seed, options=options)
        self._position = Position(batch.game, batch.configurations[0], batch.program.compiled)
        self.events = unfold(self._position, stream)

    def step(self, action: int | None) -> None:
        """Apply the selected agent's action, as the environment does.

        Raises:
            IllegalActionError: the mask forbids it; nothing has changed.
        """
        env = self.env.unwrapped
        is_over = env.terminations[env.agent_selection]
        stream = env.batch.streams[:1].copy()[0]
        self.env.step(action)
        if not is_over:
            self.events += [witness(self._position, int(action)), *unfold(self._position, stream)]  # type: ignore[arg-type]

    def story(self, agent: str | None = None) -> list[str]:
        """What an agent, or for None a spectator, has been told so far, in sentences."""
        return story(self.events, None if agent is None else self.env.possible_agents.index(agent))
