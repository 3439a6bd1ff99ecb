"""An agent that looks one round ahead, with a learnt network for the values of the states after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rat_envs.agents.learnt import LearntAgent
from rat_envs.agents.lookahead.choices import LEAST, look_ahead
from rat_envs.agents.lookahead.rounds import Rounds, bind, observe, rounds_of
from rat_envs.agents.policy import Networks, demand_sizes
from rat_envs.api.seats import SeatViews
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import CheckpointError, ConfigurationError, shown
from rat_envs.engine.files import is_number
from rat_envs.engine.game import Game
from rat_envs.engine.position import new_stream
from rat_envs.solving.public_tree import demand_public

__all__ = ["LookaheadAgent", "choose", "value_leaves"]

#: The most states from which it looks ahead at once.
CHUNK = 4096


def value_leaves(game: Game, rounds: Rounds, seat: int, network: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """(leaves, 2) float64: the values to ``seat`` of the states after some rounds; its return where the game is over.

    Args:
        network: gives (n, 2) values for (n, O) observations; they are clipped to −1 … 1.

    Raises:
        CheckpointError: some values are not numbers.
    """
    leaves = rounds.leaves
    values = np.repeat(leaves["end_value"][:, None] * (1 if seat == 0 else -1), 2, axis=1)
    unfinished = np.flatnonzero(leaves["ended"] == 0)
    if len(unfinished):
        values[unfinished] = np.clip(network(observe(game, leaves["row"], seat, unfinished)), -1, 1)
        if np.isnan(values).any():
            raise CheckpointError("The network gives values that are no numbers: train anew.")
    return values


def choose(
    game: Game, rounds: Rounds, seat: int, values: np.ndarray, random_weight: float
) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities of ``seat`` in every round, (n, A), by its legal actions in order; and the values of the
    rounds.

    Args:
        values: those of the leaves, from :func:`value_leaves`.
        random_weight: weight of returns against random play, from 0 to 1; the rest is that of the least return.
    """
    policies, backed_up = np.zeros((len(rounds.rounds), len(game.actions))), np.zeros((len(rounds.rounds), 2))
    bind(game, look_ahead)(rounds.rounds, rounds.places, values, seat, random_weight, policies, backed_up)
    return policies, backed_up


class LookaheadAgent(LearntAgent):
    """Solves the matrix game of each round, whose payoffs are the values of the states after it.

    Args:
        network: one network that gives the values of states: the least return that a seat is sure of, and its return
            against random play.
        random_weight: weight of returns against random play, from 0 to 1; the rest is that of the least return.
        game: the game that it plays.
        config: the configuration it was trained on; in any other it must be public, too.
        training: how it was trained, as plain values.
        seed: seed of the agent's own random numbers.

    Raises:
        ConfigurationError: the configuration hides more than simultaneous choices, or is not for two players.
        ValueError: the network is for another game, or ``random_weight`` is not from 0 to 1.
    """

    form = "rat-lookahead/2"

    def __init__(
        self,
        network: Networks,
        random_weight: float,
        game: str | Game,
        config: Mapping[str, Any] | Configuration | None = None,
        training: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(game, config, training, seed)
        demand_public(self.game, self.configuration)
        demand_sizes(network, self.game, 2)
        if len(network) != 1:
            raise ValueError(f"there are {len(network)} networks, not one")
        if not is_number(random_weight) or not 0 <= random_weight <= 1:
            raise ValueError(f"random_weight is {shown(random_weight)}, not from 0 to 1")
        self.network = network
        self.random_weight = float(random_weight)

    def check(self, game: Game, configuration: Configuration) -> None:
        """Accept only its game, in configurations for two that hide nothing but simultaneous choices."""
        self.demand_game(game)
        demand_public(game, configuration, "a policy of the learner lookahead")

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A) float64: an equilibrium of each round's game."""
        return self._look_ahead(views)[0]

    def value_batch(self, views: SeatViews) -> np.ndarray:
        """(n) float64: an estimate of the least return that each seat is sure of by looking ahead."""
        return self._look_ahead(views)[1][:, LEAST]

    def _look_ahead(self, views: SeatViews) -> tuple[np.ndarray, np.ndarray]:
        """The probabilities of each seat, (n, A), and the values of its round, (n, 2)."""
        for configuration in views.configurations():
            self.check(views.game, configuration)
        # Only unseen choices are drawn here, and these are taken back before looking ahead.
        rows = views.determinize(new_stream(self.game, 0))
        policy, values = np.zeros(views.masks.shape), np.zeros((len(views), 2))
        for seat in range(2):
            chosen = np.flatnonzero(views.seats == seat)
            for start in range(0, len(chosen), CHUNK):
                part = chosen[start : start + CHUNK]
                policy[part], values[part] = self._look_ahead_from(rows[part], seat, views.masks[part])
        return policy, values

    def _look_ahead_from(self, rows: np.ndarray, seat: int, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rounds = rounds_of(self.game, rows)
        leaves = value_leaves(self.game, rounds, seat, lambda seen: self.network.outputs(seen)[0])
        by_choice, values = choose(self.game, rounds, seat, leaves, self.random_weight)
        policy = np.zeros(masks.shape)
        policy[masks > 0] = by_choice[np.arange(masks.shape[1]) < (masks > 0).sum(axis=1, keepdims=True)]
        return policy, values

    def guiding(self, players: int) -> Networks:
        """Refuse: it searches itself.

        Raises:
            ConfigurationError: always.
        """
        raise ConfigurationError("it looks ahead itself, and guides no search.")

    def contents(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The network."""
        return {"random_weight": self.random_weight, **self.network.shape()}, self.network.arrays()

    @classmethod
    def from_contents(
        cls, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray], game: Game, seed: int | None
    ) -> LookaheadAgent:
        """Make an agent from the contents of its file."""
        network = Networks.from_arrays(arrays, header["layers"], header["activation"])
        if network.crossed is None:
            raise ValueError("the array crossed_columns is missing")
        return cls(network, header["random_weight"], game, header["config"], header.get("training"), seed)
