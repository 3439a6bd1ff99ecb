"""A learnt policy within the search: a network, in compiled code, says what to try, and what a leaf is worth.

The first layer takes the numbers of an observation as they are, and adds up only the weights of those that are not 0;
what stays the same through a game is added up once a search. Sums run along whole rows of weights, so that they are
the same in compiled and in interpreted code.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from rat_envs.agents.crossing import WORD
from rat_envs.agents.policy import Networks
from rat_envs.agents.search.selection import chances_unseen, draw_place, select_by_prior
from rat_envs.agents.search.simulation import (
    BELOW,
    begin_search,
    draw_outcome,
    estimate,
    mix,
    select,
    stops,
    try_actions,
    try_in_tree,
)
from rat_envs.engine.compile import out_of_line
from rat_envs.engine.contract import actor, observe, returns
from rat_envs.engine.counts import fill, list_present
from rat_envs.engine.game import CHANCE, TERMINAL, Game
from rat_envs.engine.hashing import add_word

__all__ = ["BY_POLICY", "Guide", "ask", "new_guide", "pick_by_policy", "weigh_choices"]

#: Of a choice that the network has not been asked for yet.
UNKNOWN = -1.0
#: The share of the prior that is uniform, so that nothing is impossible.
UNIFORM = 0.05
#: Where choices are unseen, the policy counts as if it had been tried so often before.
PRIOR_VISITS = 32.0

#: What the network is, and room for one evaluation at a time: weights of the first layer (O * H,) and its biases (H,);
#: those of the other layers one after the other, each as its weights, a row for an input, and its biases; sizes of the
#: layers (L,), without the first; 1 for tanh, 0 for relu; how the network numbers the game's actions, by seat (P, A);
#: the number of players; biases and what is fixed in a game, added up (H,); two rooms for the values of a layer, and
#: the places of those that are not 0; prior by node and action, and how many nodes have any. Of combinations, if there
#: are any: which numbers of an observation they are of (C,), their keys (m,), what they add to the first layer
#: ((m + 1) * H,), and room for its sum with ``base`` (H,).
Guide = namedtuple(
    "Guide",
    "first bias later sizes tanh numbers players base values others places priors nodes_with_prior"
    " columns known table sum",
)


def new_guide(networks: Networks, game: Game, players: int, nodes: int) -> Guide:
    """A guide for one search at a time in games of so many players, with room for so many nodes."""
    first, *later = (weight[0] for weight in networks.weights)
    bias, *biases = (each[0] for each in networks.biases)
    parts = [np.concatenate([weight.ravel(), bias]) for weight, bias in zip(later, biases, strict=True)]
    meanings = game.relative_actions[players]
    widest = max(networks.layers)
    crossed = networks.crossed
    return Guide(
        first=first.ravel(),
        bias=np.ascontiguousarray(bias),
        later=np.concatenate([np.zeros(0, np.float32), *parts]),
        sizes=np.array(networks.layers[1:], np.int64),
        tanh=int(networks.activation == "tanh"),
        numbers=np.argsort(meanings, axis=1).astype(np.int32),
        players=players,
        base=np.zeros(len(bias), np.float32),
        values=np.zeros(widest, np.float32),
        others=np.zeros(widest, np.float32),
        places=np.zeros(widest, np.int32),
        priors=np.zeros((nodes, len(game.actions)), np.float32),
        nodes_with_prior=np.zeros(1, np.int64),
        columns=np.zeros(0, np.int64) if crossed is None else crossed.crossing.columns.astype(np.int64),
        known=np.zeros(0, np.uint64) if crossed is None else crossed.crossing.known,
        table=np.zeros(0, np.float32) if crossed is None else np.ascontiguousarray(crossed.tables[0]).ravel(),
        sum=np.zeros(len(bias), np.float32),
    )


def add_rows(total, weights, start, width, inputs, places, number):
    """Add to ``total`` the rows of ``weights``, from ``start`` on, of so many inputs, each times its input."""
    k = 0
    while k + 4 <= number:  # four at a time: the total is read and written less often
        a, b, c, d = places[k], places[k + 1], places[k + 2], places[k + 3]
        x, y, z, w = inputs[a], inputs[b], inputs[c], inputs[d]
        rows_a, rows_b = weights[start + a * width :], weights[start + b * width :]
        rows_c, rows_d = weights[start + c * width :], weights[start + d * width :]
        for j in range(width):
            total[j] += x * rows_a[j] + y * rows_b[j] + (z * rows_c[j] + w * rows_d[j])
        k += 4
    while k < number:
        x = inputs[places[k]]
        rows = weights[start + places[k] * width :]
        for j in range(width):
            total[j] += x * rows[j]
        k += 1


def list_nonzero(values, length, places):
    """Write where ``values`` are not 0; how many there are."""
    number = 0
    for place in range(length):
        places[number] = place
        number += values[place] != 0
    return number


@out_of_line
def run_network(observation, base, first, later, sizes, tanh, values, others, places):
    """Write the network's outputs into ``values``.

    Args:
        observation: the bytes of an observation that change in a game.
        base: what the others come to, with the biases.
    """
    for place in range(len(observation)):
        others[place] = np.float32(observation[place])
    width = len(base)
    for j in range(width):
        values[j] = base[j]
    add_rows(values, first, 0, width, others, places, list_nonzero(others, len(observation), places))
    start = 0
    for layer in range(1, len(sizes)):
        width = sizes[layer]
        inputs = sizes[layer - 1]
        for j in range(inputs):
            value = values[j]
            if tanh:
                others[j] = np.float32(math.tanh(float(value)))
            else:
                others[j] = value if value > 0 else np.float32(0.0)
        biases = later[start + inputs * width :]
        for j in range(width):
            values[j] = biases[j]
        add_rows(values, later, start, width, others, places, list_nonzero(others, inputs, places))
        start += (inputs + 1) * width


def run_guide(observation, base, guide):
    """:func:`run_network` for a guide."""
    layers = guide.first, guide.later, guide.sizes, guide.tanh
    run_network(observation, base, *layers, guide.values, guide.others, guide.places)


def key_of(observation, columns):
    """A hash of some numbers of an observation, that of ``keys_of``."""
    key = np.uint64(0)
    word = np.uint64(0)
    for place in range(len(columns)):
        byte = np.uint64(np.uint8(observation[columns[place]]))
        word |= byte << np.uint64(8 * (place % WORD))
        if place % WORD == WORD - 1 or place == len(columns) - 1:
            key = add_word(key, word)
            word = np.uint64(0)
    return key


@out_of_line
def add_combination(observation, base, columns, known, table, total):
    """Write into ``total`` the sum of ``base`` and of what the combination in an observation adds to the first layer.

    Args:
        observation: all its bytes.
    """
    key = key_of(observation, columns)
    place = np.searchsorted(known, key)
    number = place + 1 if place < len(known) and known[place] == key else 0
    row = table[number * len(base) :]
    for j in range(len(base)):
        total[j] = base[j] + row[j]


@out_of_line
def add_fixed(observation, first_fixed, first, bias, base):
    """Write what the fixed bytes of an observation, from ``first_fixed`` on, come to in the first layer."""
    width = len(base)
    for j in range(width):
        base[j] = bias[j]
    for place in range(first_fixed, len(observation)):
        number = np.float32(observation[place])
        if number != 0:
            row = first[place * width :]
            for j in range(width):
                base[j] += number * row[j]


def begin_with_policy(scratch):
    """A search begins: what is fixed in its game has been observed."""
    guide = scratch.guide
    guide.nodes_with_prior[0] = 0
    add_fixed(scratch.observation_bytes, len(scratch.changing), guide.first, guide.bias, guide.base)


def ask(row, scratch):
    """Let the network say what it makes of the view of whoever is to act: its outputs are in ``guide.values``."""
    guide = scratch.guide
    fill(scratch.changing, 0)
    observe(row, actor(row), scratch.observations[0])
    base = guide.base
    if len(guide.known) > 0:
        observation = scratch.observation_bytes
        add_combination(observation, base, guide.columns, guide.known, guide.table, guide.sum)
        base = guide.sum
    run_guide(scratch.changing, base, guide)


def weigh_choices(seat, step, guide):
    """Write the probability of every choice of a step, from the network's outputs."""
    numbers = guide.numbers[seat]
    largest = -math.inf
    for place in range(step.number):
        largest = max(largest, float(guide.values[numbers[step.choices[place]]]))
    total = 0.0
    for place in range(step.number):
        step.chances[place] = math.exp(float(guide.values[numbers[step.choices[place]]]) - largest)
        total += step.chances[place]
    for place in range(step.number):
        step.chances[place] /= total


