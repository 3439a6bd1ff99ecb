"""The steps of finished games, chance included, reconstructed from seeds and actions: a record, as numbers."""

from __future__ import annotations

import numpy as np

from rat_envs.engine.configuration import Configuration
from rat_envs.engine.contract import actor, apply, chance, setup
from rat_envs.engine.counts import fill
from rat_envs.engine.game import CHANCE, TERMINAL, Game
from rat_envs.engine.program import program
from rat_envs.engine.random import CHANCE_STREAM, STREAM, draw_weighted, seed_stream

__all__ = ["played_steps"]

#: The number of steps per game for which there is room at first.
USUAL_STEPS = 128
#: A game's actions ended before the game did.
CUT_OFF = -1


def write_steps(rows, streams, seeds, actions, weights, steps):
    """Play every game again and write its steps; returns how many there are, written or not, or ``CUT_OFF``."""
    written = 0
    for i in range(len(rows)):
        row, stream = rows[i], streams[0]
        seed_stream(stream, seeds[i], CHANCE_STREAM)
        setup(row)
        taken = 0
        seat = actor(row)
        while seat != TERMINAL:
            if seat == CHANCE:
                fill(weights, 0)
                chance(row, weights)
                action = draw_weighted(stream, weights)
            elif taken == actions.shape[1] or actions[i, taken] < 0:
                return CUT_OFF
            else:
                action = actions[i, taken]
                taken += 1
            if written < len(steps):
                steps[written, 0] = seat
                steps[written, 1] = action
            written += 1
            apply(row, action)
            seat = actor(row)
        if written < len(steps):
            steps[written, 0] = TERMINAL
            steps[written, 1] = 0
        written += 1
    return written


def played_steps(game: Game, configuration: Configuration, seeds: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """(S, 2) int16: actor and action, or ``CHANCE`` and outcome, of every step of every game in order.

    After each game comes a step of ``TERMINAL`` and 0.

    Args:
        seeds: (n) uint64, of chance in each game of the :class:`~rat_envs.engine.batch.Batch` that played them.
        actions: (n, T) integers: the actions of each game in order, then negative numbers.

    Raises:
        ValueError: the actions of a game end before the game.
    """
    bound = program(game).bind(write_steps)
    actions = np.ascontiguousarray(actions, np.int32)
    steps = np.zeros((USUAL_STEPS * len(seeds), 2), np.int16)
    while True:
        rows = np.repeat(game.new_row(configuration), len(seeds))
        weights = np.zeros(len(game.outcomes), np.int32)
        number = int(bound(rows, np.zeros(1, STREAM), np.asarray(seeds, np.uint64), actions, weights, steps))
        if number == CUT_OFF:
            raise ValueError("The actions of a game end before the game does.")
        if number <= len(steps):
            return steps[:number]
        steps = np.zeros((number, 2), np.int16)
