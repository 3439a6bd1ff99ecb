"""CFR+: regrets of every information set, floored at 0, and averages with more weight on later iterations."""

from __future__ import annotations

import numpy as np

from rat_envs.engine.compile import of_no_game
from rat_envs.solving.best_response import weigh_ends, write_reach
from rat_envs.solving.game_tree import GameTree, checked_tree

__all__ = ["CfrPlus", "match_regrets"]


def match_regrets(one, regrets, policy):
    """Take the actions of an information set in proportion to their positive regrets, or uniformly if there are
    none."""
    positive = 0.0
    for sequence in range(one.first_sequence, one.first_sequence + one.actions):
        positive += max(regrets[sequence], 0.0)
    for sequence in range(one.first_sequence, one.first_sequence + one.actions):
        policy[sequence] = max(regrets[sequence], 0.0) / positive if positive > 0.0 else 1.0 / one.actions


def regret(seat, sets, gains, policy, regrets):
    """Update the regrets of ``seat``, the last information sets first, and its policy by them."""
    for number in range(len(sets) - 1, -1, -1):
        one = sets[number]
        if one.seat != seat:
            continue
        mean = 0.0
        for sequence in range(one.first_sequence, one.first_sequence + one.actions):
            mean += policy[sequence] * gains[sequence]
        gains[one.parent] += mean
        for sequence in range(one.first_sequence, one.first_sequence + one.actions):
            regrets[sequence] = max(regrets[sequence] + gains[sequence] - mean, 0.0)
        match_regrets(one, regrets, policy)


def iterate(first, last, sets, sequences, values, policy, regrets, sums, reach, gains):
    """Run iterations ``first`` to ``last``: seats are updated one after another, each with the new policies of those
    before."""
    players = sequences.shape[1]
    for iteration in range(first, last + 1):
        for seat in range(players):
            write_reach(policy, sets, players, reach)
            for number in range(len(sets)):
                one = sets[number]
                if one.seat == seat:
                    for sequence in range(one.first_sequence, one.first_sequence + one.actions):
                        sums[sequence] += iteration * reach[sequence]
            weigh_ends(seat, sequences, values, reach, gains)
            regret(seat, sets, gains, policy, regrets)


class CfrPlus:
    """CFR+ (Tammelin 2014): alternating updates, regret matching+, averages in which iteration t has the weight t.

    It uses no random numbers. With two players and zero sum the average policy converges to a Nash equilibrium; with
    more players it runs too, but need not converge.

    Args:
        tree: the game.

    Attributes:
        iterations: the number of iterations so far; each updates every seat once.
    """

    def __init__(self, tree: GameTree) -> None:
        self.tree = checked_tree(tree)
        self.iterations = 0
        self._policy = tree.uniform()
        self._regrets, self._sums, self._reach, self._gains = np.zeros((4, tree.sequences))

    def run(self, iterations: int) -> None:
        """Run this many more iterations."""
        tree, first = self.tree, self.iterations + 1
        self.iterations += iterations
        arrays = (self._policy, self._regrets, self._sums, self._reach, self._gains)
        of_no_game(iterate)(first, self.iterations, tree.sets, tree.payoffs.sequences, tree.payoffs.values, *arrays)

    def average(self) -> np.ndarray:
        """(S) float64: the average policy, which is the answer."""
        return self.tree.normalised(self._sums)
