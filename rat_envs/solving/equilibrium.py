"""Backward induction over all public states: a matrix game where two seats choose simultaneously, otherwise the best
choice."""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rat_envs.engine.configuration import Configuration
from rat_envs.engine.contract import NUMBER_OF_ACTIONS
from rat_envs.engine.game import Game
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.registry import get_game
from rat_envs.solving.matrix_game import solve_matrix_game
from rat_envs.solving.public_states import CHANCE_NODE, END, TWO_SEATS
from rat_envs.solving.public_tree import PublicTree, bind, build_tree, demand_public, tree_below

__all__ = ["Deal", "Equilibrium", "find_equilibrium", "mean_of_children"]


def mean_of_children(node, values, children, weights):
    """The value of a chance node."""
    total = 0
    mean = 0.0
    for place in range(node.firsts):
        weight = weights[node.first_choice + place]
        total += weight
        mean += weight * values[children[node.first_child + place]]
    return mean / total


def fill_payoffs(node, values, children, payoffs):
    """The matrix game of a state in which both seats choose."""
    for i in range(node.firsts):
        for j in range(node.seconds):
            payoffs[i, j] = values[children[node.first_child + i * node.seconds + j]]


def best_of_children(node, values, children):
    """The place of the best choice of the one seat that acts, and its value to player_0."""
    best = 0
    sign = 1.0 if node.seat == 0 else -1.0
    for place in range(1, node.firsts):
        better = values[children[node.first_child + place]] - values[children[node.first_child + best]]
        if sign * better > 0.0:
            best = place
    return best


def solve_states(nodes, children, weights, values):
    """Write the value of every state to player_0."""
    size = NUMBER_OF_ACTIONS
    payoffs = np.zeros((size, size))
    tableau = np.zeros((size + 1, 2 * size + 1))
    first = np.zeros(size)
    second = np.zeros(size)
    for number in range(len(nodes)):
        node = nodes[number]
        if node.kind == END:
            values[number] = node.end_value
        elif node.kind == CHANCE_NODE:
            values[number] = mean_of_children(node, values, children, weights)
        elif node.kind == TWO_SEATS:
            fill_payoffs(node, values, children, payoffs)
            values[number] = solve_matrix_game(payoffs, node.firsts, node.seconds, first, second, tableau)
        else:
            values[number] = values[children[node.first_child + best_of_children(node, values, children)]]


def write_strategies(numbers, seats, nodes, children, choices, values, strategies):
    """Write the probability of every action of seat ``seats[k]`` in state ``numbers[k]``."""
    size = NUMBER_OF_ACTIONS
    payoffs = np.zeros((size, size))
    tableau = np.zeros((size + 1, 2 * size + 1))
    first = np.zeros(size)
    second = np.zeros(size)
    for k in range(len(numbers)):
        node = nodes[numbers[k]]
        if node.kind != TWO_SEATS:
            place = best_of_children(node, values, children)
            strategies[k, choices[node.first_choice + place]] = 1.0
            continue
        fill_payoffs(node, values, children, payoffs)
        solve_matrix_game(payoffs, node.firsts, node.seconds, first, second, tableau)
        if seats[k] == node.seat:
            for place in range(node.firsts):
                strategies[k, choices[node.first_choice + place]] = first[place]
        else:
            for place in range(node.seconds):
                strategies[k, choices[node.first_choice + node.firsts + place]] = second[place]


