"""Sequential halving (Karnin, Koren and Somekh 2013): all actions are tried in the same sampled games.

The sampled game, and the luck in it, matter more than one action. So every action that is still a candidate is tried in
the same sampled game, with the same random numbers, and the policy plays to the end; then the worse half of the actions
is dropped. The policy's own probabilities count as well (as in Danihelka, Guez, Schrittwieser and Silver 2022). Where
choices are unseen a mixture may be needed, but this would find a single action: there the tree is used.
"""

from __future__ import annotations

import math

import numpy as np

from rat_envs.agents.search.guide import BY_POLICY, ask, pick_by_policy, play_on, weigh_choices
from rat_envs.agents.search.simulation import (
    PLAYED,
    advance,
    back_up,
    estimate,
    find_root,
    list_choices,
    pick,
    try_actions,
    try_in_tree,
)
from rat_envs.engine.contract import actor, determinize
from rat_envs.engine.counts import fill
from rat_envs.engine.random import SEARCH_STREAM, seed_stream

__all__ = ["BY_POLICY_TO_THE_END", "try_by_halving"]

#: An action is tried if its probability is at least this share of that of the policy's favourite.
IN_QUESTION = 0.01
#: A sole candidate is tried for its value only, with this many times fewer simulations.
BEYOND_DOUBT = 10
#: The fewest tries for every candidate, on average: of more candidates than that allows, the likeliest are tried.
FEWEST_TRIES = 4
#: Tries beyond this number do not make the policy count less.
MOST_TRUSTED = 64
#: The least gap of an action that is dropped, so that the one left is played even with equal scores.
LEAST_BEHIND = 1e-9


def try_by_halving(row, seat, seed, unseen, simulations, exploration, tree, scratch, policy):
    """Write into ``policy`` (A,) the weight of each action: 1 for the best, exp(-gap) for one that was dropped when its
    score was behind by the gap, 0 for one not tried; the number of their node."""
    if unseen:
        return try_in_tree(row, seat, seed, unseen, simulations, exploration, tree, scratch, policy)
    number = find_root(row, seat, tree, scratch)
    node = tree.nodes[number]
    step = scratch.path[0]
    left = list_questions(row, node, step, simulations, scratch)
    fill(policy, 0.0)
    if left == 1:
        simulations = max(1, simulations // BEYOND_DOUBT)
    while left > 1:
        turns = max(1, simulations // (left * halvings(left)))
        try_together(row, seat, seed, node, step, left, turns, scratch)
        simulations -= turns * left
        kept = (left + 1) // 2
        trusted = fewest_tries(node, step, left)
        sort_best(node, step, kept, left, trusted, exploration)
        for place in range(kept, left):
            behind = score(node, step, 0, trusted, exploration) - score(node, step, place, trusted, exploration)
            policy[step.choices[place]] = math.exp(-max(behind, LEAST_BEHIND))
        left = kept
    try_together(row, seat, seed, node, step, 1, max(1, simulations), scratch)  # so it is tried most often
    policy[step.choices[0]] = 1.0
    return number


def halvings(number):
    """How often a number must be halved, rounded up, until it is 1."""
    count = 0
    while number > 1:
        number = (number + 1) // 2
        count += 1
    return count


def list_questions(row, node, step, simulations, scratch):
    """Write the candidate actions, the likeliest first, with the logarithms of their probabilities; their number."""
    list_choices(row, scratch.mask, step)
    ask(row, scratch)
    weigh_choices(actor(row), step, scratch.guide)
    likeliest = 0.0
    for place in range(step.number):
        likeliest = max(likeliest, step.chances[place])
    number = 0
    for place in range(step.number):
        if step.chances[place] >= IN_QUESTION * likeliest:
            step.choices[number] = step.choices[place]
            step.chances[number] = math.log(step.chances[place])
            number += 1
    step.number = number
    step.unseen = 0
    kept = min(number, max(1, simulations // FEWEST_TRIES))
    sort_best(node, step, kept, number, 0, 1.0)
    return kept


def try_together(row, seat, seed, node, step, left, turns, scratch):
    """Try each of the first ``left`` actions ``turns`` times, all in the same sampled games."""
    stream = scratch.streams[0]
    played = scratch.rows[PLAYED]
    for _ in range(turns):
        turn = node.availability[step.choices[0]]
        for place in range(step.number):
            node.availability[step.choices[place]] += 1
        for place in range(left):
            seed_stream(stream, seed, np.uint64(SEARCH_STREAM + turn))
            scratch.rows[PLAYED] = row
            determinize(played, seat, stream)
            advance(played, step.choices[place])
            estimate(played, scratch, stream)
            step.taken = place
            back_up(node, step, (float(scratch.returns[seat]) + 1.0) / 2)


def fewest_tries(node, step, left):
    """The fewest tries of any action that is left, at most :data:`MOST_TRUSTED`."""
    tries = MOST_TRUSTED
    for place in range(left):
        tries = min(tries, node.visits[step.choices[place]])
    return tries


def score(node, step, place, tries, exploration):
    """The score of an action, by its log-probability and its mean reward over ``tries`` tries."""
    return exploration * step.chances[place] + tries * node.means[step.choices[place]]


def sort_best(node, step, kept, left, tries, exploration):
    """Bring the best ``kept`` of the first ``left`` actions to the front."""
    for first in range(kept):
        best = first
        for place in range(first + 1, left):
            if score(node, step, place, tries, exploration) > score(node, step, best, tries, exploration):
                best = place
        swap(step, first, best)


def swap(step, one, other):
    """Swap two choices."""
    action, chance = step.choices[one], step.chances[one]
    step.choices[one], step.chances[one] = step.choices[other], step.chances[other]
    step.choices[other], step.chances[other] = action, chance


#: A search with a policy, which plays the rollouts.
BY_POLICY_TO_THE_END = {
    **BY_POLICY,
    estimate: play_on,
    pick: pick_by_policy,
    try_actions: try_by_halving,
}
