"""A learnt policy within the search: a network, in compiled code, gives the priors and the values of leaves.

From one decision of a seat to its next, few numbers of its observation change. So the sums of the first layer are kept
for every seat, and only the weights of what has changed are added to them (Nasu 2018). They are whole numbers, so they
are exact, whatever was observed in between, and the same in compiled and in interpreted code.
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
    estimate_by_rollout,
    mix,
    select,
    stops,
    try_actions,
    try_in_tree,
)
from rat_envs.engine.compile import out_of_line
from rat_envs.engine.contract import actor, observe, returns
from rat_envs.engine.counts import fill, list_present
from rat_envs.engine.differences import list_different
from rat_envs.engine.game import CHANCE, TERMINAL, Game
from rat_envs.engine.hashing import add_word
from rat_envs.engine.memory import at_cache_line
from rat_envs.engine.products import inner_product

__all__ = [
    "BY_POLICY",
    "Guide",
    "ask",
    "find_outputs",
    "new_guide",
    "pick_by_policy",
    "play_on",
    "run_guide",
    "weigh_choices",
]

#: The prior of a choice that the network has not been run for yet.
UNKNOWN = -1.0
#: The share of the prior that is uniform, so that nothing is impossible.
UNIFORM = 0.05
#: Where choices are unseen, the policy counts as much as this number of visits.
PRIOR_VISITS = 32.0

#: Sums of the first layer stay below this, so that they fit into int32 even when their terms have been rounded.
LARGEST_SUM = 2.0**31 - 2.0**20
#: The largest magnitude of a number in an observation, which is int8.
LARGEST_NUMBER = 128
#: The units allow for sums of at least this size, so that no unit is 0.
SMALLEST = 1e-9

#: The network, and buffers for one evaluation at a time: weights of the first layer (O * H,) int32, and their units
#: (H,); by seat, the padded observation (8 W,) that its sums belong to, these sums (P, H) int32, and a buffer for
#: changes (8 W,) (:func:`sum_up`); the parameters of the layers between the first and the last, one after the other,
#: each as its weights, with a row for each input, and its biases; the weights of the last layer, with a row for each
#: output, and its biases; sizes of the layers (L,), without the first; 1 for tanh, 0 for relu; the network's numbers of
#: the game's actions, by seat (P, A); the number of players; two buffers for the values of a layer, the places of
#: nonzero values, the outputs wanted and their values (:func:`find_outputs`); priors by node and action, and the number
#: of nodes that have any. Of combinations, if there are any: the places of their numbers in an observation (C,), their
#: keys (m,), and what they add to the first layer ((m + 1) * H,). Of rollouts: the decay of the weight of later
#: expectations (1,), and by seat their weighted sum so far (P,) and the weight that is left (P,).
Guide = namedtuple(
    "Guide",
    "first units seen sums changes later last last_biases sizes tanh numbers players values others"
    " places wanted outputs priors nodes_with_prior columns known table trace_decay expected left",
)


def new_guide(networks: Networks, game: Game, players: int, nodes: int, trace_decay: float = 1.0) -> Guide:
    """A guide for one search at a time, in games of ``players`` players and with room for ``nodes`` nodes.

    Args:
        trace_decay: of rollouts, as :func:`play_on` says.
    """
    between = zip(networks.weights[1:-1], networks.biases[1:-1], strict=True)
    later = [np.vstack([weight[0], bias]).ravel() for weight, bias in between]
    first, bias, units = in_whole_numbers(networks.weights[0][0], networks.biases[0][0])
    meanings = game.relative_actions[players]
    widest = max(networks.layers[1:])
    crossed = networks.crossed
    seen = np.zeros((players, 8 * -(-game.observation.itemsize // 8)), np.int8)
    return Guide(
        first=at_cache_line(first.ravel()),
        units=at_cache_line(units),
        seen=seen,
        sums=at_cache_line(np.tile(bias, (players, 1))),
        changes=np.zeros(seen.shape[1], np.int32),
        later=at_cache_line(np.concatenate([np.zeros(0, np.float32), *later])),
        last=at_cache_line(networks.weights[-1][0].T),
        last_biases=networks.biases[-1][0].copy(),
        sizes=np.array(networks.layers[1:], np.int64),
        tanh=int(networks.activation == "tanh"),
        numbers=np.argsort(meanings, axis=1).astype(np.int32),
        players=players,
        values=at_cache_line(np.zeros(widest, np.float32)),
        others=at_cache_line(np.zeros(widest, np.float32)),
        places=np.zeros(max(widest, seen.shape[1]), np.uint32),
        wanted=np.zeros(networks.layers[-1], np.uint32),
        outputs=np.zeros(networks.layers[-1], np.float32),
        priors=np.zeros((nodes, len(game.actions)), np.float32),
        nodes_with_prior=np.zeros(1, np.int64),
        columns=np.zeros(0, np.int64) if crossed is None else crossed.crossing.columns.astype(np.int64),
        known=np.zeros(0, np.uint64) if crossed is None else np.ascontiguousarray(crossed.crossing.known),
        table=np.zeros(0, np.float32) if crossed is None else np.ascontiguousarray(crossed.tables[0]).ravel(),
        trace_decay=np.array([trace_decay], np.float64),
        expected=np.zeros(players),
        left=np.ones(players),
    )


def in_whole_numbers(weights: np.ndarray, bias: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights (O, H) and biases (H,) of a layer as int32, and their units (H,) float32.

    Units are powers of 2, the smallest with which no sum can be too large: neither that of an observation, nor one on
    the way from one observation to the next, which is the sum of an observation with some numbers new and others old.
    """
    largest = np.abs(weights).sum(0, dtype=np.float64) * LARGEST_NUMBER + np.abs(bias)
    units = 2.0 ** np.ceil(np.log2(np.maximum(largest, SMALLEST) / LARGEST_SUM))
    counted = [np.rint(numbers / units).astype(np.int32) for numbers in (weights.astype(np.float64), bias)]
    return counted[0], counted[1], units.astype(np.float32)


