"""Choosing in a round, and computing its values, from the values of the states after it.

A state has two values to a seat: its return if the other seat does its worst from here on, and its return against
random play. The seat maximises their weighted mean, in which the latter has the *random weight*: 0 leads to the
equilibrium, 1 to the best response to random play. Between them lies a robust counter-strategy as of Johanson,
Zinkevich and Bowling (2007, "Computing robust counter-strategies"), but with the same weight in every state; theirs
depends on how likely random play is to reach the state. The functions are templates for ``rounds.bind``.
"""

from __future__ import annotations

import numpy as np

from rat_envs.engine.contract import NUMBER_OF_ACTIONS
from rat_envs.engine.counts import fill
from rat_envs.solving.matrix_game import solve_matrix_game
from rat_envs.solving.public_states import CHANCE_NODE, TWO_SEATS

__all__ = ["LEAST", "look_ahead"]

#: Columns of values: the least return, and the return against random play.
LEAST, AGAINST_RANDOM = 0, 1


def look_ahead(rounds, places, values, seat, random_weight, policies, backed_up):
    """Write the probabilities of ``seat`` in the states whose rounds are listed, and the values of these states to it.

    Args:
        values: (leaves, 2) float64, those of the states after them.
        policies: (n, A) float64, zeros, to be written: the probability of the first, second, ... of the seat's legal
            actions.
        backed_up: (n, 2) float64, written.
    """
    size = NUMBER_OF_ACTIONS
    branches = np.zeros((size, 2))
    answers = np.zeros((size, 2))
    payoffs = np.zeros((size, size))
    tableau = np.zeros((size + 1, 2 * size + 1))
    other = np.zeros(size)
    for k in range(len(rounds)):
        entry = rounds[k]
        if entry.kind == CHANCE_NODE:
            mean_over_chance(entry, places, values, backed_up[k])
        elif entry.kind == TWO_SEATS:
            fill_payoffs(entry, places, values, seat, random_weight, payoffs)
            number, others = numbers_of_choices(entry, seat)
            solve_matrix_game(payoffs, number, others, policies[k], other, tableau)
            value_unseen(entry, places, values, seat, policies[k], answers)
            value_open_choice(answers, others, False, random_weight, backed_up[k])
        else:
            value_branches(entry, places, values, seat, random_weight, answers, branches)
            value_open_choice(branches, entry.firsts, entry.seat == seat, random_weight, backed_up[k])
            if entry.seat == seat:
                policies[k, best_branch(branches, entry.firsts, random_weight)] = 1


def mean_over_chance(entry, places, values, pair):
    """The mean over the outcomes of chance."""
    total = 0.0
    for i in range(entry.firsts):
        total += entry.weights[entry.choices[i]]
    pair[:] = 0
    for i in range(entry.firsts):
        for column in range(2):
            weight = entry.weights[entry.choices[i]] / total
            pair[column] += weight * values[places[entry.first_place + i], column]


def numbers_of_choices(entry, seat):
    """The numbers of choices of a seat and of the other one in a simultaneous choice."""
    if entry.seat == seat:
        return entry.firsts, entry.seconds[0]
    return entry.seconds[0], entry.firsts


def place_of(entry, seat, mine, others):
    """The place of the leaf of a simultaneous choice."""
    if entry.seat == seat:
        return entry.first_place + mine * entry.seconds[0] + others
    return entry.first_place + others * entry.seconds[0] + mine


def fill_payoffs(entry, places, values, seat, random_weight, payoffs):
    """Write the matrix game of a simultaneous choice: for each pair of choices, the least return, mixed with the mean
    return against random choices."""
    number, others = numbers_of_choices(entry, seat)
    for i in range(number):
        mean = 0.0
        for j in range(others):
            leaf = places[place_of(entry, seat, i, j)]
            mean += values[leaf, AGAINST_RANDOM] / others
            payoffs[i, j] = (1 - random_weight) * values[leaf, LEAST]
        for j in range(others):
            payoffs[i, j] += random_weight * mean


def value_unseen(entry, places, values, seat, own, answers):
    """Write the values of every answer to a seat that chooses unseen with the probabilities ``own``."""
    number, others = numbers_of_choices(entry, seat)
    for j in range(others):
        fill(answers[j], 0.0)
        for i in range(number):
            leaf = places[place_of(entry, seat, i, j)]
            for column in range(2):
                answers[j, column] += own[i] * values[leaf, column]


def value_branches(entry, places, values, seat, random_weight, answers, branches):
    """Write the values of every open choice, with the best or the worst answer to it, if it is answered."""
    place = entry.first_place
    for i in range(entry.firsts):
        for j in range(entry.seconds[i]):
            copy_pair(values[places[place + j]], answers[j])
        value_open_choice(answers, entry.seconds[i], entry.answerers[i] == seat, random_weight, branches[i])
        place += entry.seconds[i]


def value_open_choice(pairs, number, is_own, random_weight, pair):
    """Write the values of an open choice among ``pairs``: a seat's own, or another's."""
    if is_own:
        copy_pair(pairs[best_branch(pairs, number, random_weight)], pair)
        return
    pair[LEAST] = np.inf
    pair[AGAINST_RANDOM] = 0
    for i in range(number):
        pair[LEAST] = min(pair[LEAST], pairs[i, LEAST])
        pair[AGAINST_RANDOM] += pairs[i, AGAINST_RANDOM] / number


def copy_pair(source, target):
    """Copy both values of a state."""
    for column in range(2):
        target[column] = source[column]


def best_branch(pairs, number, random_weight):
    """The place of the pair with the best weighted mean."""
    best = 0
    highest = -np.inf
    for i in range(number):
        mean = (1 - random_weight) * pairs[i, LEAST] + random_weight * pairs[i, AGAINST_RANDOM]
        if mean > highest:
            best = i
            highest = mean
    return best
