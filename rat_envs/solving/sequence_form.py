"""The linear program over realisation plans, which is as large as the game tree, not as the number of strategies.

Koller, Megiddo and von Stengel (1996), "Efficient computation of equilibria for extensive two-person games"; von
Stengel (1996), "Efficient computation of behavior strategies".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rat_envs.engine.errors import ConfigurationError, RatEnvsError, needing
from rat_envs.solving.game_tree import GameTree, checked_tree

__all__ = ["solve_linear_program"]


def solve_linear_program(tree: GameTree) -> tuple[np.ndarray, float]:
    """A Nash equilibrium of a two-player zero-sum game, and its value.

    Returns:
        A policy, (S) float64, uniform in information sets that its own seat never reaches; and the mean return that
            player_0 can guarantee.

    Raises:
        ConfigurationError: the game has another number of players, or is not zero-sum.
        MissingExtraError: scipy is not installed.
    """
    if checked_tree(tree).players != 2:
        raise ConfigurationError(f"The linear program is for two players, not {tree.players}: take --method cfr.")
    if abs(tree.returns.sum(axis=1)).max() > 1e-9:
        raise ConfigurationError("The linear program is for zero-sum games: take --method cfr.")
    with needing("The linear program", "solve"):
        from scipy.optimize import linprog
        from scipy.sparse import coo_array, hstack

    plans = [_plan(tree, seat) for seat in range(2)]
    (first, constraints, first_of), (second, other_constraints, second_of) = plans
    places = (second_of[tree.payoffs.sequences[:, 1]], first_of[tree.payoffs.sequences[:, 0]])
    payoffs = coo_array((tree.payoffs.values[:, 0], places), shape=(len(second), len(first)))
    # The unknowns: player_0's plan, and for each of player_1's sets the return to which player_1 can limit player_0.
    unknown = other_constraints.shape[0]
    costs = np.concatenate([np.zeros(len(first)), [-1.0], np.zeros(unknown - 1)])
    result = linprog(
        costs,
        A_ub=hstack([-payoffs, other_constraints.T]).tocsr(),
        b_ub=np.zeros(len(second)),
        A_eq=hstack([constraints, coo_array((constraints.shape[0], unknown))]).tocsr(),
        b_eq=np.concatenate([[1.0], np.zeros(constraints.shape[0] - 1)]),
        bounds=np.concatenate([np.tile([0, np.inf], (len(first), 1)), np.tile([-np.inf, np.inf], (unknown, 1))]),
        method="highs",
    )
    if result.status != 0:
        raise RatEnvsError(f"The linear program was not solved: {result.message}")
    weights = np.zeros(tree.sequences)
    weights[first] = np.maximum(result.x[: len(first)], 0)
    weights[second] = np.maximum(-result.ineqlin.marginals, 0)
    return tree.normalised(weights), -float(result.fun)


def _plan(tree: GameTree, seat: int) -> tuple[np.ndarray, Any, np.ndarray]:
    """The sequences of a seat; the constraints that make their weights a plan; and the place of every sequence among
    them.

    The first constraint is that the empty sequence has the weight 1. The others, one for each information set, are that
    the weights of its sequences add up to that of the sequence that leads there.
    """
    from scipy.sparse import coo_array

    sets = np.flatnonzero(tree.sets["seat"] == seat)
    own = np.flatnonzero(tree.sets["seat"][tree.owners] == seat)
    sequences = np.concatenate([[seat], own + tree.players])
    place = np.full(tree.sequences, -1)
    place[sequences] = np.arange(len(sequences))
    row_of = np.full(len(tree.sets), -1)
    row_of[sets] = 1 + np.arange(len(sets))
    rows = np.concatenate([[0], row_of[tree.owners[own]], row_of[sets]])
    columns = np.concatenate([place[sequences], place[tree.sets["parent"][sets]]])
    entries = np.concatenate([np.ones(len(sequences)), -np.ones(len(sets))])
    return sequences, coo_array((entries, (rows, columns)), shape=(1 + len(sets), len(sequences))), place
