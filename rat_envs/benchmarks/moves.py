"""The time of a move: the ladder's searches with a policy, beside the search by the heuristic that they meet there."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from rat_envs.api.agent import Agent
from rat_envs.api.named_agents import make_agent
from rat_envs.api.seats import SeatViews
from rat_envs.benchmarks.measuring import Row
from rat_envs.engine.batch import Batch
from rat_envs.engine.game import Game
from rat_envs.ladder.rungs import GUIDED_MEET, guided, settings

__all__ = ["measure_moves"]

#: Decisions of games that are searched, of which one in four is; the first ones are left out, in which all is compiled.
POSITIONS, SHARE, WARMING = 100, 0.25, 2
SEED = 1


def measure_moves(games: Iterable[Game], effort: float) -> list[Row]:
    """Moves per second of processor time in games that the policy plays, every search in turn in each position.

    Args:
        games: each by its default and for two; those whose policy guides no search are left out.
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
    *times, beside = seconds_of_moves(game, config, [make_agent(name, game, SEED) for name in names], number) / number
    return [
        Row(f"{game.name}, {players} players: {name}", 1 / seconds, "moves/s", GUIDED_MEET, beside / seconds)
        for name, seconds in zip(searches, times, strict=True)
    ]


def seconds_of_moves(game: Game, config: dict[str, Any], agents: list[Agent], number: int) -> np.ndarray:
    """(agents) seconds that each takes for so many moves, all in the same positions."""
    total = np.zeros(len(agents))
    for position, views in zip(range(-WARMING, number), positions(game, config), strict=False):
        for place, agent in enumerate(agents):
            started = time.process_time()
            agent.act_batch(views)
            if position >= 0:
                total[place] += time.process_time() - started
    return total


def positions(game: Game, config: dict[str, Any]) -> Iterator[SeatViews]:
    """Decisions of one game after another, in which the policy of the package plays all seats."""
    batch, learnt, random = Batch(game, 1, config, SEED), make_agent("learnt", game, SEED), np.random.default_rng(SEED)
    while True:
        views = SeatViews(batch)
        action = learnt.act_batch(views)
        if random.random() < SHARE:
            yield views
        batch.step(action)
        batch.reset_done()
