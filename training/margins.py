"""A finer result to learn from than won or lost: the lead in points."""

from __future__ import annotations

from typing import Any

import numpy as np

from rat_envs.api.learner import LearnerGames
from rat_envs.api.sb3 import RatVecEnv
from rat_envs.engine.compile import of_no_game
from rat_envs.engine.contract import eliminated
from rat_envs.engine.program import Program
from rat_envs.engine.results import results_of

__all__ = ["FULL_LEAD", "MarginVecEnv", "leads", "write_leads"]

#: A lead of this many points counts in full; a larger one counts no more.
FULL_LEAD = 10


class MarginVecEnv(RatVecEnv):
    """Games that also reward the learner for its lead in points over the best of the others at the end.

    Args:
        games: the learner's view of the games; its own rewards stay those of the game.
        weight: reward for a full lead, less in proportion for a smaller one; 0 for the game's rewards alone.
    """

    def __init__(self, games: LearnerGames, weight: float) -> None:
        super().__init__(games)
        self.weight = weight

    def seed_opponents(self, seed: int) -> None:
        """Do nothing: the pool from which they are drawn seeds and saves their random numbers."""

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """The same as without the margin, but for the rewards."""
        observations, rewards, dones, infos = super().step_wait()
        ended = np.flatnonzero(dones)
        if self.weight and len(ended):
            games = self.games
            found = leads(games.batch.program, games.final_states[ended], games.players)
            own = np.take_along_axis(found, games.finished_seats[ended, None], 1)[:, 0]
            rewards[ended] += self.weight * (own / FULL_LEAD).clip(-1, 1).astype(np.float32)
        return observations, rewards, dones, infos


def leads(program: Program, rows: np.ndarray, players: int) -> np.ndarray:
    """(k, players) int: in games that are over, each seat's points less those of the best other seat.

    An eliminated seat (a dead player in Rattus Cartus) is behind by the full amount, whatever its points, and nobody is
    compared with it: the only seat left has a full lead. A seat that leads without winning is behind by the full
    amount, too.
    """
    points, won = results_of(program, rows)
    out = np.zeros(points.shape, np.int8)
    program.bind(write_eliminated)(rows, out)
    found = np.zeros((len(rows), players), np.int64)
    of_no_game(write_leads)(points, won, out, found)
    return found


def write_eliminated(rows, out):
    """Write 1 for every seat that could not have won with any number of points."""
    for i in range(len(rows)):
        eliminated(rows[i], out[i])


def write_leads(points, won, out, found):
    """Write the result of :func:`leads`, from the points of all seats, who has won, and who is eliminated."""
    players = found.shape[1]
    for i in range(len(found)):
        least = points[i, 0]
        for seat in range(1, players):
            least = min(least, points[i, seat])
        least -= FULL_LEAD
        largest = second = least
        for seat in range(players):
            counted = least if out[i, seat] else points[i, seat]
            largest, second = max(largest, counted), max(second, min(largest, counted))
        for seat in range(players):
            counted = least if out[i, seat] else points[i, seat]
            lead = counted - (second if counted == largest else largest)
            has_lost = out[i, seat] or (lead > 0 and not won[i, seat])
            found[i, seat] = -FULL_LEAD if has_lost else lead
