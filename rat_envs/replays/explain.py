"""An agent's opinion of each decision of a game, from the view of the seat to act."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rat_envs.api.agent import Agent, are_chances, array_of, chosen_action
from rat_envs.api.agent_code import let_agent_check, name_of, naming_agent
from rat_envs.api.named_agents import make_agent
from rat_envs.api.seats import SeatViews
from rat_envs.engine.batch import Batch
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import IllegalActionError, shown
from rat_envs.engine.game import Game
from rat_envs.engine.story import Event

__all__ = ["Explainer"]

#: The most actions whose probabilities are shown, always including the one that was played.
MOST_SHOWN = 8
#: The seed of the agent's random numbers at every decision, so that earlier, unseen decisions do not change them.
SEED = 0


class Explainer:
    """Asks one agent about decisions.

    Args:
        game: the game.
        configuration: its options.
        name: an agent's name, as on a command line.
        trust: as for :func:`~rat_envs.api.named_agents.make_agent`.

    Raises:
        ConfigurationError, CheckpointError, UnknownNameError: the agent does not exist, or cannot play this.
    """

    def __init__(self, game: Game, configuration: Configuration, name: str, trust: bool = False) -> None:
        self.agent: Agent = make_agent(name, game, SEED, trust=trust)
        let_agent_check(self.agent, game, configuration)
        self._batch = Batch(game, 1, configuration, seed=SEED)

    def choice(self, row: Any, played: int, witnessed: Sequence[Event] | None = None) -> dict[str, Any]:
        """The agent's opinion of a decision.

        Args:
            row: a record of ``STATE`` in which a seat is to act.
            played: the number of the action that was played.
            witnessed: all events of the game before; an agent that ``listens`` needs them.

        Returns:
            ``options``: actions in notation, each with its probability (None if the agent has none), the likeliest
                first; ``played``: the place of the played action among them; ``more``: the number left out; ``would``:
                the choice of an agent without probabilities, otherwise None; ``value``: the return that it expects, or
                None.

        Raises:
            IllegalActionError: the agent returns anything else, which a page could not show.
        """
        self._batch.states[0] = row
        self._batch.refresh()
        views = SeatViews(self._batch, witnessed=None if witnessed is None else {0: witnessed})
        policy, would = self._policy(views)
        value = self._value(views)
        legal = np.flatnonzero(views.masks[0]).tolist()
        ordered = sorted(legal, key=lambda action: (-policy[action], action)) if policy is not None else legal
        kept = ordered[:MOST_SHOWN] + ([played] if played in ordered[MOST_SHOWN:] else [])
        names = views.game.actions
        return {
            "options": [[names[a], None if policy is None else round(float(policy[a]), 4)] for a in kept],
            "played": kept.index(played),
            "more": len(legal) - len(kept),
            "would": None if would is None else names[would],
            "value": None if value is None else round(value, 4),
        }

    def _policy(self, views: SeatViews) -> tuple[np.ndarray | None, int | None]:
        """The agent's probabilities, (A,) float64; or if it has none, the action that it chooses."""
        self._seed()
        if type(self.agent).policy_batch is Agent.policy_batch:
            return None, chosen_action(self.agent, views)
        with naming_agent(self.agent):
            answer = self.agent.policy_batch(views)
        policy = self._numbers("probabilities", answer, views.masks.shape)
        if not are_chances(policy):
            wanted = "a number from 0 for each action, not 0 for all"
            raise self._refusal("probabilities", policy.tolist(), wanted)
        return policy[0], None

    def _value(self, views: SeatViews) -> float | None:
        """The return that the agent expects, or None."""
        self._seed()
        value = self.agent.value(views)
        if value is not None and not math.isfinite(value):
            raise IllegalActionError(
                f"The agent {name_of(self.agent)} expects the return {value}: it must be a finite number, or None."
            )
        return value

    def _seed(self) -> None:
        with naming_agent(self.agent):
            self.agent.seed(SEED)

    def _numbers(self, what: str, answer: Any, shape: tuple[int, ...]) -> np.ndarray:
        """An answer as finite float64 numbers of this shape."""
        numbers = array_of(self.agent, answer)
        if numbers.shape != shape or numbers.dtype.kind not in "fiub" or not np.isfinite(numbers).all():
            raise self._refusal(what, numbers.tolist(), f"finite numbers of the shape {shape}")
        return numbers.astype(np.float64)

    def _refusal(self, what: str, given: Any, wanted: str) -> IllegalActionError:
        return IllegalActionError(
            f"The agent {name_of(self.agent)} gives no {what}, but {shown(given)}: it must give {wanted}."
        )
