"""Phase D, cards: influence, rats, Sword and Flute of a building's visitors (RC-30 to RC-40, RC-46)."""

from __future__ import annotations

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.counts import add, fill, move_all, total
from rat_envs.games.rattus_cartus.cards import shuffle_if_empty
from rat_envs.games.rattus_cartus.components import (
    ALL_KINDS,
    FLUTE,
    GO_ON,
    KINDS,
    NONE,
    RAT_TO,
    SWORD,
    TAKE_FROM,
    building_of,
    class_of,
    class_of_card,
    popular,
    seats,
)
from rat_envs.games.rattus_cartus.knowledge import cap, note_gift, note_open
from rat_envs.games.rattus_cartus.notation import RAT_TO_FIRST, TAKE_FROM_FIRST


def building(row):
    """The building being resolved."""
    return building_of(row.slot[row.resolved])


def is_here(row, seat):
    """Whether a seat visits the building being resolved."""
    return row.slot_of[seat] == row.resolved


@out_of_line
def reveal(row, slot):
    """RC-31: the cards laid at a slot; RC-30: with two players all of them at once."""
    for seat in range(seats(row)):
        if not row.revealed[seat] and (row.slot_of[seat] == slot or seats(row) == 2):
            row.revealed[seat] = 1
            row.played[seat] = popular(row.laid[seat])
            for kind in range(ALL_KINDS):
                if row.laid[seat, kind] > 0:
                    note_open(row, seat, kind, row.laid[seat, kind])
            cap(row, seat)


@out_of_line
def premium_player(row):
    """RC-39: the visitor that played most; RC-40: with two players, of both players; if tied, the earlier entrant."""
    best = NONE
    for number in range(row.entries):
        seat = row.entered[number]
        competes = is_here(row, seat) or seats(row) == 2
        if competes and (best == NONE or row.played[seat] > row.played[best]):
            best = seat
    return best


@out_of_line
def score_cards(row, seat):
    """RC-31: points in the building's class, and rats for population cards of other classes."""
    here = class_of(building(row))
    row.scored_here[seat] = row.played[seat]
    move_disc(row, here, seat, row.played[seat])
    for kind in range(KINDS):
        if class_of_card(kind) != here:
            row.rats[seat] += row.laid[seat, kind]


def move_disc(row, track, seat, points):
    """RC-32: put a disc on top of those already there; discs that lay on it move down."""
    if points == 0:
        return
    before = row.influence[track, seat]
    after = before + points
    on_top = 0
    for other in range(seats(row)):
        if other != seat:
            if row.influence[track, other] == after:
                on_top += 1
            if row.influence[track, other] == before and row.rank[track, other] > row.rank[track, seat]:
                row.rank[track, other] -= 1
    row.influence[track, seat] = after
    row.rank[track, seat] = on_top


def least_played(row, kind):
    """The smallest number of cards of a kind that a visitor here played."""
    least = -1
    for seat in range(seats(row)):
        if is_here(row, seat) and (least < 0 or row.laid[seat, kind] < least):
            least = row.laid[seat, kind]
    return least


def played_most(row, kind):
    """RC-36: the visitor who played most of a kind, if tied the earlier entrant; NONE if all played the same."""
    best = NONE
    for number in range(row.entries):
        seat = row.entered[number]
        if is_here(row, seat) and (best == NONE or row.laid[seat, kind] > row.laid[best, kind]):
            best = seat
    return NONE if row.laid[best, kind] == least_played(row, kind) else best


def played_fewest(row, kind):
    """RC-36: the visitor here who played fewest of a kind; NONE if several did."""
    least = least_played(row, kind)
    only = NONE
    for seat in range(seats(row)):
        if is_here(row, seat) and row.laid[seat, kind] == least:
            if only != NONE:
                return NONE
            only = seat
    return only


def legal_fewest(row, mask, first, kind):
    """RC-36, RC-38: those who played fewest."""
    least = least_played(row, kind)
    for seat in range(seats(row)):
        mask[first + seat] = is_here(row, seat) and row.laid[seat, kind] == least


def use_sword(row, seat):
    """RC-36."""
    if played_most(row, SWORD) == seat:
        row.taker = seat
        only = played_fewest(row, SWORD)
        if only == NONE:
            row.phase = TAKE_FROM
            row.actor = seat
        else:
            take_from(row, only)


def take_from(row, seat):
    """RC-36: half of the hand, rounded down."""
    row.giver = seat
    row.gives_left = row.cards_held[seat] // 2
    row.phase = GO_ON


def use_flute(row, seat):
    """RC-38: nothing happens without a rat."""
    if played_most(row, FLUTE) == seat and row.rats[seat] > 0:
        only = played_fewest(row, FLUTE)
        if only == NONE:
            row.phase = RAT_TO
            row.actor = seat
        else:
            give_rat(row, seat, only)


def give_rat(row, giver, taker):
    """RC-38."""
    row.rats[giver] -= 1
    row.rats[taker] += 1
    row.phase = GO_ON


def give(row, kind):
    """RC-37: put a card aside; after the last one, they change hands."""
    row.hand[row.giver, kind] -= 1
    row.aside[row.giver, kind] += 1
    row.gives_left -= 1
    if row.gives_left == 0:
        hand_over(row)
    row.phase = GO_ON


@out_of_line
def hand_over(row):
    """RC-37: the cards aside change hands together."""
    giver = row.giver
    taker = row.taker
    note_gift(row, giver, taker)
    number = total(row.aside[giver])
    move_all(row.aside[giver], row.hand[taker])
    row.cards_held[giver] -= number
    row.cards_held[taker] += number
    cap(row, giver)
    cap(row, taker)
    row.giver = NONE


@out_of_line
def discard_laid(row):
    """RC-46: discard the cards laid here, together."""
    for seat in range(seats(row)):
        if is_here(row, seat):
            add(row.discarded, row.laid[seat, :KINDS])
            add(row.special_deck, row.laid[seat, KINDS:])
            fill(row.laid[seat], 0)
            row.cards_laid[seat] = 0
    shuffle_if_empty(row)


def legal_target(row, mask):
    """RC-36, RC-38."""
    if row.phase == TAKE_FROM:
        legal_fewest(row, mask, TAKE_FROM_FIRST, SWORD)
    else:
        legal_fewest(row, mask, RAT_TO_FIRST, FLUTE)
