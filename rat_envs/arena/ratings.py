"""Ratings that take every game as a ranking of those who played: openskill's Plackett-Luce model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rat_envs.arena.pairwise import by_agent
from rat_envs.arena.playing import Played

__all__ = ["Rating", "rate"]


#: Few games are rated in so many orders at most, and as many games altogether as that takes no more than seconds.
MOST_ORDERS, MOST_RATED = 50, 40_000


@dataclass(frozen=True)
class Rating:
    """A skill and how uncertain it is, on openskill's scale: an agent of which nothing is known has 25 ± 25/3."""

    mu: float
    sigma: float


def rate(agents: int, matches: Sequence[Played]) -> tuple[Rating, ...] | None:
    """The rating of every agent by number; None if openskill is not installed.

    Games are taken deal by deal, of each deal match by match, so that no match comes last as a whole. Equal returns are
    ties, and an agent that has several seats in a game enters with their mean. The model of Weng and Lin (2011) takes
    all games for independent, though those of one deal are not: sigma is too sure of itself. It also goes from game to
    game, and another order gives other ratings: of few games each rating is the mean over several orders of the deals.

    Args:
        matches: all on the same deals.
    """
    try:
        from openskill.models import PlackettLuce
    except ImportError:
        return None
    model = PlackettLuce(tau=0.0)  # agents do not change from game to game
    games = []
    for played in matches:
        returns = by_agent(played, played.returns)
        games.append((list(returns), np.stack(list(returns.values()), axis=2).tolist()))
    deals = len(matches[0].who)
    rated = sum(played.who.shape[0] * played.who.shape[1] for played in matches)
    random = np.random.default_rng(0)
    others = (random.permutation(deals).tolist() for _ in range(min(MOST_ORDERS, MOST_RATED // rated) - 1))
    orders = [range(deals), *others]
    ratings = np.array([_rate_in_order(model, agents, games, order) for order in orders]).mean(axis=0)
    return tuple(Rating(mu, sigma) for mu, sigma in ratings.tolist())


def _rate_in_order(
    model: Any, agents: int, games: Sequence[tuple[list[int], list[Any]]], order: Iterable[int]
) -> list[tuple[float, float]]:
    """Mu and sigma of every agent.

    Args:
        games: of each match, the numbers of its agents, and by deal and seating what each has returned.
        order: of the deals.
    """
    ratings = [model.rating() for _ in range(agents)]
    for deal in order:
        for numbers, returns_of in games:
            for scores in returns_of[deal]:
                teams = [[ratings[number]] for number in numbers]
                for number, (rating,) in zip(numbers, model.rate(teams, scores=scores), strict=True):
                    ratings[number] = rating
    return [(float(rating.mu), float(rating.sigma)) for rating in ratings]
