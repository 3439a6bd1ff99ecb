"""All public states that can be reached in a game, with what leads from one to the other.

Templates over the game's contract: ``Program.bind`` compiles them for one game. A *public state* is what everybody
knows at a node. Where two seats choose at once, both choices belong to one state.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.game import CHANCE, TERMINAL, Game
from rat_envs.engine.position import Position
from rat_envs.engine.program import program

__all__ = ["PADDED", "WORDS", "Tree", "build_tree", "find_rows", "padded"]

#: Kinds of public states.
CHANCE_NODE, ONE_SEAT, TWO_SEATS, END = 0, 1, 2, 3

PADDED = WORDS = np.dtype("i1")
NUMBER_OF_ACTIONS = NUMBER_OF_OUTCOMES = 0
actor = legal = chance = apply = returns = simultaneous = None

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(29)

#: Public states, children before parents. ``rows`` of dtype ``PADDED``; ``kinds``; ``seats``, the first to act;
#: ``end_values``, to player_0; ``first_child`` and ``first_choice``, where a state's entries begin in ``children``
#: (indices of states; for two seats the second's choice runs faster), and in ``choices`` (actions of the first seat,
#: then of the second; or outcomes) with ``weights`` (of outcomes); ``second_choices``, how many of a state's choices
#: are the second seat's; ``slots``, a hash table of row numbers, −1 where empty. The last state is the root.
Tree = namedtuple(
    "Tree",
    "rows kinds seats end_values first_child children first_choice choices weights second_choices slots",
)


def hash_words(words):
    """A 64-bit hash of a row's words."""
    mixed = np.uint64(0)
    for word in words:
        mixed = (mixed ^ word) * MULTIPLIER
        mixed ^= mixed >> SHIFT
    return mixed


def find(slots, words_of, words):
    """The slot of ``slots`` that holds the row with these words, or the empty one where it belongs."""
    last = len(slots) - 1
    slot = np.int64(hash_words(words) & np.uint64(last))
    while slots[slot] >= 0 and not same(words_of[slots[slot]].values, words):
        slot = (slot + 1) & last
    return slot


def same(words, others):
    """Whether two rows are equal."""
    for k in range(len(words)):
        if words[k] != others[k]:
            return False
    return True


def grown(array):
    """A copy of ``array`` with room for twice as much."""
    larger = np.empty(2 * len(array), array.dtype)
    larger[: len(array)] = array
    return larger


def rehash(slots, words_of, number):
    """A hash table of twice the size for the first ``number`` rows."""
    larger = np.full(2 * len(slots), -1, np.int32)
    for i in range(number):
        larger[find(larger, words_of, words_of[i].values)] = i
    return larger


def list_choices(row, kind, mask, weights, choices, choice_weights, spare):
    """Write the choices at a state; how many the first seat (or chance) has, and how many the second."""
    first = 0
    second = 0
    if kind == CHANCE_NODE:
        weights[:] = 0
        chance(row, weights)
        for outcome in range(NUMBER_OF_OUTCOMES):
            if weights[outcome] > 0:
                choices[first] = outcome
                choice_weights[first] = weights[outcome]
                first += 1
        return first, second
    first = list_actions(row, mask, choices, choice_weights, 0)
    if kind == TWO_SEATS:  # what the second may do does not depend on what the first chooses
        spare[0].row = row
        apply(spare[0].row, choices[0])
        second = list_actions(spare[0].row, mask, choices, choice_weights, first)
    return first, second


def list_actions(row, mask, choices, choice_weights, start):
    """Write the legal actions from place ``start`` on; how many there are."""
    mask[:] = 0
    legal(row, mask)
    number = 0
    for action in range(NUMBER_OF_ACTIONS):
        if mask[action]:
            choices[start + number] = action
            choice_weights[start + number] = 1
            number += 1
    return number


def kind_of(row):
    """What kind of public state a row is."""
    seat = actor(row)
    if seat == TERMINAL:
        return END
    if seat == CHANCE:
        return CHANCE_NODE
    return TWO_SEATS if simultaneous(row) else ONE_SEAT


