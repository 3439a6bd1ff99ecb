"""Which action a simulation tries at a node: by upper confidence bounds, or by regrets where choices are unseen."""

from __future__ import annotations

import math

import numpy as np

from rat_envs.engine.random import draw_below, next_bits

__all__ = ["MIXED", "chances_unseen", "draw_place", "learn_regrets", "select_by_bound", "select_by_prior", "trust"]

#: The share of uniform play where choices are unseen.
MIXED = 0.2
#: The share of the prior that a heuristic's action has; the rest is uniform.
TRUST = 0.5
SHIFT_11 = np.uint64(11)


def select_by_bound(node, step, exploration, stream):
    """Cowling, Powley and Whitehouse 2012: an action not tried yet, else the one with the largest upper bound, which
    counts how often an action was available, not how often the node was visited."""
    untried = 0
    for place in range(step.number):
        action = step.choices[place]
        node.availability[action] += 1
        untried += node.visits[action] == 0
    if untried > 0:
        return draw_untried(node, step, draw_below(stream, untried))
    best = -1
    best_bound = -1.0
    for place in range(step.number):
        action = step.choices[place]
        wide = math.sqrt(math.log(node.availability[action]) / node.visits[action])
        bound = node.means[action] + exploration * wide
        if bound > best_bound:
            best = place
            best_bound = bound
    return best


def select_by_prior(node, step, exploration):
    """PUCT (Rosin 2011, as in Silver et al. 2017) with availability counts: the prior of each choice is in
    ``step.chances``, and an untried choice has the node's mean so far."""
    visits = 1
    gains = 0.5
    for place in range(step.number):
        action = step.choices[place]
        node.availability[action] += 1
        visits += node.visits[action]
        gains += node.visits[action] * node.means[action]
    best = -1
    best_bound = -np.inf
    for place in range(step.number):
        action = step.choices[place]
        tried = node.visits[action]
        mean = node.means[action] if tried > 0 else gains / visits
        prior = step.chances[place]
        bound = mean + exploration * prior * math.sqrt(node.availability[action]) / (1 + tried)
        if bound > best_bound:
            best = place
            best_bound = bound
    return best


def trust(step, favoured):
    """Write a prior that gives half to the ``favoured`` action and is otherwise uniform."""
    uniform = (1 - TRUST) / step.number
    for place in range(step.number):
        step.chances[place] = uniform + TRUST * (step.choices[place] == favoured)


def draw_untried(node, step, left):
    """The place of the untried action that ``left`` others come before."""
    for place in range(step.number):
        if node.visits[step.choices[place]] == 0:
            if left == 0:
                return place
            left -= 1
    return -1


def chances_unseen(node, step):
    """Regret matching (Hart and Mas-Colell 2000) with a share of uniform play: write the probability of every choice at
    a node where seats choose unseen by each other."""
    number = step.number
    total = 0.0
    for place in range(number):
        regret = max(0.0, node.regrets[step.choices[place]])
        step.chances[place] = regret
        total += regret
    uniform, mixed = 1.0 / number, MIXED / number
    for place in range(number):
        matched = step.chances[place] / total if total > 0 else uniform
        step.chances[place] = (1 - MIXED) * matched + mixed


def learn_regrets(node, step, reward):
    """Update the regrets of a node after a choice with this ``reward``.

    The reward of each choice is estimated by its mean so far; for the one taken, the error of that mean over its
    probability is added (the baseline of Schmid et al. 2019).
    """
    taken = step.choices[step.taken]
    surprise = reward - node.means[taken]
    mean = surprise
    for place in range(step.number):
        mean += step.chances[place] * node.means[step.choices[place]]
    for place in range(step.number):
        action = step.choices[place]
        node.regrets[action] += node.means[action] - mean
    node.regrets[taken] += surprise / step.chances[step.taken]


def draw_place(step, stream):
    """The place of a choice, drawn by the choices' probabilities."""
    left = float(next_bits(stream) >> SHIFT_11) * 2.0**-53
    for place in range(step.number):
        left -= step.chances[place]
        if left < 0:
            return place
    return step.number - 1  # they sum to a little less than 1
