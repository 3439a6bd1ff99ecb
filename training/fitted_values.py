"""Learn the values of states by looking one round ahead, for games that hide only simultaneous choices.

Many games are played at random. In each of their states every seat solves the matrix game of the next round, whose
payoffs are a network's values of the states after it, and the network is fitted to the result. This is fitted value
iteration with the matrix games of minimax-Q (Littman 1994). The resulting agent plays in the same way. It uses a
running mean of the network's parameters, which also gives the values to which the network is fitted.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import gymnasium
import numpy as np
import torch
from torch import nn

from rat_envs.agents.crossing import Crossed, Crossing
from rat_envs.agents.lookahead.agent import LookaheadAgent, choose, value_leaves
from rat_envs.agents.lookahead.rounds import bind, draw_next_places, observe, rounds_of
from rat_envs.agents.policy import Networks, unscaled
from rat_envs.engine.batch import available_cores
from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.engine.position import Position
from rat_envs.engine.program import program
from rat_envs.engine.registry import get_game
from rat_envs.engine.states import demand_possible
from rat_envs.solving.public_tree import demand_public
from rat_envs.training.checkpoints import named, parameters_of, part, set_parameters
from rat_envs.training.descent import Descent
from rat_envs.training.run import Run, RunOptions
from rat_envs.training.scaling import Scaled, check_crossed, combinations, scale_of

__all__ = ["FittedValues", "LookaheadOptions"]

#: The values of a state for a seat: its least return, and its return against random play.
VALUES = ("at worst", "against random")


@dataclass(frozen=True)
class LookaheadOptions(RunOptions):
    """How to learn values.

    Attributes:
        threads: processor cores that PyTorch may use, and no more than this process may use (``RAT_ENVS_THREADS``).
        steps: number of states from which it looks a round ahead.
        num_games: number of games played at once.
        fits_per_update: gradient steps of an update, each after one more round of all games.
        hidden: sizes of the hidden layers.
        crossed: fields of the observation that are combined: each combination of all their numbers has parameters of
            its own.
        random_weight: weight of returns against random play, from 0 to 1; the rest is that of the least return
            (:mod:`rat_envs.agents.lookahead.choices`).
        learning_rate: step size of the optimiser at the start.
        halving_steps: the learning rate falls as 1 / (1 + steps / halving_steps).
        memory: about how many gradient steps the parameters are averaged over.
    """

    COUNTS: ClassVar[tuple[str, ...]] = (*RunOptions.COUNTS, "num_games", "fits_per_update", "memory", "halving_steps")
    LEARNER: ClassVar[str] = "lookahead"

    threads: int = 2
    num_games: int = 1024
    fits_per_update: int = 16
    hidden: tuple[int, ...] = (64, 64)
    crossed: tuple[str, ...] = ()
    random_weight: float = 0.65
    learning_rate: float = 5e-3
    halving_steps: int = 2_000_000
    memory: int = 600

    def __post_init__(self) -> None:
        super().__post_init__()
        self._demand(0, 1, "random_weight")
        self._demand(1e-12, math.inf, "learning_rate")
        if not self.hidden or min(self.hidden) < 1:
            raise ConfigurationError(f"hidden={shown(self.hidden)}: must be sizes of one layer or more, from 1.")
        check_crossed(self.game, self.crossed)

    def new_run(self) -> FittedValues:
        """Learning from the start."""
        return FittedValues(self)


class Values(nn.Module):
    """The network that is fitted.

    Args:
        scaled: the inputs that it takes from an observation.
        combinations: number of combinations of numbers that have parameters of their own.
        hidden: sizes of the hidden layers.
    """

    def __init__(self, scaled: Scaled, combinations: int, hidden: Sequence[int]) -> None:
        super().__init__()
        self.scaled = scaled
        self.table = nn.Embedding(combinations, hidden[0])
        self.first = nn.Linear(scaled.features_dim, hidden[0])
        sizes = [*hidden, len(VALUES)]
        self.others = [nn.Linear(before, after) for before, after in itertools.pairwise(sizes)]
        self.rest = nn.Sequential(*(part for layer in self.others for part in (nn.ReLU(), layer)))
        nn.init.normal_(self.table.weight, 0, 0.01)
        nn.init.zeros_(self.others[-1].weight)
        nn.init.zeros_(self.others[-1].bias)

    def forward(self, observations: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        """(n, 2) values."""
        values: torch.Tensor = self.rest(self.first(self.scaled(observations)) + self.table(numbers))
        return values

    def networks(self, size: int) -> Networks:
        """The layers, copied, for observations of ``size`` numbers as they are."""
        layers = [self.first, *self.others]
        weights = tuple(layer.weight.detach().numpy().T[None].copy() for layer in layers)
        biases = tuple(layer.bias.detach().numpy()[None].copy() for layer in layers)
        return unscaled(Networks(weights, biases, "relu"), self.scaled, size)


class FittedValues(Run):
    """The network, its mean, and the games to whose states it is fitted.

    Args:
        options: how to learn.

    Raises:
        ConfigurationError: the configuration hides more than simultaneous choices, or is not for two players.
    """

    options: LookaheadOptions

    def __init__(self, options: LookaheadOptions) -> None:
        super().__init__(options)
        torch.set_num_threads(min(options.threads, available_cores()))  # what it learns does not depend on them
        self.game = get_game(options.game)
        configuration = self.game.configuration.make(options.config)
        demand_public(self.game, configuration)
        torch.manual_seed(options.seed)
        self.random = np.random.default_rng(options.seed)
        self.crossing = combinations(options.game, options.config, options.crossed, options.seed)
        space = gymnasium.spaces.Box(-128, 127, (self.game.observation.itemsize,), np.int8)
        scale = scale_of(options.game, options.config, options.seed)
        newest, mean = (Values(Scaled(space, **scale), len(self.crossing.known) + 1, options.hidden) for _ in range(2))
        mean.load_state_dict(newest.state_dict())
        self.newest, self.mean = newest, mean
        self.descent = Descent(newest, options.learning_rate, math.inf, epsilon=1e-8)
        self.start = Position(self.game, configuration, compiled=False).state[None].copy()
        self.rows = np.repeat(self.start, options.num_games)
        self.fits = 0
        self._untrained = self.network()

    @property
    def steps(self) -> int:
        """The number of states from which it has looked a round ahead, for both seats."""
        return self.fits * self.options.num_games

    def learn(self) -> None:
        """Fit the network to the values found by looking ahead from the games' states, and go on in the games."""
        losses = [self.fit() for _ in range(self.options.fits_per_update)]
        self.logger.record("train/loss", float(np.mean(losses)))
        for name, value in self.report()["expected"].items():
            self.logger.record(f"expected/return_{name.replace(' ', '_')}", value)

    def fit(self) -> float:
        """Make one gradient step; return the mean squared error before it."""
        rounds = rounds_of(self.game, self.rows)
        seen, wanted = [], []
        for seat in range(2):
            values = value_leaves(self.game, rounds, seat, self.value)
            wanted.append(choose(self.game, rounds, seat, values, self.options.random_weight)[1])
            seen.append(observe(self.game, self.rows, seat))
        loss = torch.nn.functional.mse_loss(
            self.newest(*self.inputs(np.concatenate(seen))), torch.from_numpy(np.concatenate(wanted)).float()
        )
        self.descent.rate = self.options.learning_rate / (1 + self.steps / self.options.halving_steps)
        self.descent.step(self.descent.gradient([loss]))
        with torch.no_grad():
            for mean, newest in zip(self.mean.parameters(), self.newest.parameters(), strict=True):
                mean.lerp_(newest, 1 / min(self.options.memory, self.fits + 1))
        self.fits += 1
        self.go_on(rounds)
        return float(loss.detach())

    def inputs(self, observations: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        """The network's inputs for (n, O) int8 observations."""
        return torch.from_numpy(observations).float(), torch.from_numpy(self.crossing.numbers(observations))

    def value(self, observations: np.ndarray) -> np.ndarray:
        """(n, 2): the mean network's values of observations."""
        with torch.no_grad():
            values: np.ndarray = self.mean(*self.inputs(observations)).numpy()
        return values

    def go_on(self, rounds: Any) -> None:
        """Go on to one of the states after the round in each game; games that have ended begin anew."""
        chosen = np.zeros(len(rounds.rounds), np.int64)
        bind(self.game, draw_next_places)(rounds.rounds, self.random.random(len(chosen)), chosen)
        leaves = rounds.leaves[rounds.places[chosen]]
        self.rows = np.where(leaves["ended"] == 1, self.start, leaves["row"])

    def report(self) -> dict[str, Any]:
        """The expected values at the start of a game, averaged over both seats."""
        seats = np.concatenate([observe(self.game, self.start, seat) for seat in range(2)])
        expected = self.value(seats).mean(axis=0)
        return {"expected": dict(zip(VALUES, expected.tolist(), strict=True))}

    def network(self) -> Networks:
        """The mean network, for numpy."""
        table = self.mean.table.weight.detach().numpy().copy()[None]
        layers = self.mean.networks(self.game.observation.itemsize)
        return dataclasses.replace(layers, crossed=Crossed(self.crossing, table))

    def agent(self) -> LookaheadAgent:
        """The agent that looks one round ahead with the mean network."""
        return self._agent(self.network(), self.training())

    def untrained(self) -> LookaheadAgent:
        """An agent that looks one round ahead, and has no values for the states after it."""
        return self._agent(self._untrained, {"updates": 0})

    def _agent(self, network: Networks, training: Mapping[str, Any]) -> LookaheadAgent:
        options = self.options
        return LookaheadAgent(network, options.random_weight, options.game, options.config, training, options.seed)

    def get_state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Both networks, the optimiser, the games and the random numbers."""
        arrays = {
            **named("newest", parameters_of(self.newest)),
            **named("mean", parameters_of(self.mean)),
            **named("optimiser", self.descent.get_state()),
            "games": self.rows.view(np.uint8).reshape(len(self.rows), -1),
            "crossed_columns": self.crossing.columns,
            "crossed_keys": self.crossing.known,
        }
        return {"fits": self.fits, "random": self.random.bit_generator.state}, arrays

    def set_state(self, state: Mapping[str, Any], arrays: Mapping[str, np.ndarray], steps: int) -> None:
        """Go on from :meth:`get_state`."""
        games = arrays["games"]
        if games.dtype != np.uint8 or games.shape != (len(self.rows), self.rows.itemsize):
            raise ValueError(f"games of shape {games.shape}, not {(len(self.rows), self.rows.itemsize)}")
        crossing = Crossing(arrays["crossed_columns"], arrays["crossed_keys"])
        if len(crossing.known) != len(self.crossing.known):
            raise ValueError(f"{len(crossing.known)} combinations of numbers, not {len(self.crossing.known)}")
        if (crossing.columns != self.crossing.columns).any() or (crossing.known[1:] <= crossing.known[:-1]).any():
            raise ValueError("combinations of other numbers, or not in order")
        rows = np.ascontiguousarray(games).reshape(-1).view(self.rows.dtype)
        demand_possible(program(self.game), rows, self.rows["config"])
        self.fits = int(state["fits"])
        if self.fits < 0 or self.steps != steps:
            raise ValueError(f"{self.fits} gradient steps for {steps} steps")
        self.crossing, self.rows = crossing, rows.copy()
        set_parameters(self.newest, part("newest", arrays))
        set_parameters(self.mean, part("mean", arrays))
        self.descent.set_state(part("optimiser", arrays))
        self.random.bit_generator.state = state["random"]
