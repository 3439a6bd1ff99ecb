"""Networks of random numbers, and games after some random moves to ask them about."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np

from rat_envs.agents.crossing import Crossed, Crossing, keys_of
from rat_envs.agents.policy import Networks, PolicyAgent
from rat_envs.engine.batch import Batch
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game

__all__ = ["after_moves", "some_networks", "some_policy"]


def some_networks(
    game: Game, hidden: tuple[int, ...] = (20,), activation: str = "relu", scale: float = 0.1, crossed: int = 0
) -> Networks:
    """Of random numbers; with so many of an observation's combined, if any are."""
    random = np.random.default_rng(3)
    sizes = [game.observation.itemsize, *hidden, len(game.actions) + game.seats]
    weights = [scale * random.normal(size=(1, *shape)).astype(np.float32) for shape in itertools.pairwise(sizes)]
    biases = [scale * random.normal(size=(1, size)).astype(np.float32) for size in sizes[1:]]
    networks = Networks(tuple(weights), tuple(biases), activation, game.seats)
    return replace(networks, crossed=combined(game, sizes[1], crossed)) if crossed else networks


def combined(game: Game, width: int, numbers: int) -> Crossed:
    """Combinations of the first numbers of an observation, of which half are known."""
    batch, columns = after_moves(game.name, {}, 9, 400), np.arange(numbers)
    keys = np.unique(np.concatenate([keys_of(batch.observations, columns), np.array([7], np.uint64)]))
    tables = np.random.default_rng(4).normal(size=(1, len(keys[::2]) + 1, width)).astype(np.float32)
    return Crossed(Crossing(columns, keys[::2]), tables)


def some_policy(game: str | Game, **shape: Any) -> PolicyAgent:
    return PolicyAgent(some_networks(get_game(game), **shape), game, seed=1)


def after_moves(game: str, config: dict[str, Any], moves: int, games: int = 8) -> Batch:
    batch = Batch(game, games, config, 5)
    for _ in range(moves):
        batch.step_random()
    return batch