def add_rows(total, weights, start, width, inputs, places, number):
    """Add to ``total`` the rows of ``weights``, from ``start`` on, of ``number`` inputs, each times its input."""
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
    """Write the places of nonzero ``values``; their number."""
    number = 0
    for place in range(length):
        places[number] = place
        number += values[place] != 0
    return number


@out_of_line
def sum_up(observation, seen, first, sums, changes, places):
    """Update the sums of the first layer from what a seat saw before to what it sees now.

    Args:
        observation: what it sees, padded.
        seen: the observation that ``sums`` belong to, which is updated.
        changes: a buffer for the amounts of change, as ``places`` is for the places.
    """
    number = list_different(observation, seen, places, 0)
    for k in range(number):
        place = places[k]
        changes[place] = np.int32(observation[place]) - np.int32(seen[place])
        seen[place] = observation[place]
    add_rows(sums, first, 0, len(sums), changes, places, number)


@out_of_line
def run_network(sums, units, added, later, sizes, tanh, values, others, places):
    """Run the network up to the last layer, whose inputs are then in ``others``. A network of one layer has its outputs
    in ``values``.

    Args:
        sums: of the first layer, in ``units``.
        added: what is added to them, (H,) float32, or nothing.
        places: a buffer for the places of a layer's nonzero inputs.
    """
    for j in range(len(sums)):
        values[j] = np.float32(sums[j]) * units[j]
    for j in range(len(added)):
        values[j] += added[j]
    start = 0
    for layer in range(1, len(sizes)):
        inputs = sizes[layer - 1]
        for j in range(inputs):
            value = values[j]
            if tanh:
                others[j] = np.float32(math.tanh(float(value)))
            else:
                others[j] = value if value > 0 else np.float32(0.0)
        if layer < len(sizes) - 1:
            number = list_nonzero(others, inputs, places)
            width = sizes[layer]
            biases = later[start + inputs * width :]
            for j in range(width):
                values[j] = biases[j]
            add_rows(values, later, start, width, others, places, number)
            start += (inputs + 1) * width


def run_guide(seat, observation, guide):
    """Run the network for a padded observation of a seat; :func:`find_outputs` gives its outputs."""
    sums = guide.sums[seat]
    sum_up(observation, guide.seen[seat], guide.first, sums, guide.changes, guide.places)
    added = guide.table
    if len(guide.known) > 0:
        number = combination_in(observation, guide.columns, guide.known)
        added = guide.table[number * len(sums) : (number + 1) * len(sums)]
    layers = guide.later, guide.sizes, guide.tanh
    run_network(sums, guide.units, added, *layers, guide.values, guide.others, guide.places)


def find_outputs(number, guide):
    """Write into ``guide.outputs`` the ``number`` outputs in ``guide.wanted`` of the network's last run: few are
    needed, since few actions are legal."""
    if len(guide.sizes) == 1:
        for place in range(number):
            guide.outputs[place] = guide.values[guide.wanted[place]]
        return
    add_up(guide.last, guide.last_biases, guide.wanted, number, guide.others[: guide.last.shape[1]], guide.outputs)


@out_of_line
def add_up(weights, biases, wanted, number, inputs, outputs):
    """Write the ``number`` outputs of a layer that are ``wanted``."""
    for place in range(number):
        outputs[place] = biases[wanted[place]] + inner_product(weights[wanted[place]], inputs)


def key_of(observation, columns):
    """A hash of some numbers of an observation, the same as that of ``keys_of``."""
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
def combination_in(observation, columns, known):
    """The number of the combination in an observation of int8 numbers: from 1 on, or 0 if it is not ``known``."""
    key = key_of(observation, columns)
    place = np.searchsorted(known, key)
    return place + 1 if place < len(known) and known[place] == key else 0


def begin_with_policy(scratch):
    """A search begins: no node has a prior yet."""
    scratch.guide.nodes_with_prior[0] = 0


