"""Which action a simulation tries at a node: by upper confidence bounds, or by regrets where choices are unseen."""

from __future__ import annotations

import math

import numpy as np

from rat_envs.engine.random import draw_below, next_bits

__all__ = ["MIXED", "chances_unseen", "draw_chance", "learn_regrets", "select_by_bound", "select_by_prior"]

#: The share of uniform play where choices are unseen.
MIXED = 0.2
#: The share of the prior that a rule of thumb's action has; the rest is uniform.
TRUST = 0.5
SHIFT_11 = np.uint64(11)


def select_by_bound(tree, number, mask, exploration, stream):
    """Cowling, Powley and Whitehouse 2012: an action not tried yet, else the one with the largest upper bound, which
    counts how often an action could be taken, not how often the node was met."""
    untried = 0
    for action in range(len(mask)):
        if mask[action]:
            tree.availability[number, action] += 1
            untried += tree.visits[number, action] == 0
    if untried > 0:
        return draw_untried(tree, number, mask, draw_below(stream, untried))
    best = -1
    best_bound = -1.0
    for action in range(len(mask)):
        if mask[action]:
            wide = math.sqrt(math.log(tree.availability[number, action]) / tree.visits[number, action])
            bound = tree.means[number, action] + exploration * wide
            if bound > best_bound:
                best = action
                best_bound = bound
    return best


def select_by_prior(tree, number, mask, exploration, favoured):
    """PUCT (Rosin 2011, as in Silver et al. 2017) with availability counts: the prior is half the ``favoured`` action's
    and half uniform, and what has not been tried counts as much as the node did so far."""
    choices = 0
    visits = 1
    gains = 0.5
    for action in range(len(mask)):
        if mask[action]:
            choices += 1
            tree.availability[number, action] += 1
            visits += tree.visits[number, action]
            gains += tree.visits[number, action] * tree.means[number, action]
    best = -1
    best_bound = -np.inf
    for action in range(len(mask)):
        if mask[action]:
            prior = (1 - TRUST) / choices + TRUST * (action == favoured)
            tried = tree.visits[number, action]
            mean = tree.means[number, action] if tried > 0 else gains / visits
            bound = mean + exploration * prior * math.sqrt(tree.availability[number, action]) / (1 + tried)
            if bound > best_bound:
                best = action
                best_bound = bound
    return best


def draw_untried(tree, number, mask, left):
    """The untried action that so many others come before."""
    for action in range(len(mask)):
        if mask[action] and tree.visits[number, action] == 0:
            if left == 0:
                return action
            left -= 1
    return -1


def chances_unseen(tree, number, mask, chances):
    """Regret matching (Hart and Mas-Colell 2000) with a share of uniform play: write the chance of every legal action
    at a node where seats choose unseen by each other."""
    choices = 0
    total = 0.0
    for action in range(len(mask)):
        if mask[action]:
            choices += 1
            total += max(0.0, tree.regrets[number, action])
    for action in range(len(mask)):
        chances[action] = 0.0
        if mask[action]:
            matched = max(0.0, tree.regrets[number, action]) / total if total > 0 else 1.0 / choices
            chances[action] = (1 - MIXED) * matched + MIXED / choices


def learn_regrets(tree, number, chances, action, reward):
    """Add to the regrets of a node after ``action``, drawn with these chances, has brought ``reward``.

    What each action would have brought is estimated by its mean so far, and for the one tried corrected by how far off
    that was over its chance (the baseline of Schmid et al. 2019).
    """
    surprise = reward - tree.means[number, action]
    mean = surprise
    for other in range(len(chances)):
        mean += chances[other] * tree.means[number, other]
    for other in range(len(chances)):
        if chances[other] > 0:
            tree.regrets[number, other] += tree.means[number, other] - mean
    tree.regrets[number, action] += surprise / chances[action]


def draw_chance(chances, stream):
    """An action with these chances."""
    left = float(next_bits(stream) >> SHIFT_11) * 2.0**-53
    last = -1
    for action in range(len(chances)):
        if chances[action] > 0:
            last = action
            left -= chances[action]
            if left < 0:
                break
    return last
