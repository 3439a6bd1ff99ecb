"""External-sampling Monte Carlo CFR: regrets from games in which only the updated seat tries all actions."""

from __future__ import annotations

import numpy as np

from rat_envs.engine.compile import of_no_game
from rat_envs.engine.game import CHANCE, TERMINAL
from rat_envs.engine.random import SOLVER_STREAM, STREAM, next_bits, seed_stream
from rat_envs.solving.cfr import match_regrets
from rat_envs.solving.game_tree import GameTree, checked_tree
from rat_envs.solving.histories import DEEPEST

__all__ = ["ExternalSampling"]

#: They turn 64 random bits into a number from 0 to below 1.
SHIFT, SCALE = np.uint64(11), 2.0**-53


def draw(stream, probabilities, first, number):
    """Draw one of ``number`` places from ``first`` on, with the probabilities in these places."""
    left = np.float64(next_bits(stream) >> SHIFT) * SCALE
    last = first + number - 1
    for place in range(first, last):
        left -= probabilities[place]
        if left < 0.0:
            return place
    return last


def to_decision(number, seat, players, nodes, edges, chances, sets, policy, regrets, sums, stream):
    """Go on from a node, by chance and drawn actions of other seats, to a decision of ``seat`` or to an end.

    Another seat's policy is added to its averages when ``seat`` is the one after it, so once in each iteration.
    """
    while True:
        node = nodes[number]
        if node.actor == TERMINAL or node.actor == seat:
            return number
        if node.actor == CHANCE:
            number = edges[draw(stream, chances, node.first_edge, node.edges)].child
            continue
        one = sets[node.place]
        match_regrets(one, regrets, policy)
        if (node.actor + 1) % players == seat:
            for sequence in range(one.first_sequence, one.first_sequence + one.actions):
                sums[sequence] += policy[sequence]
        drawn = draw(stream, policy, one.first_sequence, one.actions) - one.first_sequence
        number = edges[node.first_edge + drawn].child


def update(one, values, policy, regrets):
    """Update the regrets of an information set all of whose actions have been tried; return the mean of their
    values."""
    mean = 0.0
    for sequence in range(one.first_sequence, one.first_sequence + one.actions):
        mean += policy[sequence] * values[sequence]
    for sequence in range(one.first_sequence, one.first_sequence + one.actions):
        regrets[sequence] += values[sequence] - mean
    return mean


def traverse(seat, nodes, edges, chances, sets, returns, policy, regrets, sums, stream, path, tried, values):
    """Play one game, or as many as needed to try every action in all decisions of ``seat`` on the way.

    Args:
        path, tried: room for the decisions whose actions are being tried, and for the number of actions tried.
        values: (S) float64, room for the returns of these actions.
    """
    players = returns.shape[1]
    number = 0
    depth = -1
    while True:
        number = to_decision(number, seat, players, nodes, edges, chances, sets, policy, regrets, sums, stream)
        node = nodes[number]
        if node.actor == seat:
            depth += 1
            path[depth] = number
            tried[depth] = 0
            match_regrets(sets[node.place], regrets, policy)
            number = edges[node.first_edge].child
            continue
        value = returns[node.place, seat]
        while depth >= 0:
            node = nodes[path[depth]]
            one = sets[node.place]
            values[one.first_sequence + tried[depth]] = value
            tried[depth] += 1
            if tried[depth] < one.actions:
                number = edges[node.first_edge + tried[depth]].child
                break
            value = update(one, values, policy, regrets)
            depth -= 1
        if depth < 0:
            return


def sample(iterations, nodes, edges, chances, sets, returns, policy, regrets, sums, stream, path, tried, values):
    """Run iterations, each of which updates every seat once."""
    for _ in range(iterations):
        for seat in range(returns.shape[1]):
            traverse(seat, nodes, edges, chances, sets, returns, policy, regrets, sums, stream[0], path, tried, values)


class ExternalSampling:
    """External-sampling MCCFR (Lanctot, Waugh, Zinkevich and Bowling 2009), with plain averages.

    With two players and zero sum the average policy converges to a Nash equilibrium as 1/√t; with more players it runs
    too, but need not converge.

    Args:
        tree: the game.
        seed: equal seeds give equal results, however the iterations are split into calls.

    Attributes:
        iterations: the number of iterations so far; each updates every seat once.
    """

    def __init__(self, tree: GameTree, seed: int = 0) -> None:
        self.tree = checked_tree(tree)
        self.iterations = 0
        self._policy, self._regrets, self._sums, self._values = np.zeros((4, tree.sequences))
        self._stream = np.zeros(1, STREAM)
        of_no_game(seed_stream)(self._stream[0], np.uint64(seed), SOLVER_STREAM)
        self._path, self._tried = np.zeros((2, DEEPEST), np.int64)
        self._chances = np.ascontiguousarray(tree.edges["probability"])

    def run(self, iterations: int) -> None:
        """Run this many more iterations."""
        tree = self.tree
        of_no_game(sample)(
            iterations, tree.nodes, tree.edges, self._chances, tree.sets, tree.returns, self._policy, self._regrets,
            self._sums, self._stream, self._path, self._tried, self._values,
        )  # fmt: skip
        self.iterations += iterations

    def average(self) -> np.ndarray:
        """(S) float64: the average policy, which is the answer."""
        return self.tree.normalised(self._sums)