def explore(root, deepest, widest):
    """Depth first from ``root``, an array of one ``PADDED`` row; a state is numbered when all that follows is."""
    rows = np.empty(1024, PADDED)
    kinds = np.empty(1024, np.int8)
    seats = np.empty(1024, np.int8)
    end_values = np.zeros(1024, np.float32)
    second_choices = np.zeros(1024, np.int32)
    first_child = np.zeros(1025, np.int64)
    first_choice = np.zeros(1025, np.int64)
    children = np.empty(8192, np.int32)
    choices = np.empty(4096, np.int16)
    weights = np.empty(4096, np.int32)
    slots = np.full(4096, -1, np.int32)
    number = 0

    stack = np.zeros(deepest, PADDED)
    stack_words = stack.view(WORDS)
    stack_kinds = np.zeros(deepest, np.int8)
    counts = np.zeros((deepest, 2), np.int64)
    done = np.zeros(deepest, np.int64)
    their_children = np.zeros((deepest, widest), np.int32)
    their_choices = np.zeros((deepest, widest), np.int16)
    their_weights = np.zeros((deepest, widest), np.int32)
    mask = np.zeros(NUMBER_OF_ACTIONS, np.int8)
    outcome_weights = np.zeros(NUMBER_OF_OUTCOMES, np.int32)
    spare = np.zeros(1, PADDED)

    stack[0] = root[0]
    depth = 0
    fresh = True
    while depth >= 0:
        row = stack[depth].row
        if fresh:
            stack_kinds[depth] = kind_of(row)
            done[depth] = 0
            counts[depth, 0] = 0
            counts[depth, 1] = 0
            if stack_kinds[depth] != END:
                first, second = list_choices(
                    row, stack_kinds[depth], mask, outcome_weights, their_choices[depth], their_weights[depth], spare
                )
                counts[depth, 0] = first
                counts[depth, 1] = second
        seconds = max(counts[depth, 1], 1)
        wanted = counts[depth, 0] * seconds
        if done[depth] < wanted:
            child = depth + 1
            place = done[depth]
            stack[child] = stack[depth]
            apply(stack[child].row, their_choices[depth, place // seconds])
            if counts[depth, 1] > 0:
                apply(stack[child].row, their_choices[depth, counts[depth, 0] + place % seconds])
            known = slots[find(slots, rows.view(WORDS), stack_words[child].values)]
            fresh = known < 0
            if fresh:
                depth = child
            else:
                their_children[depth, place] = known
                done[depth] += 1
            continue
        # All that follows is numbered: number this state.
        if number + 1 >= len(rows):
            rows, kinds, seats = grown(rows), grown(kinds), grown(seats)
            end_values, second_choices = grown(end_values), grown(second_choices)
            first_child, first_choice = grown(first_child), grown(first_choice)
        if 2 * number >= len(slots):
            slots = rehash(slots, rows.view(WORDS), number)
        while first_child[number] + wanted > len(children):
            children = grown(children)
        listed = counts[depth, 0] + counts[depth, 1]
        while first_choice[number] + listed > len(choices):
            choices, weights = grown(choices), grown(weights)
        rows[number] = stack[depth]
        kinds[number] = stack_kinds[depth]
        seats[number] = actor(row)
        end_values[number] = value_at_end(row) if stack_kinds[depth] == END else 0.0
        second_choices[number] = counts[depth, 1]
        for place in range(wanted):
            children[first_child[number] + place] = their_children[depth, place]
        for place in range(listed):
            choices[first_choice[number] + place] = their_choices[depth, place]
            weights[first_choice[number] + place] = their_weights[depth, place]
        first_child[number + 1] = first_child[number] + wanted
        first_choice[number + 1] = first_choice[number] + listed
        slots[find(slots, rows.view(WORDS), stack_words[depth].values)] = number
        number += 1
        depth -= 1
        fresh = False
    return Tree(
        rows[:number].copy(),
        kinds[:number].copy(),
        seats[:number].copy(),
        end_values[:number].copy(),
        first_child[: number + 1].copy(),
        children[: first_child[number]].copy(),
        first_choice[: number + 1].copy(),
        choices[: first_choice[number]].copy(),
        weights[: first_choice[number]].copy(),
        second_choices[:number].copy(),
        slots,
    )


def value_at_end(row):
    """The return of player_0."""
    result = np.zeros(2, np.float32)
    returns(row, result)
    return result[0]
