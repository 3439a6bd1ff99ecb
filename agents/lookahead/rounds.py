"""The possible outcomes of the next round, for many public states at once.

A *round* is a simultaneous choice of both seats, an open choice and the answer to it, or one outcome of chance. All
functions but the last two are templates over the game's contract, which ``Program.bind`` compiles.
"""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Mapping
from typing import Any

import numpy as np

from rat_envs.engine.contract import (
    NUMBER_OF_ACTIONS,
    Declared,
    actor,
    answering,
    apply,
    chance,
    declare,
    legal,
    public,
    returns,
)
from rat_envs.engine.counts import list_present, total
from rat_envs.engine.game import Game
from rat_envs.engine.hash_table import BY_WORDS, find_slot, rehashed
from rat_envs.engine.kernels import observe_whole
from rat_envs.engine.program import program
from rat_envs.solving.public_states import (
    CHANCE_NODE,
    END,
    ONE_SEAT,
    TWO_SEATS,
    copy_row,
    grown,
    kind_of,
    record_with_row,
)

__all__ = ["NOBODY", "Rounds", "bind", "draw_next_places", "list_rounds", "observe", "rounds_of"]

#: The seat that answers a choice that is settled at once: none.
NOBODY = -1

#: The next round of a state, and a state after it: dtypes.
ROUND, LEAF = declare("ROUND LEAF")

#: The rounds of some states as records of ``ROUND``; the states after them, each once, as records of ``LEAF``; and
#: ``places``, numbers of leaves: those of a round begin at its ``first_place``, the second choice running faster.
Rounds = namedtuple("Rounds", "rounds places leaves")


def list_rounds(rows, result):
    """List the outcomes of the next round in each of ``rows``, (n) records of ``STATE`` in none of which the game is
    over.

    A choice that is still unseen is taken back. ``result`` is room for returns by seat. Returns the fields of
    ``Rounds``.
    """
    rounds = np.zeros(len(rows), ROUND)
    places = np.zeros(1024, np.int32)
    leaves = np.zeros(1024, LEAF)
    slots = np.full(4096, -1, np.int32)
    path = np.zeros(3, LEAF)
    mask = np.zeros(NUMBER_OF_ACTIONS, np.int8)
    answers = np.zeros(NUMBER_OF_ACTIONS, np.int32)
    listed = 0
    number = 0
    for k in range(len(rows)):
        path[0].key[:] = 0
        path[0].row = rows[k]
        public(path[0].row)
        enter_round(rounds[k], path[0].row, mask)
        rounds[k].first_place = listed
        for i in range(rounds[k].firsts):
            choose_first(rounds[k], i, path, mask, answers)
            seconds = rounds[k].seconds[i]
            while listed + seconds > len(places):
                places = grown(places)
            while number + seconds > len(leaves):
                leaves = grown(leaves)
                slots = rehashed(slots, leaves, number)
            for j in range(seconds):
                copy_row(path[1], path[2])
                if rounds[k].answerers[i] != NOBODY:
                    apply(path[2].row, answers[j])
                slot = find_slot(slots, leaves, path[2].key)
                if slots[slot] < 0:
                    slots[slot] = number
                    fill_leaf(path[2], leaves[number], result)
                    number += 1
                places[listed] = slots[slot]
                listed += 1
    return rounds, places[:listed], leaves[:number]


def enter_round(entry, row, mask):
    """Write who chooses first, a seat or chance, and the choices."""
    entry.kind = kind_of(row)
    entry.seat = actor(row)
    if entry.kind == CHANCE_NODE:
        chance(row, entry.weights)
        entry.firsts = list_present(entry.weights, entry.choices, 0)
    else:
        mask[:] = 0
        legal(row, mask)
        entry.firsts = list_present(mask, entry.choices, 0)


def choose_first(entry, i, path, mask, answers):
    """Make the first choice number ``i``, and write who answers it and the number of answers; 1 if nobody does."""
    copy_row(path[0], path[1])
    apply(path[1].row, entry.choices[i])
    entry.answerers[i] = NOBODY
    entry.seconds[i] = 1
    is_answered = entry.kind == ONE_SEAT and kind_of(path[1].row) == ONE_SEAT and answering(path[1].row)
    if entry.kind == TWO_SEATS or is_answered:
        entry.answerers[i] = actor(path[1].row)
        mask[:] = 0
        legal(path[1].row, mask)
        entry.seconds[i] = list_present(mask, answers, 0)


def fill_leaf(source, leaf, result):
    """Copy a state, and note whether the game is over there, and the return of player_0."""
    copy_row(source, leaf)
    leaf.ended = kind_of(source.row) == END
    leaf.end_value = 0
    if leaf.ended:
        result[:] = 0
        returns(leaf.row, result)
        leaf.end_value = result[0]


def draw_next_places(rounds, draws, chosen):
    """Write the place of one state after each round: after random choices of both seats, or a random outcome of chance.

    Args:
        draws: (n) float64, from 0 to 1.
        chosen: (n) int64, written.
    """
    for k in range(len(rounds)):
        entry = rounds[k]
        left = draws[k]
        if entry.kind == CHANCE_NODE:
            place = 0
            left *= total(entry.weights)
            while place < entry.firsts - 1 and left >= entry.weights[entry.choices[place]]:
                left -= entry.weights[entry.choices[place]]
                place += 1
        else:
            first = min(int(left * entry.firsts), entry.firsts - 1)
            left = left * entry.firsts - first
            place = int(left * entry.seconds[first])
            for i in range(first):
                place += entry.seconds[i]
        chosen[k] = entry.first_place + place


def observe_rows(rows, numbers, seat, records):
    """Write the observation of ``seat`` in row ``numbers[k]`` into ``records[k]``, which must hold zeros."""
    for k in range(len(numbers)):
        observe_whole(rows[numbers[k]], seat, records[k])


def observe(game: Game, rows: np.ndarray, seat: int, numbers: np.ndarray | None = None) -> np.ndarray:
    """(k, O) int8: the observations of ``seat`` in the rows with these numbers, or in all; rows are records of
    ``STATE``."""
    numbers = np.arange(len(rows)) if numbers is None else numbers
    records = np.zeros(len(numbers), game.observation)
    bind(game, observe_rows)(rows, numbers, seat, records)
    return records.view(np.int8).reshape(len(numbers), -1)


@functools.cache
def round_dtypes(game: Game) -> Mapping[Declared, np.dtype]:
    """The dtypes ``ROUND`` and ``LEAF`` of a game."""
    width = (max(len(game.actions), len(game.outcomes)),)
    fields = [("kind", "i4"), ("seat", "i4"), ("firsts", "i4"), ("first_place", "i4")]
    lists = [(name, "i4", width) for name in ("choices", "weights", "answerers", "seconds")]
    leaf = record_with_row(game, [("end_value", "f8"), ("ended", "i8")])
    return {ROUND: np.dtype((np.record, [*fields, *lists])), LEAF: leaf}


def bind(game: Game, function: Any) -> Any:
    """Bind a template over the contract and the dtypes of this module to a game, and compile it."""
    return program(game).bind(function, {**BY_WORDS, **round_dtypes(game)})


def rounds_of(game: Game, rows: np.ndarray) -> Rounds:
    """The outcomes of the next round in each of (n) records of ``STATE``, in none of which the game is over."""
    return Rounds(*bind(game, list_rounds)(rows, np.zeros(game.seats, np.float32)))
