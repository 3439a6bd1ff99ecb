"""Every history of a game below a row, depth first: templates over the contract that ``Program.bind`` compiles.

An *information set* holds the nodes that a seat cannot distinguish when it decides. Its key is a hash of everything
that the seat has seen and done since the row (perfect recall): at each of its own decisions the observation and the
mask, as environments show them, and the action it took. It does not include the decisions of others: even the fact that
somebody is asked can be a secret.
"""

from __future__ import annotations

import numpy as np

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.contract import NUMBER_OF_ACTIONS, NUMBER_OF_OUTCOMES, actor, apply, chance, legal, returns
from rat_envs.engine.counts import fill, total
from rat_envs.engine.game import CHANCE, TERMINAL
from rat_envs.engine.hash_table import find_slot, rehashed
from rat_envs.engine.kernels import observe_whole
from rat_envs.engine.random import mix
from rat_envs.solving.public_states import grown

__all__ = [
    "DEEPEST",
    "EDGE",
    "INFORMATION_SET",
    "NODE_OF_HISTORY",
    "TOO_DEEP",
    "TOO_MANY",
    "UNLIKE",
    "write_histories",
    "write_rows",
]

#: A history. ``place`` is the number of its information set, or of the end if the game is over.
NODE_OF_HISTORY = np.dtype((np.record, [("actor", "i4"), ("place", "i4"), ("first_edge", "i4"), ("edges", "i4")]))
#: An edge from a node: an action, or an outcome with its probability (that of an action is 1).
EDGE = np.dtype((np.record, [("probability", "f8"), ("child", "i4"), ("action", "i4")]))
#: ``parent`` is the seat's last sequence before this set: the seat's own number if there is none before, otherwise
#: ``first_sequence`` + k of an earlier set, for its k-th action. ``node`` is the first of its histories.
INFORMATION_SET = np.dtype(
    (
        np.record,
        [("key", "u8", (2,)), ("seat", "i4"), ("parent", "i4"), ("first_sequence", "i4"), ("actions", "i4")]
        + [("node", "i4")],
    )
)

#: Reasons to give up: too many nodes, a history that does not end, or (a defect) histories of one information set that
#: differ in legal actions or in the seat's own past.
TOO_MANY, TOO_DEEP, UNLIKE = 1, 2, 3
#: The most nodes of a history.
DEEPEST = 1024

#: Places in ``counted``.
NODES, EDGES, SETS, ENDS, SEQUENCES = range(5)
MULTIPLIER = np.uint64(0xD1342543DE82EF95)
#: Marks that distinguish absorbed actions: one that was legal from one that was taken.
LEGAL_MARK, TAKEN_MARK = 1 << 20, 1 << 21


def absorb(digest, word):
    """Update a hash of 128 bits, made of two independent ones of 64."""
    digest[0] = mix((digest[0] ^ np.uint64(word)) + MULTIPLIER)
    digest[1] = mix(digest[1] * MULTIPLIER + np.uint64(word))


@out_of_line
def look(step, seat, view):
    """Add what a seat sees in the row to its past."""
    fill(view[0].words, 0)
    observe_whole(step.row, seat, view[0].observation)
    for word in view[0].words:
        absorb(step.past[seat], word)


@out_of_line
def list_outcomes(row, weights, edges, first):
    """Write the outcomes of chance; return their number."""
    fill(weights, 0)
    chance(row, weights)
    return write_edges(weights, total(weights), edges, first)


@out_of_line
def list_actions(row, mask, edges, first):
    """Write the legal actions; return their number."""
    fill(mask, 0)
    legal(row, mask)
    return write_edges(mask, 1, edges, first)


def write_edges(shares, whole, edges, first):
    """Write an edge for every step that has a share of the whole; return their number."""
    number = 0
    for step in range(len(shares)):
        if shares[step] > 0:
            edges[first + number].action = step
            edges[first + number].probability = shares[step] / whole
            number += 1
    return number


def agree(node, other, sequence, parent, edges):
    """Whether two nodes of one information set have the same legal actions and the same own past."""
    if node.edges != other.edges or sequence != parent:
        return False
    for k in range(node.edges):
        if edges[node.first_edge + k].action != edges[other.first_edge + k].action:
            return False
    return True


def enter_set(step, seat, nodes, edges, sets, slots, counted):
    """The number of the information set of the node in ``step``, a new one if necessary; −1 if its nodes disagree."""
    node = nodes[step.node]
    past = step.past[seat]
    for k in range(node.edges):
        absorb(past, LEGAL_MARK + edges[node.first_edge + k].action)
    slot = find_slot(slots, sets, past)
    sequence = step.sequences[seat]
    if slots[slot] < 0:
        number = counted[SETS]
        slots[slot] = number
        new = sets[number]
        new.key[0] = past[0]
        new.key[1] = past[1]
        new.seat = seat
        new.parent = sequence
        new.first_sequence = counted[SEQUENCES]
        new.actions = node.edges
        new.node = step.node
        counted[SETS] += 1
        counted[SEQUENCES] += node.edges
        return number
    known = sets[slots[slot]]
    return slots[slot] if agree(node, nodes[known.node], sequence, known.parent, edges) else -1


