"""A learnt policy that is also shown its seat's own earlier decisions in the same game.

If it is shown all decisions of a game, it has perfect recall. How a network sees a recalled decision is defined only
here, for the agent and for its training.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rat_envs.agents.policy import NetworkAgent, Networks, demand_sizes
from rat_envs.api.recalled import NO_DECISION, Recalled
from rat_envs.api.seats import SeatViews
from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.engine.game import Game

__all__ = ["RecallAgent", "counted_from", "decision_numbers", "network_inputs", "number_recalled", "size_of_decision"]


def size_of_decision(game: Game) -> int:
    """The number of inputs of a network for one recalled decision: an observation, and one for each action."""
    return game.observation.itemsize + len(game.actions)


def number_recalled(networks: Networks, game: Game) -> int:
    """The number of recalled decisions among the inputs of networks; 0 if they see only an observation.

    Raises:
        ValueError: their number of inputs does not fit any number of decisions.
    """
    number, rest = divmod(networks.layers[0] - game.observation.itemsize, size_of_decision(game))
    if number < 0 or rest:
        raise ValueError(f"it takes {networks.layers[0]} numbers, which are no observation and recalled decisions")
    return number


def decision_numbers(recalled: Recalled, game: Game, players: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """(n, K, O + A) int8: recalled decisions as inputs of networks, the latest first; 0 where there is none.

    The seat's observation comes first, then 1 for the action it took. As always with networks, the players that actions
    name are counted from the seat.

    Args:
        recalled: those of (n) seats.
        players: (n) the number of seats in the game.
        seats: (n) the number of the seat.
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
    """(n, O + K · (O + A)) int8: the seats' present observations, and K recalled decisions (:func:`decision_numbers`).

    Args:
        number: K.

    Raises:
        ConfigurationError: the past decisions are not recorded, or fewer than K of them.
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
    """Change a first layer that takes recalled observations so that it takes them less ``centre``, with the same
    outputs.

    The difference is added to the weights of the action beside each observation, so a missing decision still adds 0.

    Args:
        weight: (O + K · (O + A), H) float32, changed in place.
        actions: A.
        centre: (O) float32.
    """
    size = len(centre)
    decisions = weight[size:].reshape(-1, size + actions, weight.shape[1])
    decisions[:, size:] += (centre @ decisions[:, :size])[:, None]


class RecallAgent(NetworkAgent):
    """Plays by networks that are shown its seat's earlier decisions, and what it saw then.

    The program that plays has to record the events. All code here that plays games from their beginning does; in a
    PettingZoo environment :class:`rat_envs.Narrator` does.

    Args:
        networks: the networks; their number of inputs determines how many decisions they recall.
        game: the game that they play.
        config: the configuration they were trained on.
        training: how they were trained, as plain values.
        seed: seed of the agent's own random numbers.

    Attributes:
        recall: number of decisions that they recall.

    Raises:
        ValueError: the numbers of inputs or outputs of the networks do not fit the game.
    """

    form = "rat-recall/1"
    has_policy = False
    listens = True
    most_at_once = 512

    def prepare(self) -> None:
        """Set ``recall``, and refuse networks of another game; errors are those of :meth:`NetworkAgent.prepare`."""
        self.recall = number_recalled(self.networks, self.game)
        outputs = len(self.game.actions) + self.networks.returns
        demand_sizes(self.networks, self.game, outputs, self.recall * size_of_decision(self.game))

    def inputs(self, views: SeatViews, rows: slice) -> np.ndarray:
        """(n, O + K · (O + A)) int8: the inputs of the networks for some of the seats.

        Raises:
            ConfigurationError: the decisions of the seats are not recorded.
        """
        return network_inputs(views.only(np.arange(len(views))[rows]), self.recall)

    def guiding(self, players: int) -> Networks:
        """Refuse: a search does not record the decisions of the seats in its games.

        Raises:
            ConfigurationError: always.
        """
        raise ConfigurationError("it recalls what its seat has decided, which no search follows: it guides none.")

    def contents(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The networks, and the number of decisions that they recall."""
        return {**self.networks.shape(), "recall": self.recall}, self.networks.arrays()

    @classmethod
    def from_contents(
        cls, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray], game: Game, seed: int | None
    ) -> RecallAgent:
        """Make an agent from the contents of its file."""
        networks = Networks.from_arrays(arrays, header["layers"], header["activation"], header["returns"])
        agent = cls(networks, game, header["config"], header.get("training"), seed)
        if header["recall"] != agent.recall:
            raise ValueError(f"it recalls {agent.recall} decisions, not {shown(header['recall'])}")
        return agent
