"""The inputs that networks take from an observation: the numbers that vary, brought to one scale."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import torch
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from rat_envs.agents.crossing import Crossing, keys_of
from rat_envs.engine.batch import Batch
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game

__all__ = ["Scaled", "check_crossed", "combinations", "scale_of"]

#: Games and moves of random play from which the spread of observations is measured.
GAMES, MOVES = 256, 512
#: Moves of random play from which combinations of numbers are collected.
MOVES_FOR_COMBINATIONS = 8192
#: The most combinations of numbers that are distinguished: those that random play shows most often.
MOST_COMBINATIONS = 16384
#: The least spread that is assumed, so that numbers that random play hardly ever shows are not scaled up too much.
LEAST_SPREAD = 0.25


class Scaled(BaseFeaturesExtractor):
    """The numbers of an observation that vary, less ``mean``, divided by ``spread``.

    Args:
        observation_space: the learner's.
        mean: (O) float32.
        spread: (O) float32; 0 for numbers that are left out.
    """

    def __init__(self, observation_space: gymnasium.Space, mean: np.ndarray, spread: np.ndarray) -> None:
        columns = np.flatnonzero(spread)
        super().__init__(observation_space, len(columns))
        self.columns: torch.Tensor
        self.mean: torch.Tensor
        self.spread: torch.Tensor
        self.register_buffer("columns", torch.from_numpy(columns))
        self.register_buffer("mean", torch.from_numpy(mean[columns]))
        self.register_buffer("spread", torch.from_numpy(spread[columns]))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """(n, features) float32."""
        return (observations.index_select(1, self.columns) - self.mean) / self.spread


def scale_of(game: str, config: Mapping[str, Any], seed: int) -> dict[str, np.ndarray]:
    """``mean`` and ``spread`` of each number of an observation in random play.

    If no number varies, as in a game of one choice each, the first one is given a spread, so that networks have an
    input.
    """
    batch = Batch(game, GAMES, config, seed)
    total = np.zeros(batch.observations.shape[1])
    squares = np.zeros_like(total)
    for _ in range(MOVES):
        batch.step_random()
        values = batch.observations.astype(np.float32)
        total += values.sum(axis=0)
        squares += (values * values).sum(axis=0)
    mean = total / (GAMES * MOVES)
    variance = np.maximum(squares / (GAMES * MOVES) - mean * mean, 0)
    spread = np.where(variance > 1e-9, np.maximum(np.sqrt(variance), LEAST_SPREAD), 0)
    if not spread.any():
        spread[0] = LEAST_SPREAD
    return {"mean": mean.astype(np.float32), "spread": spread.astype(np.float32)}


def check_crossed(game: str, fields: Sequence[str]) -> None:
    """Refuse to combine fields that an observation does not have.

    Raises:
        ConfigurationError: there is no such field.
    """
    known = get_game(game).observation.names or ()
    if not set(fields) <= set(known):
        raise ConfigurationError(f"crossed={shown(tuple(fields))}: must be some of {', '.join(known)}.")


def combinations(game: str, config: Mapping[str, Any], fields: Sequence[str], seed: int = 0) -> Crossing:
    """The combinations of some fields of an observation that random play shows, all numbers of the fields together."""
    known = get_game(game)
    return _combinations(known, known.configuration.make(config), tuple(fields), seed)


@functools.lru_cache(maxsize=4)
def _combinations(game: Game, configuration: Configuration, fields: tuple[str, ...], seed: int) -> Crossing:
    """The same, cached: a resumed run, and the next of several runs, begin with the same combinations."""
    batch = Batch(game, GAMES, configuration, seed)
    places = [batch.game.observation.fields[name] for name in fields]  # type: ignore[index]
    columns = np.array([number for kind, start, *_ in places for number in range(start, start + kind.itemsize)], int)
    seen = []
    for _ in range(MOVES_FOR_COMBINATIONS):
        batch.step_random()
        seen.append(keys_of(batch.observations, columns))
    keys, times = np.unique(np.concatenate(seen), return_counts=True)
    often = np.argsort(-times, kind="stable")[:MOST_COMBINATIONS]
    return Crossing(columns, np.sort(keys[often]))