def keep_priors(seat, number, step, guide):
    """Take over the probabilities of choices at a node whose prior is not known yet, from the network's outputs."""
    priors = guide.priors[number]
    weigh_choices(seat, step, guide)
    for place in range(step.number):
        if priors[step.choices[place]] == UNKNOWN:
            priors[step.choices[place]] = np.float32(step.chances[place])


def know_priors(row, step, scratch):
    """Ask the network where nothing is known of a choice yet; the sum of the priors of all choices.

    Seats whose cards are drawn anew in every simulation have other choices in each: what the network has said of a
    choice is kept, and it is asked again where there is one of which it has said nothing.
    """
    guide = scratch.guide
    while guide.nodes_with_prior[0] <= step.node:
        fill(guide.priors[guide.nodes_with_prior[0]], UNKNOWN)
        guide.nodes_with_prior[0] += 1
    priors = guide.priors[step.node]
    for place in range(step.number):
        if priors[step.choices[place]] == UNKNOWN:
            ask(row, scratch)
            keep_priors(actor(row), step.node, step, guide)
            break
    total = 0.0
    for place in range(step.number):
        total += priors[step.choices[place]]
    return total


def share_of(prior, total, number):
    """What a choice with this prior has of all ``number`` of them."""
    share = prior / total if total > 0 else 1.0 / number
    return (1 - UNIFORM) * share + UNIFORM / number


