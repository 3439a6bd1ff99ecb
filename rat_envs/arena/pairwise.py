"""What agents got in the games that they played against each other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from rat_envs.arena.estimates import Estimate, mean_estimate
from rat_envs.arena.playing import Played
from rat_envs.engine.seats import least_return

__all__ = ["by_agent", "least_of", "mean_differences", "pairwise"]

#: Returns are numbers of 32 bits.
FLOAT32_ROUNDING = 1e-6


def by_agent(played: Played, values: np.ndarray) -> dict[int, np.ndarray]:
    """(deals, seatings) for each agent of a match, by number: what it has in ``values``, or the mean of its seats.

    Args:
        values: (deals, seatings, seats).
    """
    found = {}
    for number in np.unique(played.who).tolist():
        own = played.who == number
        found[number] = (values * own).sum(axis=2) / own.sum(axis=2)
    return found


def pairwise(agents: int, matches: Sequence[Played]) -> list[list[Estimate | None]]:
    """For every two agents, by number: how much more the first got in games of both; None for those that never met.

    Args:
        matches: all on the same deals.
    """
    table: list[list[Estimate | None]] = [[None] * agents for _ in range(agents)]
    by_deal: dict[tuple[int, int], list[np.ndarray]] = {}
    most: dict[tuple[int, int], list[float]] = {}
    for played in matches:
        returns, leads = by_agent(played, played.mean_returns), largest_leads(played)
        for one, other in itertools.permutations(returns, 2):
            by_deal.setdefault((one, other), []).append((returns[one] - returns[other]).mean(axis=1))
            most.setdefault((one, other), []).append(leads[one])
    for (one, other), parts in by_deal.items():
        bounds = -float(np.mean(most[other, one])), float(np.mean(most[one, other]))
        table[one][other] = mean_estimate(np.mean(parts, axis=0), *bounds)
    return table


def largest_leads(played: Played) -> dict[int, float]:
    """How much more than any other each agent of a match could get at most, by number.

    Returns add up to 0: an agent with several seats gets no more there than all other seats can lose.
    """
    seats, least = played.who.shape[2], least_of(played)
    return {
        number: float(np.minimum(1.0, (seats - own) * -least / own).mean()) - least
        for number, own in ((each, (played.who == each).sum(axis=2)) for each in np.unique(played.who).tolist())
    }


def least_of(played: Played) -> float:
    """The least that a seat can get: what a lost game returns, or -1 where a game has returns of its own."""
    least = least_return(played.who.shape[2])
    return least if played.mean_returns.min() > least - FLOAT32_ROUNDING else -1.0


def mean_differences(table: Sequence[Sequence[Estimate | None]]) -> np.ndarray:
    """(K, K) the means of :func:`pairwise`; NaN for agents that never met, 0 for an agent and itself."""
    means = [[np.nan if cell is None else cell.mean for cell in row] for row in table]
    matrix = np.array(means, float)
    np.fill_diagonal(matrix, 0.0)
    return matrix
