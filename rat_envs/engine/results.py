"""The results of games: the points and the winners of many at once."""

from __future__ import annotations

import numpy as np

from rat_envs.engine.contract import scores, winners
from rat_envs.engine.program import Program

__all__ = ["results_of"]


def write_results(rows, score_table, winner_table):
    """Write the points of every seat, and 1 for those that have won."""
    for i in range(len(rows)):
        scores(rows[i], score_table[i])
        winners(rows[i], winner_table[i])


def results_of(program: Program, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The game's own points, (n, P) int32, and 1 for every seat that has won, (n, P) int8.

    Args:
        rows: (n) records of ``STATE``; winners are valid for games that are over.
    """
    shape = len(rows), program.game.seats
    points, won = np.zeros(shape, np.int32), np.zeros(shape, np.int8)
    program.bind(write_results)(rows, points, won)
    return points, won