def stops_at_new(length):
    """Whether a simulation ends at a new node, and not after its first choice: everywhere but at the root."""
    return length > 0


def select_with_policy(row, node, step, exploration, scratch, stream):
    """What to try at a node of the tree, by what was tried and the policy; its place."""
    total = know_priors(row, step, scratch)
    priors = scratch.guide.priors[step.node]
    for place in range(step.number):
        step.chances[place] = share_of(priors[step.choices[place]], total, step.number)
    return select_by_prior(node, step, exploration)


def mix_with_policy(row, node, step, scratch):
    """Write the chance of every choice where choices are unseen: matched regrets, and the policy as if it had been
    tried :data:`PRIOR_VISITS` times before."""
    total = know_priors(row, step, scratch)
    priors = scratch.guide.priors[step.node]
    chances_unseen(node, step)
    visits = 0
    for place in range(step.number):
        visits += node.visits[step.choices[place]]
    trust = PRIOR_VISITS / (PRIOR_VISITS + visits)
    for place in range(step.number):
        share = share_of(priors[step.choices[place]], total, step.number)
        step.chances[place] = trust * share + (1 - trust) * step.chances[place]


def estimate_with_policy(row, scratch, stream):
    """Write what each seat may expect: what the network says to whoever is to act, or how the game ended."""
    while actor(row) == CHANCE:
        draw_outcome(row, scratch.weights, stream)
    fill(scratch.returns, 0.0)
    if actor(row) == TERMINAL:
        returns(row, scratch.returns)
        return
    guide = scratch.guide
    ask(row, scratch)
    expected = guide.values[len(guide.numbers[0]) :]
    for place in range(guide.players):
        seat = (actor(row) + place) % guide.players
        scratch.returns[seat] = min(1.0, max(-1.0, expected[place]))


def pick_by_policy(row, scratch, stream):
    """Roll out with what the policy draws."""
    step = scratch.path[BELOW]
    step.number = list_present(scratch.mask, step.choices, 0)
    ask(row, scratch)
    weigh_choices(actor(row), step, scratch.guide)
    return step.choices[draw_place(step, stream)]


#: A search with a policy, which also says what leaves are worth.
BY_POLICY = {
    begin_search: begin_with_policy,
    stops: stops_at_new,
    mix: mix_with_policy,
    estimate: estimate_with_policy,
    select: select_with_policy,
    try_actions: try_in_tree,
}
