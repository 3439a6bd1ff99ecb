"""Exact best responses to a policy, and their returns, in all information sets of a game tree or all public states."""

from __future__ import annotations

import numpy as np

from rat_envs.engine.checks import checked_index
from rat_envs.engine.compile import of_no_game
from rat_envs.engine.counts import fill
from rat_envs.solving.equilibrium import mean_of_children
from rat_envs.solving.game_tree import GameTree, checked_tree
from rat_envs.solving.public_states import CHANCE_NODE, END, TWO_SEATS

__all__ = [
    "best_response",
    "best_response_values",
    "expected_returns",
    "nash_conv",
    "play_in_public_states",
    "respond_in_public_states",
    "weigh_ends",
    "write_reach",
]


def write_reach(policy, sets, players, reach):
    """Write the probability of each seat's own part of every sequence."""
    for seat in range(players):
        reach[seat] = 1.0
    for number in range(len(sets)):
        one = sets[number]
        for sequence in range(one.first_sequence, one.first_sequence + one.actions):
            reach[sequence] = reach[one.parent] * policy[sequence]


def weigh_ends(seat, sequences, values, reach, gains):
    """Write the returns of ``seat`` at the ends of each of its sequences, times the probability that all others lead
    there."""
    fill(gains, 0.0)
    for end in range(len(sequences)):
        gain = values[end, seat]
        for other in range(sequences.shape[1]):
            if other != seat:
                gain *= reach[sequences[end, other]]
        gains[sequences[end, seat]] += gain


def respond(seat, sets, gains, policy):
    """Take the best action in every information set of ``seat``, the last ones first; ``gains`` then include everything
    that follows."""
    for number in range(len(sets) - 1, -1, -1):
        one = sets[number]
        if one.seat == seat:
            best = one.first_sequence
            for sequence in range(one.first_sequence, one.first_sequence + one.actions):
                policy[sequence] = 0.0
                if gains[sequence] > gains[best]:
                    best = sequence
            policy[best] = 1.0
            gains[one.parent] += gains[best]


def respond_in_public_states(responder, nodes, children, weights, probabilities, values):
    """Write the value of every state to ``responder``, which plays a best response to the other seat's
    probabilities."""
    for number in range(len(nodes)):
        node = nodes[number]
        start = node.first_choice
        if node.kind == END:
            values[number] = node.end_value if responder == 0 else -node.end_value
        elif node.kind == CHANCE_NODE:
            values[number] = mean_of_children(node, values, children, weights)
        elif node.kind == TWO_SEATS:
            values[number] = answer_unseen(node, responder == node.seat, children, probabilities, values)
        elif responder == node.seat:
            best = -np.inf
            for place in range(node.firsts):
                best = max(best, values[children[node.first_child + place]])
            values[number] = best
        else:
            mean = 0.0
            for place in range(node.firsts):
                mean += probabilities[start + place] * values[children[node.first_child + place]]
            values[number] = mean


def play_in_public_states(nodes, children, weights, first, second, values):
    """Write the value of every state to player_0, which plays by the ``first`` probabilities, against the
    ``second``."""
    for number in range(len(nodes)):
        node = nodes[number]
        own, others = (first, second) if node.seat == 0 else (second, first)
        mean = 0.0
        if node.kind == END:
            mean = node.end_value
        elif node.kind == CHANCE_NODE:
            mean = mean_of_children(node, values, children, weights)
        elif node.kind == TWO_SEATS:
            for i in range(node.firsts):
                for j in range(node.seconds):
                    chance = own[node.first_choice + i] * others[node.first_choice + node.firsts + j]
                    mean += chance * values[children[node.first_child + i * node.seconds + j]]
        else:
            for place in range(node.firsts):
                mean += own[node.first_choice + place] * values[children[node.first_child + place]]
        values[number] = mean


def answer_unseen(node, is_first, children, probabilities, values):
    """The best return against the probabilities of the seat that chooses at the same time."""
    own = node.firsts if is_first else node.seconds
    others = node.seconds if is_first else node.firsts
    start = node.first_choice + (node.firsts if is_first else 0)
    best = -np.inf
    for i in range(own):
        mean = 0.0
        for j in range(others):
            place = i * node.seconds + j if is_first else j * node.seconds + i
            mean += probabilities[start + j] * values[children[node.first_child + place]]
        best = max(best, mean)
    return best


def best_response(tree: GameTree, policy: np.ndarray, seat: int) -> tuple[np.ndarray, float]:
    """The policy of ``seat`` with the highest mean return against the others' policies, and this return.

    Information sets are processed backwards: a seat's later decisions have higher numbers, and under perfect recall the
    values of its actions in a set depend on nothing else.

    Args:
        policy: (S) float64, as in :class:`~rat_envs.solving.game_tree.GameTree`; its numbers for ``seat`` are ignored.

    Returns:
        (S) float64: ``policy``, but with the best action in each information set of ``seat``, the first among equals;
            and the return.

    Raises:
        ConfigurationError: there is no such seat, or ``policy`` is not a policy of this tree.
    """
    seat = checked_index("seat", seat, checked_tree(tree).players)
    policy = tree.checked_policy(policy, ignored=seat)
    response, gains = policy.copy(), np.zeros(tree.sequences)
    of_no_game(weigh_ends)(seat, tree.payoffs.sequences, tree.payoffs.values, _reach(tree, policy), gains)
    of_no_game(respond)(seat, tree.sets, gains, response)
    return response, float(gains[seat])


def best_response_values(tree: GameTree, policy: np.ndarray) -> np.ndarray:
    """(P) float64: the mean return of a best response in each seat.

    Raises:
        ConfigurationError: it is not a policy of this tree.
    """
    policy = checked_tree(tree).checked_policy(policy)
    return np.array([best_response(tree, policy, seat)[1] for seat in range(tree.players)])


def expected_returns(tree: GameTree, policy: np.ndarray) -> np.ndarray:
    """(P) float64: the mean return of each seat when all play ``policy``.

    Raises:
        ConfigurationError: it is not a policy of this tree.
    """
    reach = _reach(tree, checked_tree(tree).checked_policy(policy))
    return reach[tree.payoffs.sequences].prod(axis=1) @ tree.payoffs.values


def nash_conv(tree: GameTree, policy: np.ndarray) -> float:
    """The sum of what each seat could gain by a best response: 0 for a Nash equilibrium, and only for that.

    Raises:
        ConfigurationError: it is not a policy of this tree.
    """
    return float((best_response_values(tree, policy) - expected_returns(tree, policy)).sum())


def _reach(tree: GameTree, policy: np.ndarray) -> np.ndarray:
    reach = np.zeros(tree.sequences)
    of_no_game(write_reach)(policy, tree.sets, tree.players, reach)
    return reach
