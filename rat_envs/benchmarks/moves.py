"""The time of a move: the ladder's searches with a policy, beside the search by the heuristic that they meet there."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from rat_envs.api.agent import Agent
from rat_envs.api.named_agents import make_agent
from rat_envs.api.seats import SeatViews
from rat_envs.arena import gather
from rat_envs.arena.estimates import mean_estimate
from rat_envs.benchmarks.measuring import Row
from rat_envs.engine.batch import Batch
from rat_envs.engine.game import Game
from rat_envs.ladder.rungs import GUIDED_MEET, guided, settings

__all__ = ["measure_moves"]

#: The number of positions that count, and of those before them, in which everything is compiled.
POSITIONS, WARMING = 400, 2
SEED = 1


def measure_moves(games: Iterable[Game], effort: float) -> list[Row]:
    """Moves per second of processor time in games that the policy plays, every search in turn in each position.

    Args:
        games: each with its default options and for two; those whose policy cannot guide a search are left out.
        effort: 1 for figures worth quoting, less for a smoke test.
    """
    return [row for game in games for config in settings(game) for row in measure(game, config, effort)]


def measure(game: Game, config: dict[str, Any], effort: float) -> list[Row]:
    """One game in one setting."""
    players = game.configuration.make(config).players
    searches = guided(game, players)
    if not searches:
        return []
    number = max(2, round(POSITIONS * effort))
    names = [*searches, GUIDED_MEET]
    *times, beside = seconds_of_moves(game, config, [make_agent(name, game, SEED) for name in names], number).T
    return [
        Row(f"{game.name}, {players} players: {name}", 1 / own.mean(), "moves/s", GUIDED_MEET, *ratio(beside, own))
        for name, own in zip(searches, times, strict=True)
    ]


def ratio(above: np.ndarray, below: np.ndarray) -> tuple[float, float]:
    """The ratio of two means over the same positions, and half the width of its 95 % interval (by linearisation)."""
    found = above.mean() / below.mean()
    left = mean_estimate(above - found * below)
    return float(found), left.reach / below.mean()


def seconds_of_moves(game: Game, config: dict[str, Any], agents: list[Agent], number: int) -> np.ndarray:
    """(number, agents) seconds that each agent takes for a move, all in the same positions, each from another game."""
    rows = gather(game, "learnt", lambda batch: batch.actors >= 0, config, number + WARMING, SEED)
    batch = Batch(game, len(rows), config, SEED, auto_reset=False)
    batch.states[:] = rows
    batch.refresh()
    seconds = np.zeros((len(rows), len(agents)))
    for position, place in np.ndindex(seconds.shape):
        views, started = SeatViews(batch, np.array([position])), time.process_time()
        agents[place].act_batch(views)
        seconds[position, place] = time.process_time() - started
    return seconds[WARMING:]
