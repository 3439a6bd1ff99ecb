"""Alpha-rank: the share of time that an evolving population plays each agent; it also ranks agents that beat each other
in a circle."""

from __future__ import annotations

import numpy as np

__all__ = ["alpha_rank"]

#: Of the population, and how strongly a difference in returns is selected for: the defaults of OpenSpiel.
POPULATION, ALPHA = 50, 100.0


def alpha_rank(differences: np.ndarray, alpha: float = ALPHA, population: int = POPULATION) -> np.ndarray:
    """(K,) the share of time in which a population of one kind consists of each agent (Omidshafiei et al. 2019).

    In a population that plays one agent, single mutants of another turn up; they are selected by the difference of the
    two agents' returns in games of both, and take over or die out before the next. This is the model of one population
    for symmetric games of two, with local selection; games of more players enter by their pairwise differences.

    Args:
        differences: (K, K) how much more the row's agent gets than the column's in games of both; antisymmetric.
    """
    agents = len(differences)
    chain = np.where(np.eye(agents) > 0, 0.0, fixation(alpha * differences.T, population)) / max(agents - 1, 1)
    chain[np.diag_indices(agents)] = 1 - chain.sum(axis=1)
    equations = np.vstack([chain.T - np.eye(agents), np.ones(agents)])
    stationary = np.linalg.lstsq(equations, np.eye(agents + 1)[agents], rcond=None)[0].clip(0)
    return stationary / stationary.sum()


def fixation(advantage: np.ndarray, population: int) -> np.ndarray:
    """The chance that one mutant takes over a population: (1 − e^−u) / (1 − e^−mu), which is 1/m where u is 0.

    It is written with e^−|u|, which does not overflow: for u below 0 the fraction is extended by e^(mu).
    """
    size = np.abs(advantage)
    fraction = np.ones_like(size) / population
    np.divide(np.expm1(-size), np.expm1(-population * size), out=fraction, where=size > 0)
    return np.where(advantage < 0, np.exp(-(population - 1) * size) * fraction, fraction)
