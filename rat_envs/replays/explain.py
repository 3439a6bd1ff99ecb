"""An agent's opinion of each decision of a game, from the view of the seat to act."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rat_envs.agents.search.agent import SearchAgent
from rat_envs.api.agent import Agent, are_chances, array_of, chosen_action
from rat_envs.api.agent_code import let_agent_check, name_of, naming_agent
from rat_envs.api.named_agents import make_agent
from rat_envs.api.seats import SeatViews
from rat_envs.engine.batch import Batch
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import IllegalActionError, shown
from rat_envs.engine.game import Game
from rat_envs.engine.story import Event

__all__ = ["Explainer", "Opinion"]

#: The most actions whose probabilities are shown, always including the one that was played.
MOST_SHOWN = 8
#: The seed of the agent's random numbers at every decision, so that earlier, unseen decisions do not change them.
SEED = 0


@dataclass(frozen=True, eq=False)
class Opinion:
    """What an agent says of a decision.

    Attributes:
        legal: the possible actions by number.
        policy: the probability of every action, (A,) float64; None if the agent has none.
        best: the likeliest action; of an agent without probabilities, its choice.
        estimates: for every action the return that a search expects after it, or None; None for other agents.
        value: the return that the agent expects, or None.
    """

    legal: list[int]
    policy: np.ndarray | None
    best: int
    estimates: list[float | None] | None
    value: float | None


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
        opinion = self.opinion(row, witnessed)
        policy, legal = opinion.policy, opinion.legal
        ordered = sorted(legal, key=lambda action: (-policy[action], action)) if policy is not None else legal
        kept = ordered[:MOST_SHOWN] + ([played] if played in ordered[MOST_SHOWN:] else [])
        names = self._batch.game.actions
        return {
            "options": [[names[a], None if policy is None else round(float(policy[a]), 4)] for a in kept],
            "played": kept.index(played),
            "more": len(legal) - len(kept),
            "would": names[opinion.best] if policy is None else None,
            "value": None if opinion.value is None else round(opinion.value, 4),
        }

    def opinion(self, row: Any, witnessed: Sequence[Event] | None = None) -> Opinion:
        """All that the agent says of a decision; arguments and errors are those of :meth:`choice`."""
        self._batch.states[0] = row
        self._batch.refresh()
        views = SeatViews(self._batch, witnessed=None if witnessed is None else {0: witnessed})
        legal = np.flatnonzero(views.masks[0]).tolist()
        if isinstance(self.agent, SearchAgent):
            return self._found(views, legal)
        policy = self._policy(views)
        best = chosen_action(self.agent, views) if policy is None else _likeliest(policy, legal)
        return Opinion(legal, policy, best, None, self._value(views))

    def _found(self, views: SeatViews, legal: list[int]) -> Opinion:
        """What a search says, which is made once."""
        assert isinstance(self.agent, SearchAgent)
        self._seed()
        with naming_agent(self.agent):
            found = self.agent.search_batch(views)
        policy, shares, means = found.policy[0], found.shares[0].tolist(), found.means[0].tolist()
        estimates = [mean if share else None for share, mean in zip(shares, means, strict=True)]
        return Opinion(legal, policy, _likeliest(policy, legal), estimates, float(found.values[0]))

    def _policy(self, views: SeatViews) -> np.ndarray | None:
        """The agent's probabilities, (A,) float64; None if it has none."""
        self._seed()
        if type(self.agent).policy_batch is Agent.policy_batch:
            return None
        with naming_agent(self.agent):
            answer = self.agent.policy_batch(views)
        policy = self._numbers("probabilities", answer, views.masks.shape)
        if not are_chances(policy):
            wanted = "a number from 0 for each action, not 0 for all"
            raise self._refusal("probabilities", policy.tolist(), wanted)
        return policy[0]

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


def _likeliest(policy: np.ndarray, legal: list[int]) -> int:
    """The likeliest of these actions, the first of several."""
    return max(legal, key=lambda action: (policy[action], -action))