def enter_end(step, players, end):
    """Write the end of a game: the returns, each seat's last sequence, and the probability that chance leads there."""
    fill(end.returns, 0.0)
    returns(step.row, end.returns)
    for seat in range(players):
        end.sequences[seat] = step.sequences[seat]
    end.chance = step.chance


def enter(step, players, view, mask, weights, nodes, edges, sets, slots, ends, counted):
    """Write the node of the row in ``step`` and its edges; return whether nothing is wrong."""
    step.node = counted[NODES]
    step.done = 0
    counted[NODES] += 1
    node = nodes[step.node]
    node.actor = actor(step.row)
    node.first_edge = counted[EDGES]
    node.edges = 0
    node.place = -1
    if node.actor == TERMINAL:
        node.place = counted[ENDS]
        counted[ENDS] += 1
        enter_end(step, players, ends[node.place])
    elif node.actor == CHANCE:
        node.edges = list_outcomes(step.row, weights, edges, node.first_edge)
    else:
        look(step, node.actor, view)
        node.edges = list_actions(step.row, mask, edges, node.first_edge)
        node.place = enter_set(step, node.actor, nodes, edges, sets, slots, counted)
    counted[EDGES] += node.edges
    return node.actor < 0 or node.place >= 0


def take(step, following, nodes, edges, sets, number):
    """Write the state after the next edge into ``following``, whose node gets this number."""
    node = nodes[step.node]
    edge = edges[node.first_edge + step.done]
    edge.child = number
    apply(following.row, edge.action)
    if node.actor == CHANCE:
        following.chance = step.chance * edge.probability
    else:
        following.sequences[node.actor] = sets[node.place].first_sequence + step.done
        absorb(following.past[node.actor], TAKEN_MARK + edge.action)
    step.done += 1


def with_room(nodes, edges, sets, slots, ends, counted):
    """The arrays, or larger copies, with room for one more node and all its edges."""
    if counted[NODES] == len(nodes):
        nodes = grown(nodes)
    if counted[ENDS] == len(ends):
        ends = grown(ends)
    while counted[EDGES] + max(NUMBER_OF_ACTIONS, NUMBER_OF_OUTCOMES) > len(edges):
        edges = grown(edges)
    if counted[SETS] == len(sets):
        sets = grown(sets)
        slots = rehashed(slots, sets, counted[SETS])
    return nodes, edges, sets, slots, ends


def write_histories(path, view, mask, weights, nodes, edges, sets, slots, ends, counted, players, most):
    """Write all histories, depth first from the row in ``path[0]``; a node is numbered before its children.

    Args:
        path: room for a history of ``DEEPEST`` nodes.
        view: an array of one observation that is seen as 64-bit words, too.
        mask: (A) int8.
        weights: (C) int32.
        nodes, edges, sets, ends: the initial arrays; larger ones are made if needed.
        slots: a hash table of information sets, all −1.
        counted: the numbers of nodes, edges, sets, ends and sequences (``NODES`` and so on), all 0 except that of
            sequences.
        players: number of seats.
        most: give up beyond this many nodes.

    Returns:
        The reason to give up, or 0, and the arrays nodes, edges, sets and ends; ``counted`` says how much of them is
            used.
    """
    fault = 0
    depth = 0
    arriving = True
    while depth >= 0 and fault == 0:
        if arriving:
            nodes, edges, sets, slots, ends = with_room(nodes, edges, sets, slots, ends, counted)
            if not enter(path[depth], players, view, mask, weights, nodes, edges, sets, slots, ends, counted):
                fault = UNLIKE
            elif counted[NODES] > most:
                fault = TOO_MANY
        step = path[depth]
        arriving = step.done < nodes[step.node].edges
        if not arriving:
            depth -= 1
        elif depth + 1 == len(path):
            fault = TOO_DEEP
        else:
            path[depth + 1] = step
            take(step, path[depth + 1], nodes, edges, sets, counted[NODES])
            depth += 1
    return fault, nodes, edges, sets, ends


def write_rows(root, numbers, before, parents, actions, trail, rows):
    """Write the row of node ``numbers[i]`` into ``rows[i]``, by playing again from ``root``.

    Args:
        root: an array of one row.
        before: for every node, the edge that leads there.
        parents: for every edge, the node where it starts.
        actions: for every edge, its action.
        trail: room for ``DEEPEST`` edges.
    """
    for i in range(len(numbers)):
        rows[i] = root[0]
        node = numbers[i]
        length = 0
        while node > 0:
            trail[length] = before[node]
            node = parents[before[node]]
            length += 1
        for k in range(length):
            apply(rows[i], actions[trail[length - 1 - k]])