def ask(row, scratch):
    """Run the network for the view of the acting seat."""
    fill(scratch.changing, 0)
    observe(row, actor(row), scratch.observations[0])
    run_guide(actor(row), scratch.observation_bytes, scratch.guide)


def weigh_choices(seat, step, guide):
    """Write the probability of every choice of a step, from the network's outputs."""
    numbers = guide.numbers[seat]
    for place in range(step.number):
        guide.wanted[place] = numbers[step.choices[place]]
    find_outputs(step.number, guide)
    largest = -math.inf
    for place in range(step.number):
        step.chances[place] = float(guide.outputs[place])
        largest = max(largest, step.chances[place])
    total = 0.0
    for place in range(step.number):
        step.chances[place] = math.exp(step.chances[place] - largest)
        total += step.chances[place]
    for place in range(step.number):
        step.chances[place] /= total


def keep_priors(seat, number, step, guide):
    """Keep the probabilities of choices at a node that have no prior yet, from the network's outputs."""
    priors = guide.priors[number]
    weigh_choices(seat, step, guide)
    for place in range(step.number):
        if priors[step.choices[place]] == UNKNOWN:
            priors[step.choices[place]] = np.float32(step.chances[place])


def know_priors(row, step, scratch):
    """Run the network if a choice has no prior yet; the sum of the priors of all choices.

    Seats whose cards are sampled anew in every simulation have different choices in each: priors are kept, and the
    network is run again if there is a choice without one.
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
    """The share of a choice with this prior, of all ``number`` choices."""
    share = prior / total if total > 0 else 1.0 / number
    return (1 - UNIFORM) * share + UNIFORM / number


def stops_at_new(length):
    """Whether a simulation ends at a new node, and not after a choice there: everywhere but at the root."""
    return length > 0


def select_with_policy(row, node, step, exploration, scratch, stream):
    """The place of the choice to try at a node of the tree, by earlier tries and the policy."""
    total = know_priors(row, step, scratch)
    priors = scratch.guide.priors[step.node]
    for place in range(step.number):
        step.chances[place] = share_of(priors[step.choices[place]], total, step.number)
    return select_by_prior(node, step, exploration)


def mix_with_policy(row, node, step, scratch):
    """Write the probability of every choice where choices are unseen: regret matching, mixed with the policy, which
    counts as :data:`PRIOR_VISITS` visits."""
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


def find_expectations(number, guide):
    """Write into ``guide.outputs`` the expected returns of ``number`` seats, from the observing seat on."""
    for place in range(number):
        guide.wanted[place] = guide.numbers.shape[1] + place
    find_outputs(number, guide)
    for place in range(number):
        guide.outputs[place] = min(1.0, max(-1.0, guide.outputs[place]))


def estimate_with_policy(row, scratch, stream):
    """Write each seat's expected return: by the network for the acting seat's view, or the final return."""
    while actor(row) == CHANCE:
        draw_outcome(row, scratch.weights, stream)
    fill(scratch.returns, 0.0)
    if actor(row) == TERMINAL:
        returns(row, scratch.returns)
        return
    guide = scratch.guide
    ask(row, scratch)
    find_expectations(guide.players, guide)
    for place in range(guide.players):
        scratch.returns[(actor(row) + place) % guide.players] = guide.outputs[place]


def play_on(row, scratch, stream):
    """Play to the end by the policy, and write each seat's λ-return (Sutton 1988), where λ is ``trace_decay``.

    It is a weighted mean: the return that the network expected for a seat at its k-th choice, from 0 on, has the weight
    (1 − λ)λ^k, and the final return the rest. Expected returns vary less than final ones, and are less accurate. With 1
    only the final return counts.
    """
    guide = scratch.guide
    fill(guide.expected, 0.0)
    fill(guide.left, 1.0)
    estimate_by_rollout(row, scratch, stream)
    for seat in range(guide.players):
        scratch.returns[seat] = guide.expected[seat] + guide.left[seat] * scratch.returns[seat]


def pick_by_policy(row, scratch, stream):
    """Roll out with actions drawn from the policy."""
    step = scratch.path[BELOW]
    step.number = list_present(scratch.mask, step.choices, 0)
    if step.number == 1:
        return step.choices[0]
    ask(row, scratch)
    if scratch.guide.trace_decay[0] < 1:
        note_expectation(actor(row), scratch.guide)
    weigh_choices(actor(row), step, scratch.guide)
    return step.choices[draw_place(step, stream)]


def note_expectation(seat, guide):
    """Add to a seat's λ-return the return that the network, just run for its view, expects."""
    find_expectations(1, guide)
    guide.expected[seat] += (1 - guide.trace_decay[0]) * guide.left[seat] * guide.outputs[0]
    guide.left[seat] *= guide.trace_decay[0]


#: A search with a policy, which also gives the values of leaves.
BY_POLICY = {
    begin_search: begin_with_policy,
    stops: stops_at_new,
    mix: mix_with_policy,
    estimate: estimate_with_policy,
    select: select_with_policy,
    try_actions: try_in_tree,
}
