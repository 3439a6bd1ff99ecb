"""What agents got in the games that they played against each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rat_envs.arena.estimates import Estimate, mean_estimate
from rat_envs.arena.playing import Played
from rat_envs.engine.seats import least_return

__all__ = ["by_agent", "mean_differences", "pairwise"]


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
    for played in matches:
        returns = by_agent(played, played.mean_returns)
        for one, its in returns.items():
            for other, others in returns.items():
                if one != other:
                    by_deal.setdefault((one, other), []).append((its - others).mean(axis=1))
    for (one, other), parts in by_deal.items():
        differences = np.mean(parts, axis=0)
        most = 1 - least_return(matches[0].who.shape[2])
        bounds = (-most, most) if differences.any() else ()  # who did the same in all deals is at par with oneself
        table[one][other] = mean_estimate(differences, *bounds)
    return table


def mean_differences(table: Sequence[Sequence[Estimate | None]]) -> np.ndarray:
    """(K, K) the means of :func:`pairwise`; NaN for agents that never met, 0 for an agent and itself."""
    means = [[np.nan if cell is None else cell.mean for cell in row] for row in table]
    matrix = np.array(means, float)
    np.fill_diagonal(matrix, 0.0)
    return matrix