@dataclass(frozen=True)
class Deal:
    """What chance does before anybody decides.

    Attributes:
        state: the number of the public state with the first decision.
        probability: how often it is that one.
        outcomes: what has led there, in words; None where several orders do. There are none where a decision comes
            first.
    """

    state: int
    probability: float
    outcomes: tuple[str, ...] | None


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A Nash equilibrium of a game in one configuration.

    Attributes:
        game: the game.
        tree: its public states.
        values: (n) float64, of each public state to player_0, in returns.
        seconds: time for the tree, if it was not built yet, and for the induction, without compilation.
    """

    game: Game
    tree: PublicTree
    values: np.ndarray
    seconds: float

    @property
    def value(self) -> float:
        """The mean return that player_0 can guarantee itself, and to which player_1 can limit it."""
        return float(self.values[-1])

    @property
    def states(self) -> int:
        """The number of public states with a decision; a simultaneous choice of both seats counts as one."""
        return int(((self.tree.nodes["kind"] != END) & (self.tree.nodes["kind"] != CHANCE_NODE)).sum())

    def strategies(self, numbers: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """(k, A) float64: the probabilities of seat ``seats[k]`` in public state ``numbers[k]``."""
        strategies = np.zeros((len(numbers), len(self.game.actions)))
        tree = self.tree
        write = bind(self.game, write_strategies)
        numbers, seats = np.asarray(numbers), np.asarray(seats, np.int32)
        write(numbers, seats, tree.nodes, tree.children, tree.choices, self.values, strategies)
        return strategies

    def deals(self) -> list[Deal]:
        """Every public state with a decision to which chance can lead first; the root alone, if a decision is there."""
        reached = {len(self.values) - 1: Deal(len(self.values) - 1, 1.0, ())}
        deals = []
        while reached:
            deal = reached.pop(max(reached))  # children have lower numbers, so nothing else leads to this state
            node = self.tree.nodes[deal.state]
            if node["kind"] != CHANCE_NODE:
                deals.append(deal)
                continue
            start, end = node["first_choice"], node["first_choice"] + node["firsts"]
            shares = self.tree.weights[start:end] / self.tree.weights[start:end].sum()
            for place, share in enumerate(shares):
                child = int(self.tree.children[node["first_child"] + place])
                before = reached[child].probability if child in reached else 0.0
                outcomes = None
                if child not in reached and deal.outcomes is not None:
                    outcomes = (*deal.outcomes, self.game.outcomes[self.tree.choices[start + place]])
                reached[child] = Deal(child, before + deal.probability * share, outcomes)
        return deals

    def first_move(self, deal: Deal | None = None) -> dict[str, float]:
        """The probability of each first action: after one of :meth:`deals`, or as the mean over all of them."""
        shares = [(each.state, each.probability) for each in self.deals()] if deal is None else [(deal.state, 1.0)]
        policy = np.zeros(len(self.game.actions))
        for state, share in shares:
            policy += share * self.strategies(np.array([state]), np.array([self.tree.nodes[state]["seat"]]))[0]
        return {action: float(policy[k]) for k, action in enumerate(self.game.actions) if policy[k] > 0}


def find_equilibrium(game: str | Game, configuration: Mapping[str, Any] | Configuration | None = None) -> Equilibrium:
    """The equilibrium of a two-player zero-sum game in which only simultaneous choices are hidden.

    Args:
        game: a registered name or a :class:`~rat_envs.engine.game.Game`.
        configuration: its configuration, or its options by name.

    Raises:
        UnknownNameError: there is no such game.
        ConfigurationError: an option is wrong, or the configuration hides more than that.
    """
    game = get_game(game)
    return _equilibrium(game, game.configuration.make(configuration))


@functools.lru_cache(maxsize=2)
def _equilibrium(game: Game, configuration: Configuration) -> Equilibrium:
    demand_public(game, configuration)
    _values(game, tree_below(_finished(game, configuration)))  # this compiles everything
    start = time.perf_counter()
    tree = build_tree(game, configuration)
    values = _values(game, tree)
    return Equilibrium(game, tree, values, time.perf_counter() - start)


def _values(game: Game, tree: PublicTree) -> np.ndarray:
    values = np.zeros(len(tree.nodes))
    bind(game, solve_states)(tree.nodes, tree.children, tree.weights, values)
    return values


def _finished(game: Game, configuration: Configuration) -> Position:
    """A position at the end of some game."""
    position, stream = Position(game, configuration, compiled=False), new_stream(game, 0, compiled=False)
    while not position.is_over:
        position.apply(position.sample(stream))
    return position
