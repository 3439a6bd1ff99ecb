"""Spread and ravage (RT-20 to RT-30, RT-44)."""

from __future__ import annotations

from rat_envs.games.rattus.components import (
    BONUS,
    FLIPPED,
    KNIGHT,
    NEUTRAL_CUBES,
    NONE,
    SEATS,
    SPREAD,
    SUPPLY_PILE,
    allow_regions,
    cubes_in,
    has_room_beside,
    holds,
    seats,
)
from rat_envs.games.rattus.configuration import CLASSES, EVERY, LIMIT, MOST
from rat_envs.games.rattus.notation import FLIP_FIRST, RAT_FIRST
from rat_envs.games.rattus.tables import CARDS
from rat_envs.games.rattus.tokens import lay_token, note_flipped, remove_token, see_token


def can_spread(row):
    """RT-20 to RT-22: tokens are due, the supply has some left, and a neighbour has room."""
    return row.spread_left > 0 and row.supply > 0 and has_room_beside(row, row.plague)


def ask_where_to_spread(row):
    """RT-20: the active player chooses."""
    row.phase = SPREAD
    row.actor = row.active


def legal_spread(row, mask):
    """RT-20, RT-21: a neighbour with room."""
    allow_regions(mask, RAT_FIRST, row.neighbours[row.plague] & row.with_room)


def spread(row, region):
    """RT-20: lay a token from the supply, unseen."""
    row.supply -= 1
    row.spread_left -= 1
    lay_token(row, region, NONE, SUPPLY_PILE, 0)


def can_ravage(row, region):
    """RT-24: whether a region has cubes and rats."""
    return row.rats[region] > 0 and cubes_in(row, region) > 0


def knight_is_asked(row):
    """RT-44: whether there is something to ravage."""
    return holds(row, row.active, KNIGHT) and can_ravage(row, row.plague)


def ask_knight(row):
    """RT-44."""
    row.phase = BONUS
    row.actor = row.active


def answer_knight(row, counts):
    """RT-44: whether the plague piece counts as cubes."""
    row.neutral = row.plague if counts else NONE


def legal_flips(row, mask):
    """RT-25."""
    for slot in range(row.rats[row.plague]):
        mask[FLIP_FIRST + slot] = 1


def flip(row, region, slot):
    """RT-24: a token is seen by all, then resolved."""
    see_token(row, region, slot, FLIPPED)


def resolve_token(row):
    """RT-24, RT-26: the flipped token acts if there are enough cubes, and leaves the game."""
    note_flipped(row)
    region = row.seen_region
    token = row.face[row.seen_slot, region]
    neutral = NEUTRAL_CUBES if row.neutral == region else 0
    if cubes_in(row, region) + neutral >= row.config.tokens[token, LIMIT]:
        strike_most(row, region, row.config.tokens[token, MOST])
        strike_classes(row, region, token)
        for seat in range(seats(row)):
            lose_cubes(row, region, seat, row.config.tokens[token, EVERY])
    remove_token(row, region, row.seen_slot)


def strike_most(row, region, number):
    """RT-27: strike those who have the most cubes before anybody loses one."""
    most = 0
    for seat in range(SEATS):
        most = max(most, row.cubes[seat, region])
    for seat in range(SEATS):
        if row.cubes[seat, region] == most:
            lose_cubes(row, region, seat, number)


def strike_classes(row, region, token):
    """RT-28: strike the holders of the printed classes."""
    for card in range(len(CARDS)):
        if row.holder[card] != NONE:
            lose_cubes(row, region, row.holder[card], row.config.tokens[token, CLASSES + card])


def lose_cubes(row, region, seat, number):
    """RT-30: cubes return to the stock, never more than are there."""
    lost = min(number, row.cubes[seat, region])
    row.cubes[seat, region] -= lost
    row.stock[seat] += lost
