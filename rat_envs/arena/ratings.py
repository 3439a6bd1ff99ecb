"""Ratings that take every game as a ranking of those who played: openskill's Plackett-Luce model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rat_envs.arena.pairwise import by_agent
from rat_envs.arena.playing import Played

__all__ = ["Rating", "rate"]


@dataclass(frozen=True)
class Rating:
    """A skill and how uncertain it is, on openskill's scale: an agent of which nothing is known has 25 ± 25/3."""

    mu: float
    sigma: float


def rate(agents: int, matches: Sequence[Played]) -> tuple[Rating, ...] | None:
    """The rating of every agent by number; None if openskill is not installed.

    Games are taken deal by deal, of each deal match by match, so that no match comes last as a whole. Equal returns are
    ties, and an agent that has several seats in a game enters with their mean. The model of Weng and Lin (2011) takes
    all games for independent, though those of one deal are not: sigma is too sure of itself.

    Args:
        matches: all on the same deals.
    """
    try:
        from openskill.models import PlackettLuce
    except ImportError:
        return None
    model = PlackettLuce(tau=0.0)  # agents do not change from game to game
    ratings = [model.rating() for _ in range(agents)]
    games = []
    for played in matches:
        returns = by_agent(played, played.returns)
        games.append((list(returns), np.stack(list(returns.values()), axis=2).tolist()))
    for deal in range(len(matches[0].who)):
        for numbers, returns_of in games:
            for scores in returns_of[deal]:
                teams = [[ratings[number]] for number in numbers]
                for number, (rating,) in zip(numbers, model.rate(teams, scores=scores), strict=True):
                    ratings[number] = rating
    return tuple(Rating(float(rating.mu), float(rating.sigma)) for rating in ratings)
