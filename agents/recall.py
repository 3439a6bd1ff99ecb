"""A learnt policy that is shown its seat's own earlier decisions in the same game, beside what the seat sees now.

With as many as a seat makes in a game, that is perfect recall. What a recalled decision looks like to a network is said
here once, for the agent and for whoever trains it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rat_envs.agents.learnt import LearntAgent
from rat_envs.agents.policy import Networks, demand_sizes, own_values, seat_probabilities
from rat_envs.api.recalled import NO_DECISION, Recalled
from rat_envs.api.seats import SeatViews
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.engine.game import Game

__all__ = ["RecallAgent", "counted_from", "decision_numbers", "network_inputs", "number_recalled", "size_of_decision"]

#: Seats that are asked at once, so that memory stays bounded.
CHUNK = 512


def size_of_decision(game: Game) -> int:
    """How many numbers of a network's input stand for one recalled decision: an observation, and every action."""
    return game.observation.itemsize + len(game.actions)


def number_recalled(networks: Networks, game: Game) -> int:
    """How many recalled decisions networks of a game are shown; 0 for those that see an observation alone.

    Raises:
        ValueError: they take inputs of another size.
    """
    number, rest = divmod(networks.layers[0] - game.observation.itemsize, size_of_decision(game))
    if number < 0 or rest:
        raise ValueError(f"it takes {networks.layers[0]} numbers, which are no observation and recalled decisions")
    return number


def decision_numbers(recalled: Recalled, game: Game, players: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """(n, K, O + A) int8: recalled decisions as networks take them, the latest first; 0 where there is none.

    What the seat saw comes first, then 1 for what it did. As to networks always, players whom actions name are counted
    from the seat.

    Args:
        recalled: of (n) seats.
        players: (n) how many seats the game has.
        seats: (n) which it is.
    """
    size = game.observation.itemsize
    numbers = np.zeros((*recalled.actions.shape, size_of_decision(game)), np.int8)
    numbers[..., :size] = recalled.observations
    i, k = np.nonzero(recalled.actions != NO_DECISION)
    done = recalled.actions[i, k]
    if game.seat_actions:
        done = (game.relative_actions[players[i], seats[i]] == done[:, None]).argmax(1)
    numbers[i, k, size + done] = 1
    return numbers


def network_inputs(views: SeatViews, number: int) -> np.ndarray:
    """(n, O + K · (O + A)) int8: what seats see now, and K recalled decisions as :func:`decision_numbers` has them.

    Args:
        number: K.

    Raises:
        ConfigurationError: nobody keeps what has happened, or so much of it.
    """
    if not number:
        return views.observations
    recalled = views.recalled(number)
    if recalled is None:
        raise ConfigurationError(
            f"This policy recalls its seat's last {number} decisions, which nobody keeps here: wrap a PettingZoo "
            "environment in rat_envs.Narrator, or play in the arena, at the terminal or in the browser."
        )
    numbers = decision_numbers(recalled, views.game, views.players, views.seats)
    return np.concatenate([views.observations, numbers.reshape(len(views), -1)], 1)


def counted_from(weight: np.ndarray, actions: int, centre: np.ndarray) -> None:
    """Let a first layer that takes recalled observations as they are take them less ``centre``: the same comes out.

    What that takes away is added with the action that stands beside each observation: so what is missing stays 0.

    Args:
        weight: (O + K · (O + A), H) float32, changed in place.
        actions: A.
        centre: (O) float32.
    """
    size = len(centre)
    decisions = weight[size:].reshape(-1, size + actions, weight.shape[1])
    decisions[:, size:] += (centre @ decisions[:, :size])[:, None]


class RecallAgent(LearntAgent):
    """Plays as networks say that are shown what its seat has decided before, and what it saw then.

    Whoever plays has to keep what happens: all that play games from their beginning do, and in a PettingZoo environment
    :class:`rat_envs.Narrator` does.

    Args:
        networks: the networks; how many inputs they take says how many decisions they recall.
        game: what they play.
        config: the configuration they were trained on.
        training: how they came about, as plain values.
        seed: of the agent's own random numbers.

    Attributes:
        recall: how many decisions they recall.

    Raises:
        ValueError: the networks take something else, or give other actions, than those of the game.
    """

    form = "rat-recall/1"
    has_policy = False
    listens = True

    def __init__(
        self,
        networks: Networks,
        game: str | Game,
        config: Mapping[str, Any] | Configuration | None = None,
        training: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(game, config, training, seed)
        self.networks = networks
        self.recall = number_recalled(networks, self.game)
        outputs = len(self.game.actions) + networks.returns
        demand_sizes(networks, self.game, outputs, self.recall * size_of_decision(self.game))

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A) float64: the mean over the networks, 0 for what is not legal.

        Raises:
            ConfigurationError: nobody keeps what the seats have decided.
        """
        self.demand_game(views.game)
        result = np.empty(views.masks.shape)
        for rows in chunks(len(views)):
            part = views.only(rows)
            inputs = network_inputs(part, self.recall)
            result[rows] = seat_probabilities(self.networks, part, inputs=inputs).mean(axis=0, dtype=np.float64)
        return result / result.sum(axis=1, keepdims=True)

    def value_batch(self, views: SeatViews) -> np.ndarray | None:
        """(n) float64: the mean of the returns that the networks expect; None where they were not trained for that.

        Raises:
            ConfigurationError: nobody keeps what the seats have decided.
        """
        self.demand_game(views.game)
        if not self.networks.returns:
            return None
        parts = [
            own_values(self.networks, network_inputs(views.only(rows), self.recall)) for rows in chunks(len(views))
        ]
        return np.concatenate([np.empty(0), *parts])

    def guiding(self, players: int) -> Networks:
        """Nothing: a search does not follow what the seats in its games have decided.

        Raises:
            ConfigurationError: always.
        """
        raise ConfigurationError("it recalls what its seat has decided, which no search follows: it guides none.")

    def contents(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The networks, and how many decisions they recall."""
        return {**self.networks.shape(), "recall": self.recall}, self.networks.arrays()

    @classmethod
    def from_contents(
        cls, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray], game: Game, seed: int | None
    ) -> RecallAgent:
        """An agent from what is in its file."""
        networks = Networks.from_arrays(arrays, header["layers"], header["activation"], header["returns"])
        agent = cls(networks, game, header["config"], header.get("training"), seed)
        if header["recall"] != agent.recall:
            raise ValueError(f"it recalls {agent.recall} decisions, not {shown(header['recall'])}")
        return agent


def chunks(length: int) -> list[np.ndarray]:
    """The numbers below ``length``, in parts."""
    return [np.arange(start, min(start + CHUNK, length)) for start in range(0, length, CHUNK)]
